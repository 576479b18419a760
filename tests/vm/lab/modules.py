# SPDX-License-Identifier: GPL-2.0-or-later
"""The distribution's own modules that a guest needs, with what they depend on."""

import lzma
import subprocess
from pathlib import Path

from .paths import LabError

# What carries the channel to the host.
CHANNEL = ["virtio_pci", "virtio_console"]
DISK = ["virtio_blk", "ext4"]


def module_name(path):
    return Path(path).name.split(".")[0].replace("-", "_")


def plain_name(name):
    """The name of a module, or its path, once it is unpacked."""
    return name.removesuffix(".xz").removesuffix(".zst")


def unpacked(path):
    """The bytes of a module: the guest's insmod need not know how to unpack it."""
    data = path.read_bytes()
    if path.suffix == ".xz":
        return lzma.decompress(data)
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


class Modules:
    """The modules of one kernel, by name."""

    def __init__(self, root):
        self.root = root
        self._needs = {}
        for line in (root / "modules.dep").read_text().splitlines():
            path, _, needs = line.partition(":")
            self._needs[module_name(path)] = [path, *needs.split()]
        builtin = (root / "modules.builtin").read_text().split()
        self._builtin = {module_name(path) for path in builtin}

    def order(self, names):
        """Paths, relative to root, in the order in which to load them."""
        order = []
        for name in names:
            name = name.replace("-", "_")
            if name in self._builtin:
                continue
            if name not in self._needs:
                raise LabError(f"the kernel in {self.root} has no module {name}")
            for path in reversed(self._needs[name]):
                if path not in order:
                    order.append(path)
        return order

    def read(self, path):
        return unpacked(self.root / path)
