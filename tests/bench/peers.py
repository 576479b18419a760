# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's bpftrace and perf for a guest: unpacked from their packages beside the kernels, nothing is installed."""

import platform

from lab import tools
from lab.apt import Apt
from lab.arch import ARCHES, host_arch
from lab.initramfs import asked_for
from lab.paths import KERNELS, locked, say

PACKAGES = ["bpftrace", "linux-perf"]
PROGRAMS = ["bpftrace", "perf"]
# In the guest, apart from what ktrace itself was linked with.
PLACE = "/peers"


def root():
    """The directory of the packages and all that they depend on, fetched when it is not there."""
    suite = platform.freedesktop_os_release()["VERSION_CODENAME"]
    directory = KERNELS / f"peers-{suite}"
    with locked(KERNELS / ".peers.lock"):
        if not (directory / "root").is_dir():
            say(f"fetching {' and '.join(PACKAGES)} of {suite}, and what they need")
            apt = Apt(directory / "apt", suite, host_arch())
            apt.update()
            tools.unpack(apt, PACKAGES, directory / "root")
    return directory / "root"


def library(tree, name):
    """Of a library's name, or of the loader's, which is a path."""
    triple = ARCHES[host_arch()].triple
    name = name.rpartition("/")[2]
    return next(p for d in ("lib", "usr/lib") if (p := tree / d / triple / name).exists())


def libraries(tree, program):
    """What a program is linked with, by name."""
    found, names = {}, asked_for(program)
    while names:
        path = library(tree, names.pop())
        if path.name not in found:
            found[path.name] = path
            names += asked_for(path)
    return found


def puts():
    """The words for tests/vm/run that bring the programs: `PLACE/run PROGRAM ...` is then one of them."""
    tree, files = root(), {}
    for name in PROGRAMS:
        program = tree / "usr/bin" / name
        files[name] = program
        files |= {f"lib/{n}": p for n, p in libraries(tree, program).items()}
    return [word for name, path in files.items() for word in ("--put", f"{path.resolve()}:{PLACE}/{name}")]
