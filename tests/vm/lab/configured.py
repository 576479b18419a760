# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels that the lab builds: Debian's source with another configuration, such as 6.1+kasan.

A fragment, tests/vm/configs/NAME or tests/vm/debug/NAME, says what differs from Debian's configuration of the cloud kernel, and its
head for which guests it is:

    # what: one line about it
    # mem: 2G           the memory that a guest needs, if that is more than usual
    # slow: 5           how many times as long a guest takes

build/kernels/GENERATION+NAME-ARCH/KEY has image and build directory; KEY follows from everything that the result depends on. Drivers that
no guest has are left out (tests/vm/configs/common), so that two CPUs build a kernel in a quarter of an hour.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .apt import Apt
from .arch import ARCHES, host_arch
from .kernels import Kernel
from .paths import KERNELS, VM, LabError, locked, say

FOLDERS = ("configs", "debug")
COMMON = VM / "configs/common"
# Modules of Debian's configuration that the lab or a case loads: the others are not built.
LOADED = ["virtio_pci", "virtio_console", "virtio_blk", "ext4", "crc32c_generic", "loop", "dummy", "brd", "overlay", "fuse", "nf_conntrack"]
SETTING = re.compile(r"^(?:(CONFIG_\w+)=(.+)|# (CONFIG_\w+) is not set)$", re.M)


def kernel(generation, arch):
    """A kernel of tests/vm/kernels, or of it with the configuration behind the plus sign."""
    return Configured(generation, arch) if "+" in generation else Kernel(generation, arch)


def fragment(name):
    for folder in FOLDERS:
        path = VM / folder / name
        if path.is_file() and path != COMMON:
            return path
    known = sorted(p.name for folder in FOLDERS for p in (VM / folder).iterdir() if p != COMMON)
    raise LabError(f"no configuration {name}: take one of {', '.join(known)}")


def head(text):
    """The values in a fragment's first lines."""
    return dict(re.findall(r"^# (what|mem|slow|arch): (.+)$", text, re.M))


def settings(text):
    return {on or off: value or "n" for on, value, off in SETTING.findall(text)}


class Source:
    """Debian's source of a kernel, unpacked."""

    def __init__(self, base):
        row = base.row
        self.package = f"linux-source-{row.version}"
        self.apt = Apt(base.dir / "apt", row.suites, row.arch)
        self.version = base.version
        self.dir = KERNELS / f"source-{self.version}"

    def tree(self):
        with locked(KERNELS / f".source-{self.version}.lock"):
            if not self.dir.is_dir():
                self._fetch()
        return self.dir

    def _fetch(self):
        say(f"fetching {self.package}={self.version}")
        self.apt.update()
        with tempfile.TemporaryDirectory(dir=KERNELS, prefix=".source") as scratch:
            debs = Path(scratch, "debs")
            debs.mkdir()
            self.apt.download([f"{self.package}={self.version}"], debs)
            subprocess.run(["dpkg-deb", "-x", next(debs.glob("*.deb")), scratch], check=True)
            packed = next(Path(scratch, "usr/src").glob("linux-source-*.tar.*"))
            tree = Path(scratch, "tree")
            tree.mkdir()
            subprocess.run(["tar", "xf", packed, "-C", tree, "--strip-components=1"], check=True)
            tree.rename(self.dir)


class Configured(Kernel):
    def __init__(self, generation, arch):
        of, _, self.name = generation.partition("+")
        self.base = Kernel(of, arch)
        self.row = self.base.row._replace(generation=generation)
        self.dir = KERNELS / self.row.name
        self.folder = fragment(self.name).parent.name
        self.text = fragment(self.name).read_text()
        self.head = head(self.text)
        self.mem, self.slow = self.head.get("mem", "0"), float(self.head.get("slow", 1))
        self.leaks = settings(self.text).get("CONFIG_DEBUG_KMEMLEAK") == "y"
        if arch not in self.head.get("arch", arch).split():
            raise LabError(f"{self.name} is a configuration for {self.head['arch']} alone")
        self.source = Source(self.base)

    @property
    def version(self):
        return self.base.version

    @property
    def tree(self):
        parts = [str(self.base), self.base.config.read_text(), COMMON.read_text(), self.text, " ".join(LOADED)]
        return self.dir / hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]

    def part(self, part):
        """The directory of a part; the kernel is built if it is missing."""
        if not self.tree.is_dir():
            with locked(KERNELS / f".{self.row.name}.lock"):
                if not self.tree.is_dir():
                    self._build()
        return self.tree / part

    def update(self):
        self.base.update()

    @property
    def release(self):
        return (self.part("build") / "include/config/kernel.release").read_text().strip()

    @property
    def tools(self):
        return None

    @property
    def headers(self):
        return self.part("build")

    @property
    def debug(self):
        return self.part("build") / "vmlinux"

    debug_if_here = debug

    def _build(self):
        self.dir.mkdir(parents=True, exist_ok=True)
        building = self.dir / "building"
        shutil.rmtree(building, ignore_errors=True)
        Build(self, self.source.tree(), building).run()
        for old in self.dir.iterdir():
            if old != building:
                shutil.rmtree(old) if old.is_dir() else old.unlink()
        building.rename(self.tree)
        # The Makefile of a build directory names itself by its absolute path.
        makefile = self.tree / "build/Makefile"
        makefile.write_text(makefile.read_text().replace(str(building), str(self.tree)))


