# SPDX-License-Identifier: GPL-2.0-or-later
"""Paths, messages, and files that appear when they are complete."""

import contextlib
import fcntl
import os
import sys
import tempfile
from pathlib import Path

from .arch import ARCHES, host_arch

VM = Path(__file__).resolve().parent.parent
ROOT = VM.parent.parent
BUILD = ROOT / "build"
LAB_BUILD = BUILD / "vm"
# Several clones can share one cache of kernels.
KERNELS = Path(os.environ.get("KTRACE_KERNELS") or BUILD / "kernels")


def out(arch):
    """The folder for make's results for an architecture; another architecture than this machine's has its own.
    """
    return BUILD if arch == host_arch() else BUILD / ARCHES[arch].folder


class LabError(Exception):
    """The lab lacks something; the text says what to do."""


def say(text):
    print(f"# {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def locked(path):
    """Hold an exclusive lock on this file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write_whole(path, data):
    """Write a file so that a reader sees either all of it or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd, name = tempfile.mkstemp(dir=path.parent, prefix="." + path.name)
    try:
        with os.fdopen(fd, "wb") as out:
            out.write(data)
        os.chmod(name, 0o644)
        os.rename(name, path)
    except BaseException:
        os.unlink(name)
        raise
