# SPDX-License-Identifier: GPL-2.0-or-later
"""The index of a kernel's debug information: a tenth of its size, and quick to open in a guest."""

import os
import shutil
import subprocess

from .paths import BUILD, LAB_BUILD, LabError, locked, say

# ktrace searches for it there: the guest's root has this home directory.
IN_GUEST = "root/.cache/ktrace/index"


def index(kernel):
    """The file, named by the build id. It is made again if the debug information or the program is newer."""
    vmlinux, program = kernel.debug_if_here, BUILD / "ktrace"
    if not vmlinux:
        row = kernel.row
        raise LabError(f"--debug-info: that of {kernel.release} is not in the cache: "
                       f"`tests/vm/kernel debug {row.generation} {row.arch}` fetches it")
    if not program.is_file():
        raise LabError(f"--debug-info: {program} is missing: run `make controller`")
    home = LAB_BUILD / f"debug-{kernel.row.name}"
    with locked(LAB_BUILD / ".debug.lock"):
        made = next(home.glob("ktrace/index/*.index"), None)
        if not made or made.stat().st_mtime < max(p.stat().st_mtime for p in (vmlinux, program)):
            shutil.rmtree(home, ignore_errors=True)
            made = make(kernel, program, vmlinux, home)
    return made


def make(kernel, program, vmlinux, home):
    say(f"kernel {kernel.row.name}: indexing its debug information")
    run = subprocess.run([program, "-q", "index", vmlinux], env={**os.environ, "XDG_CACHE_HOME": str(home)},
                         stderr=subprocess.PIPE, text=True)
    made = next(home.glob("ktrace/index/*.index"), None)
    if run.returncode or not made:
        shutil.rmtree(home, ignore_errors=True)
        raise LabError(f"ktrace index {vmlinux}: {run.stderr.strip()}")
    return made