class Build:
    """One build: configure, make, install, and forget the objects."""

    def __init__(self, kernel, source, to):
        self.kernel, self.source, self.to = kernel, source, to
        self.objects = to / "build"
        self.log = kernel.dir.parent / f"{kernel.row.name}.log"
        arch = kernel.row.arch
        self.words = [f"O={self.objects}", "KBUILD_BUILD_USER=lab", "KBUILD_BUILD_HOST=lab"]
        if arch != host_arch():
            self.words += [f"ARCH={ARCHES[arch].folder}", f"CROSS_COMPILE={ARCHES[arch].triple}-"]

    def make(self, *targets):
        with open(self.log, "a") as log:
            run = subprocess.run(["make", "-s", "-C", self.source, f"-j{os.cpu_count()}", *self.words, *targets], stdin=subprocess.DEVNULL,
                                 stdout=log, stderr=log, env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "ARCH")})
        if run.returncode:
            raise LabError(f"kernel {self.kernel.row.name}: `make {' '.join(targets)}` failed, see {self.log}")

    def configure(self):
        config = self.objects / ".config"
        self.objects.mkdir(parents=True)
        shutil.copy(self.kernel.base.config, config)
        loaded = self.to / "lsmod"
        loaded.write_text("Module Size Used by\n" + "".join(f"{name} 1 0\n" for name in LOADED))
        self.make("olddefconfig")
        self.make(f"LSMOD={loaded}", "localmodconfig")
        with config.open("a") as file:
            file.write(COMMON.read_text() + self.kernel.text + f'CONFIG_LOCALVERSION="-{self.kernel.name}"\n')
        self.make("olddefconfig")
        self.check(settings(config.read_text()))

    def check(self, became):
        """Each setting of the fragment must hold, or the kernel would be another one than its name says."""
        missed = [f"{name}={value}" for name, value in settings(self.kernel.text).items() if became.get(name, "n") != value]
        if missed:
            raise LabError(f"kernel {self.kernel.row.name}: its configuration cannot have {', '.join(missed)}")

    def run(self):
        self.log.unlink(missing_ok=True)
        say(f"kernel {self.kernel.row.name}: building it takes 10 to 30 minutes; what make says is in {self.log}")
        self.configure()
        self.make()
        self.make(f"INSTALL_MOD_PATH={self.to}/image", "INSTALL_MOD_STRIP=1", "modules_install")
        self.finish()

    def finish(self):
        release = (self.objects / "include/config/kernel.release").read_text().strip()
        boot = self.to / "image/boot"
        boot.mkdir()
        shutil.copy(self.objects / IMAGE[self.kernel.row.arch], boot / f"vmlinuz-{release}")
        shutil.copy(self.objects / ".config", boot / f"config-{release}")
        for link in ("build", "source"):
            (self.to / f"image/lib/modules/{release}" / link).unlink(missing_ok=True)
        for path in self.objects.rglob("*"):
            if path.suffix in (".o", ".a", ".ko", ".cmd") and not needed(path.relative_to(self.objects)):
                path.unlink()


IMAGE = {"amd64": "arch/x86/boot/bzImage", "arm64": "arch/arm64/boot/Image.gz"}


def needed(path):
    """Programs of the build stay as they are, with the notes by which make knows that they are up to date."""
    return path.parts[0] in ("scripts", "tools")
