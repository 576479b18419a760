# SPDX-License-Identifier: GPL-2.0-or-later
"""Write an initramfs archive (cpio "newc") without root and without temporary trees."""

import io
import stat


MODES = {"tmp": 0o1777}  # modes of directories other than 0755


class Archive:
    def __init__(self):
        self._out = io.BytesIO()
        self._made = set()
        self._inode = 0

    def _entry(self, name, mode, data=b""):
        self._inode += 1
        name = name.strip("/").encode()
        fields = (self._inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        self._write(b"070701" + b"".join(b"%08X" % f for f in fields) + name + b"\0")
        self._write(data)

    def _write(self, data):
        self._out.write(data)
        self._out.write(b"\0" * (-self._out.tell() % 4))

    def directory(self, name):
        """Add a directory and its parents. The guest uses the mode of the last archive, so each gives the same mode."""
        parts = name.strip("/").split("/")
        for depth in range(1, len(parts) + 1):
            path = "/".join(parts[:depth])
            if path and path not in self._made:
                self._made.add(path)
                self._entry(path, stat.S_IFDIR | MODES.get(path, 0o755))

    def _parent(self, name):
        above = name.strip("/").rpartition("/")[0]
        if above:
            self.directory(above)

    def file(self, name, data, mode=0o644):
        self._parent(name)
        self._entry(name, stat.S_IFREG | mode, data)

    def copy(self, name, path):
        """Add a file of the host, with its permissions."""
        self.file(name, path.read_bytes(), stat.S_IMODE(path.stat().st_mode) | 0o444)

    def link(self, name, target):
        self._parent(name)
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def finish(self):
        """The complete archive. Several archives in a row are one initramfs."""
        self._entry("TRAILER!!!", 0)
        return self._out.getvalue()
