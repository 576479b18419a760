# SPDX-License-Identifier: GPL-2.0-or-later
"""The architectures, by Debian's names for them."""

import os
import platform
from typing import NamedTuple


class Arch(NamedTuple):
    folder: str  # below arch/, and make's ARCH
    triple: str  # of the tool chain

    @property
    def compiler(self):
        """The architecture's name in compiler packages."""
        return self.triple.replace("_", "-")


ARCHES = {
    "amd64": Arch("x86", "x86_64-linux-gnu"),
    "arm64": Arch("arm64", "aarch64-linux-gnu"),
}


def default_arch():
    """The architecture of the environment variable ARCH, which make sets to a folder's name; otherwise this
    machine's.
    """
    named = [name for name, arch in ARCHES.items() if arch.folder == os.environ.get("ARCH")]
    return named[0] if named else host_arch()


def host_arch():
    return {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
