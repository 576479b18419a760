#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lttng.py [--beside] TRACE REPORT: does lttng-analyses find in a recording what `ktrace report` finds there?

TRACE is the recording; its name must end in "kernel": in such folders lttng-analyses looks for the version of the tracer.
REPORT is what `ktrace --json report` and `ktrace --json report --tree` print, in a line each. Prints one line for each
difference, and then how many figures are equal. Exit status 77, and a line `skip: REASON`: lttng-analyses cannot be had
here; `lttng.py --there` only tells that.

What is compared, and why not more:

* Time on a CPU, and the number of system calls, of threads that began and ended in the recording. What others did before
  their first event is a guess of lttng-analyses.
* Without rt_sigreturn: lttng-analyses counts it as a call that has ended, `report` does not.
* The delay from sched_waking until the thread runs. If that event comes while the thread still has its CPU, lttng-analyses
  counts from sched_wakeup instead; `report` does not count such a wake-up.
* Hardware interrupts. The names of events of softirqs are not those that it knows. Their times are
  compared only where nothing else ran in them: `report` subtracts the time of such work, which has its own row;
  lttng-analyses does not. For example, timers run in the interrupt of the clock, where that has a number.
* Bytes of files that it has seen being opened, if the name is a path. To it, a directory is not read. In a snapshot of a
  flight recording the state comes last; it then gives the names of that state to files that were used before.

With --beside, TRACE is what LTTng recorded beside the recording. It began earlier, ended later, and has each event some
instructions before or after the recording: only threads that began and ended in the recording are compared, and files
that only these have open; of interrupts only whether it has as many.
"""

import collections
import collections.abc
import contextlib
import importlib
import io
import json
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from pypi import Unavailable, unpacked  # noqa: E402  (beside this folder)

NS = 100  # as close as two figures must be: both round the times of events
# ... of two recorders, where instructions are counted: some hundred at each event, on either side.
NS_BESIDE = 5000
# A subcommand of lttng-analyses: module, class, options.
CPU = ("cputop", "Cputop", [])
WAKE = ("sched", "SchedAnalysisCommand", ["--stats"])
CALLS = ("syscallstats", "SyscallsAnalysis", [])
IRQS = ("irq", "IrqAnalysisCommand", ["--stats"])
FILES = ("io", "IoAnalysisCommand", ["--usage"])


def prepare():
    """Make the modules of lttng-analyses loadable. Unavailable: something is missing."""
    sys.path.insert(0, str(unpacked(HERE / "requirements.txt")))
    # Python 3.10 has moved this name; version 0.6.1 is older.
    collections.Mapping = collections.abc.Mapping
    try:
        import babeltrace
    except ImportError as e:
        raise Unavailable(f"Debian's python3-babeltrace: {e}") from e
    if not shutil.which("babeltrace"):
        raise Unavailable("no program babeltrace (version 1)")
    know_tables()
    return babeltrace


class OfProcess:
    """An event with a field more: the process."""

    def __init__(self, event, pid):
        self._event, self._pid = event, pid

    def __getitem__(self, name):
        return self._pid if name == "pid" else self._event[name]

    def __getattr__(self, name):
        return getattr(self._event, name)


def know_tables():
    """An open file in LTTng's state has its table of files since 2.12, which processes share; lttng-analyses wants the pid."""
    from lttnganalyses.linuxautomaton.statedump import StatedumpStateProvider as provider
    on_task, on_file = provider._process_lttng_statedump_process_state, provider._process_lttng_statedump_file_descriptor
    users = collections.defaultdict(set)

    def task(self, event):
        users[event["file_table_address"]].add(event["pid"])
        on_task(self, event)

    def file(self, event):
        for pid in [event["pid"]] if "pid" in event else users[event["file_table_address"]]:
            on_file(self, OfProcess(event, pid))

    provider._process_lttng_statedump_process_state, provider._process_lttng_statedump_file_descriptor = task, file


class Figures(NamedTuple):
    """What a subcommand has found: the data of its only period, its analysis, the time of the last event."""
    data: object
    analysis: object
    end: int


def analyse(which, trace, begin):
    """Run the subcommand as from a shell, and keep what it would print."""
    name, kind, options = which
    found = []

    def keep(self, data, end_ns):
        if data is not None:
            found.append(Figures(data, self._analysis, end_ns))

    base = getattr(importlib.import_module(f"lttnganalyses.cli.{name}"), kind)
    words = [f"lttng-{name}", *options, "--no-progress", "--begin", str(begin), str(trace)]
    sys.argv = words
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    try:
        with contextlib.redirect_stdout(said):
            type(kind, (base,), {"_analysis_tick": keep})().run()
    except SystemExit as e:
        sys.exit(f"{' '.join(words)}: status {e.code}")
    assert len(found) == 1, f"{' '.join(words)}: {len(found)} periods"
    return found[0]


class Part(NamedTuple):
    """The part of the trace that the report is about."""
    begin: int
    state_is_late: bool  # the state of the system is known later, as in a snapshot
    wakings: set  # thread, time
    shared: set  # interrupts in which something else ran: their numbers
    whole: set  # threads of processes that began and ended in it
    beside: bool
    near: int  # how close times must be

    def has(self, tid):
        return not self.beside or tid in self.whole


