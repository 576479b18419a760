# SPDX-License-Identifier: GPL-2.0-or-later
"""Save ktrace's rings from a memory dump of a crashed kernel: drgn -c VMCORE -s VMLINUX -s KTRACE.KO THIS DIR

DIR gets a saved trace for each recording, with its name, and DIR/prompt for the tracepoints of a prompt. See
docs/crash.md. It needs drgn 0.0.31 or newer.
"""
import json
import os
import struct
import sys
from pathlib import Path

from drgn import get_default_prog
from drgn.helpers.linux.cpumask import for_each_possible_cpu
from drgn.helpers.linux.idr import idr_for_each_entry
from drgn.helpers.linux.list import list_for_each_entry
from drgn.helpers.linux.percpu import per_cpu_ptr

prog = get_default_prog()

# struct kt_packet of core/abi_ring.h.
HEADER = struct.Struct("<I16sIQQQQQQQII")
MAGIC, UUID, STREAM, BEGIN, END, CONTENT, PACKET, SEQ, DISCARDED, COUNT, CPU, RECORDS = range(12)
CLOSED = 0xffff
MACHINES = {"x86_64": 62, "aarch64": 183}


def note(text):
    print(text, file=sys.stderr)


def whole(ring, seq):
    """Are all bytes of the packet committed? A CPU may have been inside a record when the kernel crashed."""
    sub, shift = ring.sub_bytes.value_(), ring.nr_shift.value_()
    committed = ring.commit[seq & ring.mask.value_()].value_() - (seq >> shift) * sub
    newest = ring.ctl.seq.value_()
    return committed == (sub if seq < newest else filled(ring))


def filled(ring):
    """Bytes of the newest packet; -1: the CPU was exchanging packets."""
    offset = ring.ctl.word.value_() >> 16 & 0xffff
    return -1 if offset == CLOSED else offset * (2 if ring.wide else 4)


def packet(ring, seq):
    """The packet as in a saved trace: header fields, and its events."""
    at = ring.data.value_() + (seq & ring.mask.value_()) * ring.sub_bytes.value_()
    data = prog.read(at, ring.sub_bytes.value_())
    header = list(HEADER.unpack_from(data))
    if header[SEQ] != seq:
        return None
    if seq == ring.ctl.seq.value_():
        header[CONTENT] = 8 * filled(ring)
        header[RECORDS] = ring.ctl.word.value_() & 0xffff
        header[END] = max(header[BEGIN], ring.ctl.last_ts.value_())
        header[DISCARDED] = ring.ctl.discarded.value_()
    header[PACKET] = header[CONTENT]
    return header, data[HEADER.size:header[CONTENT] // 8]


def packets(ring, cpu):
    """From the newest back to the oldest without a gap, then in order."""
    found = []
    newest = ring.ctl.seq.value_()
    oldest = max(0, newest - ring.nr_subbufs.value_() + 1, ring.ctl.first_seq.value_())
    for seq in range(newest, oldest - 1, -1):
        one = packet(ring, seq) if whole(ring, seq) else None
        if one:
            found.append(one)
        elif found:
            note(f"CPU {cpu}: what is older than packet {seq + 1} has a gap, and is left out")
            break
        else:
            note(f"CPU {cpu}: packet {seq} is not complete, and is left out")
    found.reverse()
    # Nothing tells how much was lost before the oldest packet.
    before = found[0][0][DISCARDED] if found and found[0][0][SEQ] else 0
    for header, _ in found:
        header[DISCARDED] -= before
    return found if any(header[RECORDS] for header, _ in found) else []


def events(rings):
    """The descriptors of these rings, for trace.json."""
    for id, entry in idr_for_each_entry(prog.variable("descs", "desc.c").address_of_(), "struct kt_desc"):
        if entry.rings == rings:
            blob = prog.read(entry.blob.value_(), entry.blob_len.value_())
            yield {"part": 0, "id": id, "addr": str(entry.addr.value_()), "born": str(entry.born.value_()),
                   "descriptor": blob.hex()}


def clock():
    ratio, anchors = prog.variable("ratio", "clock.c"), prog.variable("anchors", "clock.c")
    return {"name": "raw", "ns_num": str(ratio.num.value_()), "ns_den": str(ratio.den.value_()),
            "anchors": [{"ticks": str(anchors[i].ticks.value_()), "real_ns": str(anchors[i].real_ns.value_())}
                        for i in range(prog.variable("nr_anchors", "clock.c").value_())]}


def save(rings, where):
    """A directory that `ktrace -i` reads."""
    uname = prog["init_uts_ns"].name
    machine = uname.machine.string_().decode()
    complete, records = 0, 0
    (where / "ktrace").mkdir(parents=True, mode=0o700)
    for cpu in for_each_possible_cpu(prog):
        found = packets(per_cpu_ptr(rings.cpu, cpu).ring, cpu)
        if not found:
            continue
        complete = max(complete, found[0][0][BEGIN])
        records += sum(header[RECORDS] for header, _ in found)
        (where / f"cpu{cpu}").write_bytes(b"".join(HEADER.pack(*header) + data for header, data in found))
    # It is open, as after a recorder was killed: it has no symbols of its own.
    info = {"type": "ktrace", "v": 1, "open": True, "format": 2 if rings.wide else 1, "complete": str(complete),
            "host": uname.nodename.string_().decode(), "kernel": f"{uname.release.string_().decode()} {machine}",
            "module": "from a memory dump", "arch": MACHINES[machine], "uuid": bytes(rings.uuid.value_()).hex(),
            "parts": 1, "clock": clock(), "events": list(events(rings))}
    (where / "ktrace/trace.json").write_text(json.dumps(info))
    note(f"{where}: {records} records: 'ktrace print {where}' prints them")


def main(to):
    os.umask(0o077)
    save(prog.variable("kt_prompt_rings").address_of_(), to / "prompt")
    recordings = prog.variable("recordings", "recordings.c").address_of_()
    for one in list_for_each_entry("struct recording", recordings, "list"):
        save(one.rings, to / one.name.string_().decode().replace("/", "_"))


main(Path(sys.argv[1]))
