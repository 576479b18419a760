# SPDX-License-Identifier: GPL-2.0-or-later
"""The names in the cases: @NAME@ stands for a line of tests/vm/arch/FOLDER/names."""

import re

from .arch import ARCHES
from .paths import VM, LabError


def folder(arch):
    """The files in /lab/arch of a guest of this architecture."""
    return VM / "arch" / ARCHES[arch].folder


def names(arch):
    lines = (folder(arch) / "names").read_text().splitlines()
    return dict(re.split(r"\s+", line, maxsplit=1) for line in lines if line and not line.startswith("#"))


def replaced(arch, text):
    known = names(arch)
    unknown = set(re.findall(r"@(\w+)@", text)) - set(known)
    if unknown:
        raise LabError(f"tests/vm/arch has no {', '.join(sorted(unknown))} for {arch}")
    return re.sub(r"@(\w+)@", lambda found: known[found[1]], text)


def sed_script(arch):
    """The same names as a sed script."""
    meant = {name: re.sub(r"([&/\\])", r"\\\1", value) for name, value in names(arch).items()}
    return "".join(f"s/@{name}@/{value}/g\n" for name, value in meant.items())
