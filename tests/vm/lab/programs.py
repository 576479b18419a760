# SPDX-License-Identifier: GPL-2.0-or-later
"""The agent and the workloads, built when their sources are newer; the project itself is built by `make`."""

import os
import subprocess

from .paths import LAB_BUILD, ROOT, LabError, locked


def environment():
    """This program's surroundings, but for what a `make` that has started it tells its own children."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name != "MFLAGS"}


def build():
    with locked(LAB_BUILD / ".make.lock"):
        run = subprocess.run(["make", "-s", "-C", ROOT, "lab"], capture_output=True, text=True, env=environment())
    if run.returncode:
        raise LabError(f"make lab: {run.stderr.strip()}")
