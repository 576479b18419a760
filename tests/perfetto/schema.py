# SPDX-License-Identifier: GPL-2.0-or-later
"""Perfetto's schema as its Python package has it. pip fetches the package once and checks its hash; nothing is
installed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements.txt"
CACHE = Path(os.environ.get("KTRACE_KERNELS") or HERE.parent.parent / "build/kernels") / "perfetto"


class Unavailable(Exception):
    """The schema cannot be had here; the text says why."""


def fetch(folder):
    run = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
                          "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", REQUIREMENTS, "-d", folder],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        last = (run.stdout.strip().splitlines() or ["it failed"])[-1]
        raise Unavailable(f"Perfetto's schema from PyPI: {last}")


def unpack():
    """The folder with the unpacked packages, for these requirements and this Python."""
    CACHE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE.parent) as temp:
        fetch(temp)
        whole = Path(temp, "whole")
        for wheel in sorted(Path(temp).glob("*.whl")):
            zipfile.ZipFile(wheel).extractall(whole)
        shutil.copy(REQUIREMENTS, whole / "requirements.txt")
        shutil.rmtree(CACHE, ignore_errors=True)
        whole.rename(CACHE)


def load():
    """The module with all messages. Unavailable: there is no pip, no network, ..."""
    have = CACHE / "requirements.txt"
    if not have.is_file() or have.read_bytes() != REQUIREMENTS.read_bytes():
        unpack()
    sys.path.insert(0, str(CACHE))
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    return perfetto_trace_pb2
