# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's bpftrace and perf for a guest. They are unpacked beside the kernels; nothing is installed."""

import platform

from lab import tools
from lab.apt import Apt
from lab.arch import ARCHES, host_arch
from lab.initramfs import asked_for
from lab.paths import KERNELS, locked, say

PACKAGES = ["bpftrace", "linux-perf"]
PROGRAMS = ["bpftrace", "perf"]
# Their directory in the guest, separate from the libraries of ktrace.
PLACE = "/peers"


def root():
    """The directory with the packages and all their dependencies; they are fetched if it is missing."""
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
    """The file of a library, given its name, or of the loader, given its path."""
    triple = ARCHES[host_arch()].triple
    name = name.rpartition("/")[2]
    return next(p for d in ("lib", "usr/lib") if (p := tree / d / triple / name).exists())


def libraries(tree, program):
    """The names of the libraries that a program is linked with."""
    found, names = {}, asked_for(program)
    while names:
        path = library(tree, names.pop())
        if path.name not in found:
            found[path.name] = path
            names += asked_for(path)
    return found


def puts():
    """Options of tests/vm/run that bring the programs into the guest; there `PLACE/run PROGRAM ...` runs one.
    """
    tree, files = root(), {}
    for name in PROGRAMS:
        program = tree / "usr/bin" / name
        files[name] = program
        files |= {f"lib/{n}": p for n, p in libraries(tree, program).items()}
    return [word for name, path in files.items() for word in ("--put", f"{path.resolve()}:{PLACE}/{name}")]
