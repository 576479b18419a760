# SPDX-License-Identifier: GPL-2.0-or-later
"""The QEMU that runs the guests: this machine's own, or a newer one from the distribution's backports.

If QEMU has a thread for each CPU, it may continue to run text that another CPU has patched. A CPU then
executes an int3 again and again that no longer exists, and keeps its locks. There are two causes:

  * Before QEMU 8.1, translations were made from pages that were not locked. The commit "accel/tcg: Always lock
    pages before translation" fixed that. Kernels patch themselves at boot and when a static tracepoint is
    switched, so they sometimes hung.
  * One gap is left. A store to translated text invalidates the translation before the store is done
    (notdirty_write() in QEMU's accel/tcg/cputlb.c). A CPU that reaches the text in between translates the old
    text. A million ioctls that set and remove tracepoints were enough to hit this gap.

Therefore the CPUs of a guest take turns in one thread, unless --parallel is given. --parallel is for tests
of writers on several CPUs, not for tests of patching.

On arm64 each CPU always has a thread. There a CPU that patches tells all other CPUs to flush the address
(tlbi). In one thread it would lose its turn each time: 100 ms for each patched instruction while other CPUs
are busy. Kernels take such delays for stalls.

An old QEMU is used only if there is no newer one. The newer one is unpacked beside the kernels; it is not
installed.
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
# Packages that all kinds of QEMU need.
SHARED = ["qemu-system-common", "qemu-system-data", "seabios"]
DATA = ["usr/share/qemu", "usr/share/seabios"]


def version(program):
    """(major, minor), or None if the program does not run."""
    try:
        run = subprocess.run([program, "--version"], capture_output=True, text=True)
    except OSError:
        return None
    found = re.search(r"version (\d+)\.(\d+)", run.stdout)
    return (int(found[1]), int(found[2])) if found else None


def good(program):
    return (version(program) or (0, 0)) >= GOOD


def unpack(kind, directory):
    """Unpack the packages of the backports into `directory`/root, which appears when it is complete."""
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
    """The command of the newer QEMU; LabError if there is none."""
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
