# SPDX-License-Identifier: GPL-2.0-or-later
"""What stands for what in the cases: @NAME@ is what tests/vm/arch/FOLDER/names has for the architecture."""

import re

from .arch import ARCHES
from .paths import VM, LabError


def folder(arch):
    """The files that an architecture's guests find in /lab/arch."""
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
    """The same for sed."""
    meant = {name: re.sub(r"([&/\\])", r"\\\1", value) for name, value in names(arch).items()}
    return "".join(f"s/@{name}@/{value}/g\n" for name, value in meant.items())
