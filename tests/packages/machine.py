# SPDX-License-Identifier: GPL-2.0-or-later
"""A release with systemd and the kernel whose headers the suite's root has, its disks and its guests. The packages are those that
tests/packages/check has built. build/packages/SUITE/boot has the images and logs.
"""

import shutil
from pathlib import Path

from guest import INITRAMFS, SERVICE, Kernel, boot
from roots import HERE, OLD, TOP, Failed, Root, found
from suite import Suite

SYSTEM = "systemd-sysv", "udev", "sudo", "kmod", "initramfs-tools"


class Machine(Root):
    def __init__(self, name, version, logs="boot.log"):
        self.builder = Suite(name, version, f"build-{logs}")
        super().__init__(name, "system", SYSTEM, logs)
        self.version, self.to = version, self.dir / "boot"
        self.to.mkdir(exist_ok=True)

    def packages_of(self, version, *names):
        """Their files, as the root sees them: `names` are beginnings."""
        out = [deb for deb in self.debs(version) if Path(deb).name.startswith(tuple(f"{name}_" for name in names))]
        if len(out) != len(names):
            raise Failed(f"build/packages/{self.suite}/{version} lacks packages: run make check-packages SUITES={self.suite}")
        return out

    def program(self):
        """Build a program with tracepoints."""
        headers, library = self.packages_of(self.version, "libktrace-dev", "libktrace1")
        shutil.copy(HERE / "traced.c", self.dir)
        self.builder.inside([self.builder.tools(), self.builder.base], self.fresh("tmp"), "offline", "sh", "-ec",
                            f"dpkg -i {library} {headers}; gcc -o boot/traced traced.c $(pkg-config --cflags --libs ktrace)")

    def modules(self):
        """Build the packages of modules, of both versions."""
        for version in (OLD, self.version):
            [package] = self.packages_of(version, "ktrace")
            made = self.debs(f"modules-{version}")
            if not made or (self.dir / made[0]).stat().st_mtime < (self.dir / package).stat().st_mtime:
                self.builder.build_modules(version, self.dir / f"modules-{version}")

    def system(self):
        """The layers of the system, with all that the packages depend on."""
        for name, text in INITRAMFS.items():
            (self.dir / f"initramfs-{Path(name).name}").write_text(text)
        release = self.builder.release
        image = self.layer("kernel", release, [self.base], "sh", "-ec",
                           "mkdir -p /etc/initramfs-tools/conf.d; cp initramfs-modules /etc/initramfs-tools/modules;"
                           "cp initramfs-lab /etc/initramfs-tools/conf.d/lab;"
                           f"apt-get update -q; apt-get install -q -y --no-install-recommends linux-image-{release}")
        wanted = self.packages_of(self.version, "ktrace", "libktrace1", "python3-ktrace")
        return [self.needs("lean", [image, self.base], wanted, "adduser"), image, self.base]

    def files(self, name, texts, **more):
        """A layer with the agent, what it runs, and more: texts by their places, packages by their folders in /lab."""
        layer = self.fresh(name)
        lab, units = layer / "lab", layer / "etc/systemd/system"
        (units / "multi-user.target.wants").mkdir(parents=True)
        (units / "lab.service").write_text(SERVICE)
        (units / "multi-user.target.wants/lab.service").symlink_to("../lab.service")
        lab.mkdir()
        (lab / "argv").write_bytes(b"sh\0/lab/stage.sh\0")
        for source in (TOP / "build/vm/agent", HERE / "stage.sh", HERE / "report.sh", self.to / "traced"):
            shutil.copy(source, lab)
        for place, text in texts.items():
            (layer / place).parent.mkdir(parents=True, exist_ok=True)
            (layer / place).write_text(text)
        for folder, debs in more.items():
            (lab / folder).mkdir()
            for deb in debs:
                shutil.copy(self.dir / deb, lab / folder)
        return layer

    def image(self, name, layers, size):
        out = self.to / f"{name}.img"
        self.call([HERE / "image", ":".join(map(str, layers)), out, size])
        return out

    def kernel(self, layers, release):
        """Its files in the uppermost layer that has them."""
        place = next(layer for layer in layers if (layer / f"boot/vmlinuz-{release}").exists())
        for name in ("vmlinuz", "initrd.img"):
            shutil.copy(place / f"boot/{name}-{release}", self.to)
        return Kernel(release, self.to / f"vmlinuz-{release}", self.to / f"initrd.img-{release}")

    def run(self, kernel, image, stage):
        return found(boot(kernel, image, stage, self.to / f"{stage}.log"))
