# SPDX-License-Identifier: GPL-2.0-or-later
"""One test case: the lines at its head, how it is run, and its result."""

import os
import re
import shlex
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from .arch import ARCHES
from .names import replaced
from .paths import VM, out

SKIPPED = 77
SHORT = 20  # seconds of a case that is not long, about

# Cases count exactly, and on a loaded machine a guest is slow for reasons that the brake takes for tracepoints.  A case of
# the brake has its own --module-args.
NO_BRAKE = ["--module-args", "brake=0"]


def _logs(arch):
    path = out(arch) / "results/logs"
    path.mkdir(parents=True, exist_ok=True)
    return path


class Result(NamedTuple):
    name: str
    outcome: str  # ok, FAIL or skip
    seconds: float
    reason: str
    output: str


class Case:
    """tests/vm/cases/NAME.sh runs in a guest, once for each `# vm:` line of its head.

    tests/vm/hostcases/NAME runs on this machine and boots its own guests.
    """

    def __init__(self, path):
        self.path = path
        self.name = path.stem
        self.on_host = path.parent.name == "hostcases"
        head = path.read_text()
        self.what = self._head(head, "what")
        self.long = self._head(head, "long")  # how long it takes: `make check` leaves it to `make check-rest`
        self.seconds = int(self.long.split()[0]) if self.long else SHORT  # roughly
        self.rare = self._head(head, "rare")  # how long it takes: it runs only if it is named
        self.guests = [shlex.split(line) for line in self._all(head, "vm")] or [[]]
        self.only, _, self.why_only = self._head(head, "arch").partition(": ")

    @staticmethod
    def _all(text, key):
        return re.findall(rf"^# {key}: *(.*)$", text, re.M)

    def _head(self, text, key):
        return (self._all(text, key) or [""])[0]

    def not_for(self, arch):
        """The reason why this case does not run on an architecture, from the line `# arch: FOLDER: REASON`."""
        return self.why_only if self.only not in ("", ARCHES[arch].folder) else None

    def _commands(self, lab_options, arch, logs):
        """The commands of this case, each with the environment variables that it adds."""
        run = [VM / "run", *lab_options]
        if self.on_host:
            return [([self._copy(logs)], {"VM_RUN": shlex.join(map(str, [*run, *NO_BRAKE]))})]
        seed = ["env", f"SEED={os.environ['SEED']}"] if os.environ.get("SEED") else []
        return [([*run, "--keep-log", logs / f"{self.name}{f'.{i}' if i else ''}.console",
                  "--put", f"{self.path}:/lab/case.sh", *NO_BRAKE, *options, "--", *seed, "sh", "/lab/case.sh"], {})
                for i, options in enumerate(self.guests)]

    def _copy(self, logs):
        return logs / f"{self.name}.case"

    def prepare(self, arch):
        """Write a copy of the case that runs on this machine, with the names of the architecture.

        Do this for all cases before the first one runs. Otherwise another thread may start a process meanwhile, which has the
        file open for writing for a moment, and the system does not execute such a file ("Text file busy").
        """
        if self.on_host and not self.not_for(arch):
            path = self._copy(_logs(arch))
            path.write_text(replaced(arch, self.path.read_text()))
            path.chmod(0o755)

    def run(self, lab_options, environment):
        arch = environment["VM_ARCH"]
        if self.not_for(arch):
            return Result(self.name, "skip", 0, self.not_for(arch), "")
        logs = _logs(arch)
        started = time.monotonic()
        output = ""
        for command, extra in self._commands(lab_options, arch, logs):
            run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 env={**environment, **extra}, cwd=VM.parent.parent)
            output += run.stdout.decode(errors="replace")
            if run.returncode:
                break
        (logs / f"{self.name}.output").write_text(output)
        outcome = {0: "ok", SKIPPED: "skip"}.get(run.returncode, "FAIL")
        reason = re.search(r"^skip: (.*)$", output, re.M) if outcome == "skip" else None
        return Result(self.name, outcome, time.monotonic() - started, reason[1] if reason else "", output)


def find(names=()):
    """All cases, or those with these names.  Those on this machine come first: they boot several guests and take longest."""
    paths = sorted(p for p in (VM / "hostcases").glob("*") if p.is_file()) + sorted((VM / "cases").glob("*.sh"))
    cases = [Case(p) for p in paths]
    unknown = set(names) - {c.name for c in cases}
    if unknown:
        raise KeyError(", ".join(sorted(unknown)))
    return [c for c in cases if not names or c.name in names]
