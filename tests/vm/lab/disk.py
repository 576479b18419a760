# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's disk: an ext4 file system made without root. Each guest writes to its own snapshot."""

import subprocess

from .paths import LAB_BUILD, LabError, locked

SIZE = "256M"


def template():
    path = LAB_BUILD / f"disk-{SIZE}.img"
    if not path.is_file():
        with locked(LAB_BUILD / ".disk.lock"):
            if not path.is_file():
                make(path)
    return path


def make(path):
    scratch = path.with_suffix(".part")
    scratch.unlink(missing_ok=True)
    try:
        subprocess.run(["/sbin/mke2fs", "-q", "-t", "ext4", "-L", "lab", scratch, SIZE], check=True,
                       stdout=subprocess.DEVNULL)
    except FileNotFoundError as error:
        raise LabError("mke2fs is not there: run `make deps`") from error
    scratch.rename(path)
