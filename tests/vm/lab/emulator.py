# SPDX-License-Identifier: GPL-2.0-or-later
"""The QEMU that runs the guests: this machine's own, or a newer one from the distribution's backports.

With a thread for each CPU, QEMU can go on running text that another CPU has patched meanwhile: a CPU then takes
an int3 for ever that is no longer there, with whatever it has locked. Before 8.1 translations were made from pages
that nobody had locked ("accel/tcg: Always lock pages before translation" mended it), and kernels, which patch
themselves while they boot and whenever a static tracepoint is used, ran into it now and then. Since then one gap
is left: a store to translated text invalidates the translation before it is done (notdirty_write() in its
accel/tcg/cputlb.c), and a CPU that comes to the text in between translates what was there before; a million calls
of the device that set and remove tracepoints met it. So the CPUs of a guest take turns in one thread unless
--parallel is asked for, which is for what writers on several CPUs do to each other, not for what patching does.

arm64 has a thread for each CPU all the same: there a CPU that patches tells all others to forget the address (tlbi),
and in one thread that costs it its turn, 100 ms for each instruction that is patched while others are busy; kernels
take that for stalls.

An old QEMU is not used where there is another. The newer one is unpacked beside the kernels; nothing is installed.
"""

import collections
import functools
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .apt import Apt
from .arch import host_arch
from .paths import KERNELS, LabError, locked, say

GOOD = (8, 1)

Kind = collections.namedtuple("Kind", "program package")
KINDS = {
    "amd64": Kind("qemu-system-x86_64", "qemu-system-x86"),
    "arm64": Kind("qemu-system-aarch64", "qemu-system-arm"),
}
# What each kind shares with the others.
SHARED = ["qemu-system-common", "qemu-system-data", "seabios"]
DATA = ["usr/share/qemu", "usr/share/seabios"]


def version(program):
    """(major, minor), or None when it does not run."""
    try:
        run = subprocess.run([program, "--version"], capture_output=True, text=True)
    except OSError:
        return None
    found = re.search(r"version (\d+)\.(\d+)", run.stdout)
    return (int(found[1]), int(found[2])) if found else None


def good(program):
    return (version(program) or (0, 0)) >= GOOD


def unpack(kind, directory):
    """The backports' packages, in `directory`/root, which appears whole or not at all."""
    suite = platform.freedesktop_os_release()["VERSION_CODENAME"] + "-backports"
    say(f"{kind.program} of this machine is older than {GOOD[0]}.{GOOD[1]}: fetching that of {suite}")
    apt = Apt(directory / "apt", suite, host_arch())
    apt.update()
    with tempfile.TemporaryDirectory(dir=directory, prefix=".fetch") as scratch:
        debs, tree = Path(scratch, "debs"), Path(scratch, "tree")
        debs.mkdir()
        apt.download([kind.package, *SHARED], debs)
        for deb in sorted(debs.glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", deb, tree], check=True)
        if not good(tree / "usr/bin" / kind.program):
            raise LabError(f"{suite}: its {kind.program} does not run here")
        tree.rename(directory / "root")


def newer(kind):
    """Its command; LabError when there is none to be had."""
    directory = KERNELS / kind.package
    root = directory / "root"
    with locked(KERNELS / f".{kind.package}.lock"):
        if not root.is_dir():
            unpack(kind, directory)
    return [str(root / "usr/bin" / kind.program), *(word for data in DATA for word in ("-L", str(root / data)))]


@functools.cache
def command(arch):
    """The first words of a QEMU command for guests of this architecture."""
    kind = KINDS[arch]
    if good(kind.program):
        return [kind.program]
    try:
        return newer(kind)
    except (LabError, OSError, KeyError, subprocess.CalledProcessError) as error:
        if not shutil.which(kind.program):
            raise LabError(f"{kind.program} is not there: run `make deps`") from error
        say(f"{error}: going on with this machine's own, whose guests hang now and then")
        return [kind.program]
