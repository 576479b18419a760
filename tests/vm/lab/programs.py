# SPDX-License-Identifier: GPL-2.0-or-later
"""The agent and the workloads, built when their sources are newer; the project itself is built by `make`."""

import os
import subprocess

from .arch import ARCHES, host_arch
from .paths import LAB_BUILD, ROOT, LabError, locked, out


def environment(arch):
    """This program's surroundings, but for what a `make` that has started it tells its own children."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name != "MFLAGS"}
    mine.update(ARCH=ARCHES[arch].folder, OUT=str(out(arch).relative_to(ROOT)))
    if arch != host_arch():
        mine["CROSS_COMPILE"] = f"{ARCHES[arch].triple}-"
    return mine


def build(arch):
    with locked(LAB_BUILD / ".make.lock"):
        run = subprocess.run(["make", "-s", "-C", ROOT, "lab"], capture_output=True, text=True, env=environment(arch))
    if run.returncode:
        raise LabError(f"make lab: {run.stderr.strip()}")
