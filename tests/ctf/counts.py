# SPDX-License-Identifier: GPL-2.0-or-later
"""Does a reader of CTF find in a trace what ktrace finds there?"""

import json
import re
import subprocess
import sys
from collections import Counter

DISCARDED = re.compile(r"discarded (\d+) events")
INFOS = ("query", "source.ctf.fs", "babeltrace.trace-infos", "--params")
FLAGS = ["FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"]
SEEN = re.compile(r"tcp (\d+) > (\d+) seq=(\d+) ack=(\d+) flags=(\S+)")
HEADER = re.compile(r"source_port = (\d+), dest_port = (\d+), seq = (\d+), ack_seq = (\d+), .* flags = 0x([0-9A-F]+),")
STREAM = re.compile(r"port-name: .*/(\S+)\s+range-ns:\s+begin: (\d+)\s+end: (\d+)")


def run(*command, good=(0,)):
    """The output of a command that must end with one of these statuses."""
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if out.returncode not in good:
        sys.exit(f"failed: {command}: {out.stdout[-2000:]} {out.stderr[-2000:]}")
    return out.stdout


def name_of(o):
    """ktrace shows a text that was read at the return under the name of the hit; the trace has it as an event of its own."""
    return "read_at_return" if "AT_RETURN" in o.get("flags", ()) else o["name"]


def counts_of_ktrace(path):
    """The number of events of each kind, and of lost ones, in the output of `ktrace --json print --state`."""
    objects = [json.loads(line) for line in path.read_text().splitlines()]
    lost = sum(o["lost"] for o in objects if o["type"] == "lost")
    return Counter(name_of(o) for o in objects if o["type"] in ("record", "state")), lost


def check_counts(trace, printed, reader="babeltrace2"):
    """Every event, all of it printed in detail; the number of each kind is that of ktrace. Returns the numbers of
    events, kinds and lost events.
    """
    name = trace.name
    wanted, lost = counts_of_ktrace(printed)
    details = run(reader, trace, "--component", "sink.text.details", "--params", "compact=true")
    got = Counter(re.findall(r"\} Event `(.*?)` \(", details))
    different = {n: (wanted[n], got[n]) for n in wanted | got if wanted[n] != got[n]}
    assert not different, f"{name}: ktrace and {reader} count differently: {different}"
    told = sum(map(int, DISCARDED.findall(run("sh", "-c", f"{reader} {trace} 2>&1 >/dev/null"))))
    assert told == lost, f"{name}: {reader} tells of {told} lost, ktrace of {lost}"
    return sum(wanted.values()), len(wanted), lost


def check_packets(trace, seen, reader="babeltrace2"):
    """The TCP headers that arrive are those that a packet socket has seen. Returns how many there are."""
    wanted = Counter((*found[:4], sum(1 << FLAGS.index(flag) for flag in found[4].split("|")))
                     for found in SEEN.findall(seen.read_text()))
    lines = [line for line in run(reader, trace).splitlines() if " net_if_receive_skb: " in line]
    got = Counter((*found[:4], int(found[4], 16)) for line in lines for found in HEADER.findall(line))
    assert wanted and got == wanted, f"{trace.name}: {reader} has other packets: {got - wanted}, not {wanted - got}"
    return sum(got.values())


def times(reader, trace, *options):
    """The time of each event, in nanoseconds of the day."""
    lines = run(reader, trace, "--clock-seconds", "--no-delta", *options).splitlines()
    return [int(line[1:line.index("]")].replace(".", "")) for line in lines]


def check_intersection(trace, reader="babeltrace2"):
    """With --stream-intersection, the reader leaves out what lies outside the stream of some CPU, and nothing because of the
    stream of the state. Returns how many events there are, and how many are left.
    """
    streams = STREAM.findall(run(reader, *INFOS, f'inputs=["{trace}"]'))
    cpus = [(int(begin), int(end)) for name, begin, end in streams if name.startswith("cpu")]
    assert cpus and len(streams) == len(cpus) + 1, f"{trace.name}: streams {streams}"
    begin, end = max(span[0] for span in cpus), min(span[1] for span in cpus)
    every = times(reader, trace)
    inside = [time for time in every if begin <= time <= end]
    left = times(reader, trace, "--stream-intersection")
    assert left == inside, f"{trace.name}: {len(left)} events are left of {len(inside)}"
    return len(every), len(left)
