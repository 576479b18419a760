# SPDX-License-Identifier: GPL-2.0-or-later
"""The agent and the workloads: build them when their sources are newer. `make` builds the project itself."""

import os
import subprocess

from .arch import ARCHES, host_arch
from .paths import LAB_BUILD, ROOT, LabError, locked, out


def environment(arch):
    """The environment without the variables that a calling `make` sets for its own children."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name != "MFLAGS"}
    mine.update(ARCH=ARCHES[arch].folder, OUT=str(out(arch).relative_to(ROOT)))
    if arch != host_arch():
        mine["CROSS_COMPILE"] = f"{ARCHES[arch].triple}-"
    return mine


def make(target, arch):
    with locked(LAB_BUILD / ".make.lock"):
        run = subprocess.run(["make", "-s", "-C", ROOT, target], capture_output=True, text=True, env=environment(arch))
    if run.returncode:
        raise LabError(f"make {target}: {run.stderr.strip()}")


def build(arch):
    make("lab", arch)


def built(name, arch):
    """The path of a program below build/, after `make` built it.  There is no file if `make` has no rule for this architecture."""
    file = out(arch) / name
    make(file.relative_to(ROOT), arch)
    return file


def plugin(name, arch):
    """The plugin of QEMU from tests/vm/plugin, for guests of that architecture."""
    file = out(arch) / f"vm/{name}.so"
    make(file.relative_to(ROOT), arch)
    return file
