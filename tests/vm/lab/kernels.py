# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel images, headers and debug images: find, fetch, unpack and cache them.

build/kernels/GENERATION-ARCH/resolved names the packages. RELEASE_VERSION/ beside it has one directory for
each part (image, headers, debug), which appears by rename when it is complete.
"""

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import table, tools
from .apt import Apt
from .arch import host_arch
from .paths import KERNELS, LabError, locked, say, write_whole

PARTS = ("image", "headers", "debug")


def resolve(apt, row):
    """Ask the archive which packages make up the kernel that the meta package stands for now. Headers and debug image
    are those of the same release: while an update reaches the archive, meta packages of these name another for days.
    """
    image = only(apt.depends(row.image), r"linux-image-\d", row.image)
    release = image.removeprefix("linux-image-")
    if not release.startswith(row.version + "."):
        say(f"{row.suites} now has {release} where {row.version} is expected")
    packages = {"image": image, "headers": f"linux-headers-{release}", "debug": f"linux-image-{release}-dbg"}
    return {"release": release, "version": apt.version(image),
            **{part: [f"{p}={apt.version(p)}" for p in with_siblings(apt, package)] for part, package in packages.items()}}


def with_siblings(apt, package):
    """A package and the packages with other parts of the same kernel: newer kernels are split into more
    packages.
    """
    found = [p for p in apt.depends(package) if re.match(r"linux-(base|binary|modules|headers|kbuild)-\d", p)]
    # The programs of kbuild run on the building machine.
    return [package, *(f"{p.split(':')[0]}:{host_arch()}" if "kbuild" in p else p for p in found)]


def only(packages, pattern, meta):
    for package in packages:
        if re.match(pattern, package):
            return package
    raise LabError(f"{meta} depends on no package like {pattern}")


class Kernel:
    # What its guests need: more memory than usual, so many times the usual time, a search for leaks at the end.
    mem, slow, leaks = "0", 1, False

    def __init__(self, generation, arch="amd64"):
        self.row = table.find(generation, arch)
        self.dir = KERNELS / self.row.name
        self._lock = KERNELS / f".{self.row.name}.lock"
        self._apt = Apt(self.dir / "apt", self.row.suites, self.row.arch)
        self._read()

    def _read(self):
        try:
            self._resolved = json.loads((self.dir / "resolved").read_text())
        except FileNotFoundError:
            self._resolved = None

    @property
    def resolved(self):
        if not self._resolved:
            with locked(self._lock):
                self._read()
                if not self._resolved:
                    self._update()
        return self._resolved

    def _update(self):
        say(f"kernel {self.row.name}: asking the archive ({self.row.suites})")
        self._apt.update()
        self._resolved = resolve(self._apt, self.row)
        write_whole(self.dir / "resolved", json.dumps(self._resolved, indent=1).encode())

    def update(self):
        """Change to the newest release of the archive: fetch it, and remove the one that it replaces."""
        with locked(self._lock):
            self._read()
            had = [p for p in PARTS if self._resolved and (self.tree / p).is_dir()]
            self._update()
            for old in self.dir.iterdir():
                if ("_" in old.name and old != self.tree) or old.name.startswith("tools-"):
                    shutil.rmtree(old)
        for part in had or PARTS[:2]:
            self.part(part)

    @property
    def release(self):
        return self.resolved["release"]

    @property
    def version(self):
        return self.resolved["version"]

    @property
    def tree(self):
        return self.dir / f"{self.release}_{self.version.replace(':', '_')}"

    def part(self, part):
        """The directory that has a part; fetch the part if it is missing."""
        if not (self.tree / part).is_dir():
            with locked(self._lock):
                self._read()
                if not (self.tree / part).is_dir():
                    self._fetch(part)
        return self.tree / part

    def _fetch(self, part):
        try:
            self._download(part)
        except LabError:
            # The next security update removes the old version from the archive.
            self._update()
            self._download(part)

    def _download(self, part):
        say(f"kernel {self.row.name}: fetching {' '.join(self.resolved[part])}")
        self.tree.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.dir, prefix=".fetch") as scratch:
            debs, tree = Path(scratch, "debs"), Path(scratch, "tree")
            debs.mkdir()
            self._apt.download(self.resolved[part], debs)
            for deb in sorted(debs.glob("*.deb")):
                subprocess.run(["dpkg-deb", "-x", deb, tree], check=True)
            FINISH[part](tree, self.release)
            tree.rename(self.tree / part)

    @property
    def tools(self):
        """The root directory in which to compile for this kernel; None: compile on this machine."""
        if tools.are_here(self.headers, self.row.arch):
            return None
        root = self.dir / f"tools-{tools.package(self.headers, self.row.arch)}"
        with locked(self._lock):
            if not root.is_dir():
                say(f"kernel {self.row.name}: fetching {root.name.removeprefix('tools-')} and what it needs")
                kbuild = next(p for p in self.resolved["headers"] if "kbuild" in p).split("=")[0]
                # If the lists are older than the archive, they name packages that no longer exist.
                self._apt.update()
                tools.make_root(self._apt.on_host(), root.name.removeprefix("tools-"), kbuild, root)
        return root

    @property
    def vmlinuz(self):
        return self._boot_file("vmlinuz")

    @property
    def config(self):
        return self._boot_file("config")

    def _boot_file(self, name):
        """Newer packages have this file beside the modules."""
        old = self.part("image") / f"boot/{name}-{self.release}"
        return old if old.is_file() else self.modules / name

    @property
    def modules(self):
        """The directory /lib/modules/RELEASE of the image."""
        return module_root(self.part("image")) / "lib/modules" / self.release

    @property
    def headers(self):
        """The directory for `make -C` in a module build."""
        return self.part("headers") / f"usr/src/linux-headers-{self.release}"

    @property
    def debug(self):
        """The vmlinux with debug information."""
        return self.part("debug") / f"usr/lib/debug/boot/vmlinux-{self.release}"

    @property
    def debug_if_here(self):
        """The same, or None if it is not in the cache."""
        return self.debug if (self.tree / "debug").is_dir() else None

    def __str__(self):
        return f"{self.release} ({self.version})"


def module_root(tree):
    """Newer packages put /lib/modules under /usr."""
    return tree if (tree / "lib/modules").is_dir() else tree / "usr"


def finish_image(tree, release):
    subprocess.run(["/sbin/depmod", "-b", module_root(tree), release], check=True)


def finish_headers(tree, release):
    """The Makefile of the headers uses absolute paths: replace them by paths relative to its own directory."""
    makefile = tree / f"usr/src/linux-headers-{release}/Makefile"
    text = makefile.read_text()
    beside = "$(realpath $(dir $(lastword $(MAKEFILE_LIST)))/..)"
    makefile.write_text(re.sub(r"^(include |KBUILD_OUTPUT *:?= *)/usr/src/", rf"\1{beside}/", text, flags=re.M))


def finish_debug(tree, release):
    """Keep only the debug information of the kernel itself: that of its 4,000 modules takes several GB."""
    for modules in list((tree / "usr/lib/debug").glob(f"**/lib/modules/{release}/kernel")):
        shutil.rmtree(modules)


FINISH = {"image": finish_image, "headers": finish_headers, "debug": finish_debug}
