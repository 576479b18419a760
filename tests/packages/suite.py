# SPDX-License-Identifier: GPL-2.0-or-later
"""A release in which the packages are built. build/packages/SUITE has what it made."""

import os
import re
import shutil

from roots import ARCH, OLD, TOP, Root

# What a machine has that builds modules and reads manuals.
BASE = f"linux-headers-{ARCH}", "man-db"


class Suite(Root):
    def __init__(self, name, version, logs="check.log"):
        super().__init__(name, "base", BASE, logs)
        self.version, self.copied = version, set()

    def copy(self, version, to):
        """Copy the tree, as it was when this test began."""
        source = self.dir / f"source-{version}"
        if version not in self.copied:
            self.call([TOP / "mk/deb-copy", version, source], cwd=TOP)
            self.copied.add(version)
        shutil.rmtree(to.parent, ignore_errors=True)
        shutil.copytree(source, to, symlinks=True)

    def tools(self):
        """What the packages need to be built is what debian/control says."""
        control = (TOP / "debian/control").read_text()
        wanted = re.search(r"^Build-Depends: ((?:.*\n )*.*)", control, re.M)[1]
        shutil.copy(TOP / "debian/control", self.dir / "control")
        return self.layer("build", wanted, [self.base], "sh", "-ec",
                          "apt-get update -q; apt-get install -q -y --no-install-recommends dpkg-dev fakeroot >/dev/null;"
                          "mkdir -p /tmp/source/debian; cp control /tmp/source/debian; cd /tmp/source;"
                          "apt-get build-dep -q -y --no-install-recommends ./")

    def build(self):
        """Build both versions. The old one is only installed and upgraded: it is built as fast as can be."""
        self.build_in(OLD, self.dir / OLD, "noopt", "noautodbgsym")
        self.build_in(self.version, self.dir / self.version)

    def build_in(self, version, to, *options):
        tools, copy = self.tools(), to / f"ktrace-{version}"
        self.copy(version, copy)
        shutil.copy(TOP / "mk/deb-build", self.dir / "deb-build")
        self.inside([tools, self.base], self.fresh("tmp"), "offline", "env",
                    "DEB_BUILD_OPTIONS=" + " ".join((f"parallel={os.cpu_count()}", *options)), "sh", "./deb-build", f"{to.name}/{copy.name}")
        shutil.rmtree(copy)

    @property
    def release(self):
        """The kernel whose headers the root has."""
        [release] = (path.name for path in (self.base / "usr/lib/modules").iterdir())
        return release

    def build_modules(self, version, to, *settings):
        """The package of modules for that kernel, built in the folder `to`."""
        self.copy(version, to / "ktrace")
        self.inside([self.tools(), self.base], self.fresh("tmp"), "offline", "make", "-s", "-C", f"{to.name}/ktrace", "deb-modules",
                    f"KVER={self.release}", "PACKAGES_deb=", "PACKAGES_module=", *settings)
        [deb] = (to / "ktrace/build/deb").glob("*.deb")
        deb = deb.rename(to / deb.name)
        shutil.rmtree(to / "ktrace")
        return deb
