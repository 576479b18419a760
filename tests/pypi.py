# SPDX-License-Identifier: GPL-2.0-or-later
"""Packages of PyPI for a test. pip fetches them once and checks their hashes; they are kept unpacked beside the kernels, and
nothing is installed.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

CACHE = Path(os.environ.get("KTRACE_KERNELS") or Path(__file__).resolve().parents[1] / "build/kernels")


class Unavailable(Exception):
    """A package cannot be had here; the text says why."""


def fetch(requirements, folder):
    run = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                          "--no-build-isolation", "--require-hashes", "-r", requirements, "-d", folder],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        last = (run.stdout.strip().splitlines() or ["it failed"])[-1]
        why = "PyPI cannot be reached" if "connection broken" in run.stdout else f"pip: {last}"
        raise Unavailable(f"the packages for tests/{requirements.parent.name}: {why}")


def unpack_sources(path, whole, temp):
    """An archive of sources has one folder at its top, which is left out here."""
    with tarfile.open(path) as tar:
        tar.extractall(temp / "sources")
    for top in (temp / "sources").iterdir():
        shutil.copytree(top, whole, dirs_exist_ok=True)
    shutil.rmtree(temp / "sources")


def unpack(requirements, cache):
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        temp = Path(name)
        whole = temp / "whole"
        whole.mkdir()
        fetch(requirements, temp)
        for wheel in sorted(temp.glob("*.whl")):
            zipfile.ZipFile(wheel).extractall(whole)
        for sources in sorted(temp.glob("*.tar.gz")):
            unpack_sources(sources, whole, temp)
        shutil.copy(requirements, whole / "requirements.txt")
        shutil.rmtree(cache, ignore_errors=True)
        whole.rename(cache)


def unpacked(requirements):
    """The folder with the packages of this requirements.txt; it is named after the folder of that file. Unavailable: there is
    no pip, no network, ...
    """
    cache = CACHE / requirements.parent.name
    have = cache / "requirements.txt"
    if not have.is_file() or have.read_bytes() != requirements.read_bytes():
        unpack(requirements, cache)
    return cache
