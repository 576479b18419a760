# SPDX-License-Identifier: GPL-2.0-or-later
"""Roots of Debian releases: directories below build/roots, made by mmdebstrap once. On top of a root are layers of an
overlay: what a build needs, what the packages depend on, and what a test does. The commands run by chroot, without rights
to load modules.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE, TOP = Path(__file__).resolve().parent, Path(__file__).resolve().parents[2]
ROOTS, PACKAGES, RESULTS = TOP / "build/roots", TOP / "build/packages", TOP / "build/results"
MIRROR = os.environ.get("KTRACE_MIRROR", "http://deb.debian.org/debian")
ARCH = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True).stdout.strip()
# The version that is installed first, and upgraded.
OLD = "0.0.9"


class Failed(Exception):
    """A step that failed; its text is one line."""


class Root:
    """The root KIND of a release, with some packages, and its layers."""

    def __init__(self, suite, kind, packages, logs):
        self.suite, self.packages, self.dir = suite, packages, PACKAGES / suite
        self.base = ROOTS / f"{suite}.{kind}"
        self.dir.mkdir(parents=True, exist_ok=True)
        self.log = self.dir / logs
        self.log.unlink(missing_ok=True)

    def call(self, command, cwd=None, environment=None):
        """Run a command; return its output, which also goes into the log."""
        run = subprocess.run(list(map(str, command)), cwd=cwd or self.dir, text=True, errors="replace", stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})})
        with self.log.open("a") as log:
            log.write(f"$ {' '.join(map(str, command))}\n{run.stdout}")
        if run.returncode:
            last = (run.stdout.strip().splitlines() or ["no output"])[-1]
            raise Failed(f"status {run.returncode}: {last[:200]}: see {self.log.relative_to(TOP)}")
        return run.stdout

    def inside(self, layers, upper, network, *command):
        return self.call([HERE / "root", ":".join(map(str, layers)), upper, network, *command])

    def make(self):
        if self.base.is_dir():
            return
        new = self.base.with_suffix(self.base.suffix + ".new")
        shutil.rmtree(new, ignore_errors=True)
        # A mirror that is behind is good enough here. No file need be on the disk before the next.
        self.call(["mmdebstrap", "--quiet", "--variant=minbase", '--aptopt=Acquire::Check-Valid-Until "false"', "--dpkgopt=force-unsafe-io",
                   f"--include={','.join(self.packages)}", self.suite, new, MIRROR], cwd=TOP)
        new.rename(self.base)

    def layer(self, kind, key, below, *command):
        """A directory with what the command changes, made once for each key."""
        digest = hashlib.sha256(f"{self.base.stat().st_ino} {key}".encode()).hexdigest()[:8]
        layer = ROOTS / f"{self.suite}.{kind}-{digest}"
        if not layer.is_dir():
            for old in ROOTS.glob(f"{self.suite}.{kind}[-.]*"):
                shutil.rmtree(old)
            new = ROOTS / f"{self.suite}.{kind}.new"
            self.inside(below, new, "online", *command)
            new.rename(layer)
        return layer

    def fresh(self, name):
        upper = ROOTS / f"{self.suite}.tmp-{self.log.stem}-{name}"
        shutil.rmtree(upper, ignore_errors=True)
        return upper

    def debs(self, version):
        return sorted(f"./{path.relative_to(self.dir)}" for path in (self.dir / version).glob("*.deb") if "-dbgsym" not in path.name)

    def needs(self, kind, below, debs, *tools):
        """A layer with all that these packages depend on, as apt chooses, and with the tools; without them."""
        fields = "".join(self.call(["dpkg-deb", "-f", deb, "Package", "Depends"]) for deb in debs)
        fields = re.sub(r" \(= [^)]*\)", "", fields)
        return self.layer(kind, " ".join(tools) + fields, below, "sh", "-ec",
                          f"apt-get update -q; apt-get install -q -y --no-install-recommends {' '.join(tools)};"
                          "own=$(for deb; do dpkg-deb -f $deb Package; done);"
                          "apt-get install -q -s --no-install-recommends \"$@\" | awk '/^Inst/ { print $2 }' | grep -vxF \"$own\" |"
                          "xargs apt-get install -q -y --no-install-recommends; ls /lib/modules | xargs -n 1 depmod", "sh", *debs)


class Results:
    """A row for each step, and the lines that the step found."""

    def __init__(self, name):
        self.rows, self.file = [], RESULTS / f"{name}.tsv"
        for path in (ROOTS, PACKAGES, RESULTS):
            path.mkdir(parents=True, exist_ok=True)
        self.loaded = loaded()

    def add(self, *new):
        for outcome, part, seconds, text in new:
            print(f"{outcome:<5} {part:<32} {seconds:>5}{' s' if seconds else '  '}  {text}".rstrip(), flush=True)
        self.rows += new

    def timed(self, name, step, *args):
        """Run a step, add its row; return whether it succeeded."""
        began, found, reason = time.monotonic(), [], ""
        try:
            found = step(*args) or []
        except Failed as failed:
            reason = str(failed)
        self.add(("FAIL" if reason else "ok", name, f"{time.monotonic() - began:.0f}", reason),
                 *((outcome, f"{name}:{part}", "", text) for outcome, part, text in found))
        return not reason

    def close(self):
        """Write the file and the last line; return the exit status."""
        if loaded() != self.loaded:
            self.add(("FAIL", "loaded", "", "a module of ktrace was loaded on this machine"))
        self.file.write_text("".join("\t".join(row) + "\n" for row in self.rows))
        failed = sum(row[0] == "FAIL" for row in self.rows)
        print(f"{len(self.rows) - failed} passed, {failed} failed")
        return 1 if failed else 0


def found(out):
    """The lines of a script that begin with ok or FAIL."""
    return re.findall(r"^(ok|FAIL) +(\S+) *(.*)$", out, re.M)


def loaded():
    """The modules of ktrace in the kernel of this machine."""
    return sorted(Path("/sys/module").glob("ktrace*"))


def needs_root(target):
    if os.geteuid():
        sys.exit(f"ktrace: roots of other releases are made and entered by root: sudo make {target}")


def chosen_steps(steps):
    """Those that the variable STEPS names, or all, in their order."""
    chosen = os.environ.get("STEPS", "").split() or list(steps)
    if not set(chosen) <= set(steps):
        sys.exit(f"ktrace: STEPS may be {' '.join(steps)}")
    return [step for step in steps if step in chosen]