def part_of(report, babeltrace, trace, beside):
    traces = babeltrace.TraceCollection()
    traces.add_traces_recursive(str(trace), "ctf")
    wakings, shared, inside, known, first, last = set(), set(), {}, None, None, None
    for event in traces.events:
        cpu = event["cpu_id"]
        if event.name == "irq_handler_entry":
            inside[cpu] = event["irq"]
        elif event.name == "irq_handler_exit":
            inside.pop(cpu, None)
        elif event.name.endswith("_entry") and cpu in inside:
            shared.add(inside[cpu])
        last = event.timestamp
        first = first or last
        if event.name in ("sched_waking", "sched_wakeup_new"):
            wakings.add((event["tid"], last))
        elif event.name == "lttng_statedump_end":
            known = last
    begin = first if beside else int(last - report["length_ns"])
    return Part(begin, not beside and known > begin + NS, wakings, shared, whole_threads(report), beside, NS_BESIDE if beside else NS)


class Comparison:
    def __init__(self):
        self.lines, self.equal = [], collections.Counter()

    def same(self, kind, what, ours, theirs, near=0):
        if ours is not None and theirs is not None and abs(ours - theirs) <= near:
            self.equal[kind] += 1
        else:
            self.lines.append(f"{kind}: {what}: ktrace has {ours}, lttng-analyses {theirs}")


def whole_threads(report):
    """Threads of processes that began and ended in the recording."""
    pids = {row["pid"] for row in report["tree"] if row["began_ns"] is not None and row["ended_ns"] is not None}
    return {row["tid"] for row in report["threads"] if row["pid"] in pids}


def compare_cpu(report, figures, part, compared):
    threads = {row["tid"]: row["running_ns"] for row in report["threads"]}
    for tid, thread in figures.data.tids.items():
        if tid in part.whole:
            compared.same("time on a CPU", f"thread {tid}", threads.get(tid), thread.total_cpu_time, part.near)


def compare_wake(report, figures, part, compared):
    threads = {row["tid"]: row for row in report["threads"]}
    every = []
    for tid, thread in figures.data.tids.items():
        if not part.has(tid):
            continue
        row = threads[tid]
        delays = [one.latency for one in thread.sched_list if (tid, one.wakeup_ts) in part.wakings]
        every += delays
        compared.same("wake-ups", f"thread {tid}", row["wakeups"], len(delays))
        if delays:
            mean = sum(delays) / len(delays)
            compared.same("delay after wake-ups, mean", f"thread {tid}", row["latency_mean_ns"], mean, part.near)
            compared.same("delay after wake-ups, longest", f"thread {tid}", row["latency_max_ns"], max(delays), part.near)
    if not part.beside:
        latency = report["latency"]
        compared.same("wake-ups", "all", latency["count"], len(every))
        compared.same("delay after wake-ups, longest", "all", latency["max_ns"], max(every), part.near)


def compare_calls(report, figures, part, compared):
    threads = {row["tid"]: row["syscalls"] for row in report["threads"]}
    for tid in part.whole:
        calls = figures.data.tids[tid].syscalls if tid in figures.data.tids else {}
        theirs = sum(call.count for name, call in calls.items() if name != "rt_sigreturn")
        compared.same("system calls", f"thread {tid}", threads[tid], theirs)


def compare_irqs(report, figures, part, compared):
    rows = {row["number"]: row for row in report["interrupts"] if row["kind"] == "irq"}
    compared.same("interrupts", "their number", len(rows), len(figures.data.hard_irq_stats))
    for number, irq in figures.data.hard_irq_stats.items() if not part.beside else ():
        row = rows[number]
        compared.same("interrupts", row["name"], row["count"], irq.count)
        if number in part.shared:
            continue
        compared.same("interrupts, mean time", row["name"], row["mean_ns"], irq.total_duration / irq.count, part.near)
        compared.same("interrupts, longest", row["name"], row["max_ns"], irq.max_duration, part.near)


def compare_files(report, figures, part, compared):
    rows = {row["name"]: row for row in report["files"]}
    for name, stats in figures.analysis.get_files_stats(figures.data).items():
        if not name.startswith("/") or not stats.io.read + stats.io.write or (part.state_is_late and name not in rows):
            continue
        if not all(part.has(pid) for pid in stats.fd_by_pid):
            continue
        row = rows.get(name, {"read_bytes": None, "written_bytes": None})
        compared.same("bytes read", name, row["read_bytes"], stats.io.read)
        compared.same("bytes written", name, row["written_bytes"], stats.io.write)


ALL = ((CPU, compare_cpu), (WAKE, compare_wake), (CALLS, compare_calls), (IRQS, compare_irqs), (FILES, compare_files))


def compare(part, trace, report):
    compared = Comparison()
    for which, compare_its in ALL:
        compare_its(report, analyse(which, trace, part.begin), part, compared)
    return compared


def main(*words):
    beside = words[0] == "--beside"
    trace, report = (*words[beside:], None)[:2]
    try:
        babeltrace = prepare()
    except Unavailable as e:
        print(f"skip: {e}")
        sys.exit(77)
    if trace == "--there":
        return
    parts = [json.loads(line) for line in Path(report).read_text().splitlines()]
    report = {key: value for part in parts for key, value in part.items()}
    compared = compare(part_of(report, babeltrace, trace, beside), trace, report)
    for line in compared.lines:
        print(line)
    print("equal: " + "; ".join(f"{n} of {kind}" for kind, n in compared.equal.items()))
    sys.exit(1 if compared.lines else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
