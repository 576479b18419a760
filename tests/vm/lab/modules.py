# SPDX-License-Identifier: GPL-2.0-or-later
"""The distribution's modules that a guest needs, with their dependencies."""

import lzma
import subprocess
from pathlib import Path

from .paths import LabError

# The modules of the channel to the host.
CHANNEL = ["virtio_pci", "virtio_console"]
DISK = ["virtio_blk", "ext4"]


def module_name(path):
    return Path(path).name.split(".")[0].replace("-", "_")


def plain_name(name):
    """The name of a module, or its path, when it is decompressed."""
    return name.removesuffix(".xz").removesuffix(".zst")


def before(words):
    """For a softdep line such as `pre: crypto-crc32c post: qux`: the modules to load first."""
    words = words[words.index("pre:") + 1:] if "pre:" in words else []
    return words[:words.index("post:")] if "post:" in words else words


def unpacked(path):
    """The bytes of a module, decompressed: the guest's insmod may not be able to do that."""
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
        for line in self._lines("modules.dep"):
            path, _, needs = line.partition(":")
            self._needs[module_name(path)] = [path, *needs.split()]
        self._builtin = {module_name(path) for path in self._lines("modules.builtin")}
        self._soft = {module: before(words) for _, module, *words in self._rows("modules.softdep")}
        self._aliases = {}
        for _, alias, module in self._rows("modules.alias"):
            self._aliases.setdefault(alias, []).append(module)

    def _lines(self, name):
        return (self.root / name).read_text().splitlines()

    def _rows(self, name):
        """The words of each line that is not a comment."""
        return [line.split() for line in self._lines(name) if not line.startswith("#")]

    def order(self, names):
        """Paths, relative to root, in the order in which to load the modules."""
        order = []
        for name in names:
            name = name.replace("-", "_")
            if name in self._builtin:
                continue
            if name not in self._needs:
                raise LabError(f"the kernel in {self.root} has no module {name}")
            self._append(order, name)
        return order

    def _append(self, order, name):
        """Append a module, after everything that it needs or that the kernel would ask modprobe for."""
        for path in reversed(self._needs[name]):
            if path in order:
                continue
            for soft in filter(None, map(self._provider, self._soft.get(module_name(path), []))):
                self._append(order, soft)
            order.append(path)

    def _provider(self, name):
        """The module that provides an algorithm on any CPU (ext4 needs crypto-crc32c); None: no module is
        needed.
        """
        generic = f"{name.removeprefix('crypto-')}_generic".replace("-", "_")
        if generic in self._builtin:
            return None
        found = [m for m in (name.replace("-", "_"), generic, *self._aliases.get(name, [])) if m in self._needs]
        return found[0] if found else None

    def read(self, path):
        return unpacked(self.root / path)
