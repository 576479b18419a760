# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare debian/copyright (DEP-5) with the SPDX lines of the files, and the versions of a release with each other."""

import fnmatch
import re
from pathlib import Path

# The short names of Debian, as SPDX has them.
SPDX = {"GPL-2+": "GPL-2.0-or-later", "GPL-2+ or Expat": "GPL-2.0-or-later OR MIT", "GPL-2": "GPL-2.0-only", "Expat": "MIT",
        "GPL-2 with Linux-syscall-note exception": "GPL-2.0-only WITH Linux-syscall-note"}


def paragraphs():
    """The patterns of each paragraph of files, and the licence that it names."""
    for paragraph in Path("debian/copyright").read_text().split("\n\n"):
        fields = dict(re.findall(r"^(\w[\w-]*): *((?:.*\n? )*.*)", paragraph, re.M))
        if "Files" in fields:
            yield fields["Files"].split(), fields["License"].splitlines()[0]


def licences(names):
    rows = list(paragraphs())
    for name in names:
        found = re.search(r"SPDX-License-Identifier: ([\w.+-]+(?: (?:OR|WITH) [\w.+-]+)*)", Path(name).read_text(errors="replace")[:400])
        # The last paragraph that has the file counts.
        said = [licence for patterns, licence in rows if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)][-1]
        if found and SPDX.get(said) != found[1]:
            yield f"{name}: is under {found[1]}, but debian/copyright says {said}"


def versions():
    """What each file calls the version of this release."""
    for name, pattern in (("Makefile", r"^VERSION := (\S+)$"), ("debian/changelog", r"\((\S+)\)"), ("NEWS.md", r"^## (\S+)"),
                          ("bindings/rust/Cargo.toml", r'^version = "(\S+)"'), ("packaging/ktrace.spec", r"^Version: +(\S+)"),
                          ("packaging/PKGBUILD", r"^pkgver=(\S+)"),
                          ("kmod/base/ktrace.h", r'^#define KT_VERSION\s+"(\S+)"')):
        found = re.search(pattern, Path(name).read_text(), re.M)
        yield name, found and found[1]


def complaints(names):
    yield from licences(names)
    (first, wanted), *others = versions()
    yield from (f"{name}: the version is {version}, in {first} it is {wanted}" for name, version in others if version != wanted)
