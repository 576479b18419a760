# SPDX-License-Identifier: GPL-2.0-or-later
"""Other recorders for a guest: Debian's LTTng with its modules, trace-cmd and perf; and the programs of the jobs.

They are unpacked and built beside the kernels; nothing is installed. The guest gets one archive with a root
directory, which has these programs and what they need.
"""

import os
import platform
import shutil
import subprocess
import tarfile
import tempfile
import zlib
from pathlib import Path

from lab import tools
from lab.apt import Apt
from lab.arch import ARCHES, host_arch
from lab.initramfs import asked_for
from lab.kernels import Kernel
from lab.paths import BUILD, KERNELS, ROOT, LabError, locked, say

PACKAGES = ["lttng-tools", "trace-cmd", "linux-perf", "kmod", "gcc", "make", "tar", "tcc", "libc6-dev"]
MODULES = "lttng-modules-dkms"
# Programs of the root directory, and trees that they read at run time. {triple} is the architecture's.
PROGRAMS = ["usr/bin/lttng", "usr/bin/lttng-sessiond", "usr/lib/{triple}/lttng/libexec/lttng-consumerd",
            "usr/bin/trace-cmd", "usr/bin/perf", "bin/kmod", "usr/bin/gcc", "usr/bin/as", "usr/bin/ld", "usr/bin/make",
            "bin/tar", "usr/bin/tcc"]
TREES = ["usr/lib/{triple}/tcc", "usr/include", "usr/share/lttng", "usr/share/xml/lttng"]
# The directory of gcc's own parts.
GCC = "usr/lib/gcc/{triple}/*"
# C files of this project to compile, and what they include; they are in SOURCE in the guest.
COMPILED, SOURCE = ["core", "symbols/base", "arch/x86/user"], "usr/src/ktrace"
LINKS = {"sbin/modprobe": "/bin/kmod"}
# The C library's parts that tcc links programs with.
LINKED = ["crt1.o", "crti.o", "crtn.o", "libc.so", "libc_nonshared.a"]
# This probe does not compile with the headers of Debian's cloud kernels.
WITHOUT = "lttng-probe-timer.o"


def suite():
    return platform.freedesktop_os_release()["VERSION_CODENAME"]


def unpacked():
    """The directory with the packages and all their dependencies; they are fetched if it is missing."""
    directory = KERNELS / f"recorders-{suite()}-{zlib.crc32(' '.join(PACKAGES).encode()):08x}"
    with locked(KERNELS / ".recorders.lock"):
        if not (directory / "root").is_dir():
            say(f"fetching {', '.join(PACKAGES)} of {suite()}, and what they need")
            apt = Apt(directory / "apt", suite(), host_arch())
            apt.update()
            fetch_source(apt, directory)
            tools.unpack(apt, PACKAGES, directory / "root")
    return directory


def fetch_source(apt, directory):
    """The source of LTTng's modules, without what its package depends on."""
    with tempfile.TemporaryDirectory(dir=directory, prefix=".source") as scratch:
        apt.download([MODULES], scratch)
        for deb in Path(scratch).glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", deb, directory / "source"], check=True)


def lttng_modules(kernel):
    """The directory with LTTng's modules for a kernel; they are built if it is missing."""
    source = next((unpacked() / "source/usr/src").glob("lttng-modules-*"))
    place = kernel.tree / source.name
    with locked(KERNELS / ".lttng-modules.lock"):
        if not place.is_dir():
            say(f"building {source.name} for {kernel.release}")
            with tempfile.TemporaryDirectory(dir=kernel.tree, prefix=".lttng") as scratch:
                work = Path(scratch, "work")
                shutil.copytree(source, work)
                build(kernel, work)
                collect(work, Path(scratch, "out"), place)
    return place


def build(kernel, work):
    kbuild = work / "src/probes/Kbuild"
    kept = [line for line in kbuild.read_text().splitlines() if WITHOUT not in line]
    kbuild.write_text("\n".join(kept) + "\n")
    command = ["make", "-s", f"-j{os.cpu_count()}", "-C", kernel.headers, f"M={work}/src", "CONFIG_LTTNG=m",
               "CONFIG_LTTNG_CLOCK_PLUGIN_TEST=m", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"]
    if kernel.tools:
        command = [ROOT / "mk/in-root", kernel.tools, kernel.headers, *command]
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS")}
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    if run.returncode:
        raise LabError(f"LTTng's modules: {run.stdout[-2000:]}")


def collect(work, scratch, place):
    """Keep the modules without their debug information."""
    scratch.mkdir()
    for module in work.rglob("*.ko"):
        subprocess.run(["objcopy", "--strip-debug", module, scratch / module.name], check=True)
    scratch.rename(place)


class Tree:
    """The root directory for the guest, collected from the packages."""

    def __init__(self, source, out):
        self.source = source
        self.out = out
        self.triple = ARCHES[host_arch()].triple
        self._libraries = set()

    def file(self, name):
        """Copy what a name stands for, and the libraries that it needs."""
        name = name.format(triple=self.triple)
        target = self.out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2((self.source / name).resolve(), target)
        for library in asked_for(target):
            self._library(library)

    def _library(self, name):
        if name in self._libraries:
            return
        self._libraries.add(name)
        places = [name[1:]] if name.startswith("/") else []
        places += [f"{d}/{self.triple}/{name}" for d in ("lib", "usr/lib")]
        for place in places:
            if (self.source / place).exists():
                self.file(place)
                return
        raise LabError(f"the recorders need {name}, which is not in {self.source}")

    def tree(self, name):
        name = name.format(triple=self.triple)
        if (self.source / name).is_dir():
            shutil.copytree(self.source / name, self.out / name, symlinks=True, dirs_exist_ok=True)


def fill(kernel, out):
    tree = Tree(unpacked() / "root", out)
    for name in PROGRAMS + [f"usr/lib/{tree.triple}/{part}" for part in LINKED]:
        tree.file(name)
    for name in TREES:
        tree.tree(name)
    gcc = next((tree.source).glob(GCC.format(triple=tree.triple))).relative_to(tree.source)
    tree.file(f"{gcc}/cc1")
    tree.tree(f"{gcc}/include")
    for name in COMPILED:
        shutil.copytree(ROOT / name, out / SOURCE / name)
    for name, target in LINKS.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).symlink_to(target)
    modules = out / "lib/modules" / kernel.release
    shutil.copytree(lttng_modules(kernel), modules / "extra")
    # Without these, depmod leaves out an index that the library of LTTng's daemon insists on.
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copy2(kernel.modules / name, modules)
    subprocess.run(["/sbin/depmod", "-b", out, kernel.release], check=True, stderr=subprocess.DEVNULL)


def archive(generation):
    """The archive of the root directory for a guest with that kernel."""
    kernel = Kernel(generation)
    path = BUILD / "bench" / f"recorders-{kernel.release}.tar"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".recorders") as scratch:
        fill(kernel, Path(scratch, "root"))
        with tarfile.open(Path(scratch, "tar"), "w") as out:
            out.add(Path(scratch, "root"), ".")
        Path(scratch, "tar").rename(path)
    return path
