# SPDX-License-Identifier: GPL-2.0-or-later
"""The compiler that a kernel's headers require: this machine's own, or one in a root directory made for it.

The root directory is unpacked from packages of the suite, without root rights and without running their
programs.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .arch import ARCHES, host_arch
from .paths import LabError

# Programs that a kernel's build calls, besides compiler and make.
SURROUNDINGS = ["base-files", "bash", "coreutils", "dash", "diffutils", "dpkg", "findutils", "grep", "gzip", "mawk",
                "perl-base", "sed", "make"]
# Links that the packages' own scripts would make.
LINKS = {"bin/sh": "dash", "usr/bin/awk": "mawk"}


def compiler(headers, arch):
    """The compiler's command, as CROSS_COMPILE and CC name it: x86_64-linux-gnu-gcc-12."""
    text = (headers / ".kernelvariables").read_text()
    prefix = re.search(r"^override CROSS_COMPILE = ([a-z0-9_-]+)$", text, re.M)
    name = re.search(r"^CC = .*\$\(CROSS_COMPILE\)(gcc-\d+)$", text, re.M)
    if not name:
        raise LabError(f"{headers}/.kernelvariables names no compiler")
    given = f"{ARCHES[arch].triple}-" if arch != host_arch() else ""
    return (prefix[1] if prefix else given) + name[1]


def package(headers, arch):
    name = re.search(r"gcc-\d+$", compiler(headers, arch))[0]
    return name if arch == host_arch() else f"{name}-{ARCHES[arch].compiler}"


def runs_here(headers):
    """Do the programs of the headers package run on this machine?"""
    for name in ("tools/objtool/objtool", "scripts/mod/modpost", "scripts/basic/fixdep"):
        program = headers / name
        if program.is_file():
            run = subprocess.run(["ldd", program], capture_output=True, text=True)
            if run.returncode or "not found" in run.stdout + run.stderr:
                return False
    return True


def are_here(headers, arch):
    return shutil.which(compiler(headers, arch)) is not None and runs_here(headers)


def make_root(apt, compiler_package, kbuild, root):
    """Unpack the compiler and the other programs of a kernel's build."""
    needs = [p for p in apt.depends(kbuild) if not p.startswith("linux-")]
    unpack(apt, [compiler_package, *needs, *SURROUNDINGS], root, LINKS)


def unpack(apt, packages, root, links=()):
    """Unpack packages and their dependencies into root, which appears when it is complete."""
    with tempfile.TemporaryDirectory(dir=root.parent, prefix=".root") as scratch:
        debs, tree = Path(scratch, "debs"), Path(scratch, "tree")
        (debs / "partial").mkdir(parents=True)
        apt.download_closure(packages, debs)
        # The first package has the links that merge /bin and /lib with those below /usr.
        for deb in sorted(debs.glob("*.deb"), key=lambda deb: (not deb.name.startswith("base-files_"), deb.name)):
            subprocess.run(["dpkg-deb", "-x", deb, tree], check=True)
        keep_links_inside(tree)
        for name, target in dict(links).items():
            if not (tree / name).exists():
                (tree / name).symlink_to(target)
        tree.chmod(0o755)
        tree.rename(root)


def keep_links_inside(tree):
    """An absolute link, such as that of a library to its version, would point outside the directory: make it
    relative.
    """
    for path in tree.rglob("*"):
        if path.is_symlink() and os.path.isabs(os.readlink(path)):
            target = tree / os.readlink(path).lstrip("/")
            path.unlink()
            path.symlink_to(os.path.relpath(target, path.parent))
