# SPDX-License-Identifier: GPL-2.0-or-later
"""The folders of the sources: from which others each may include, how large it may be, and its licence."""

import functools
import itertools
import re
from pathlib import Path

# From top to bottom: a folder includes only from folders below it in its list. Folders in one row do not
# include from each other.
ORDERS = {
    "the program": """
        ctl
        ctl/ui
        ctl/cmd
        ctl/show/bugreport
        ctl/show/report ctl/show/explain ctl/show/doctor ctl/show/status ctl/show/look ctl/show/runners
        ctl/live/recorder
        ctl/live/measure
        ctl/live/aggregate ctl/live/offcpu ctl/live/calibration
        ctl/live/session
        ctl/trace/export
        ctl/trace/analysis
        ctl/trace/saved
        ctl/trace/ctf
        ctl/trace/print
        ctl/trace/reader ctl/trace/user
        ctl/ask/plan
        ctl/ask/lang
        ctl/ask/expr
        ctl/ask/resolve
        ctl/ask/events
        ctl/base/state
        ctl/base/device
        ctl/base/sheet
        ctl/base
        symbols/query
        symbols/build
        symbols/index
        symbols/join
        symbols/image
        symbols/symtab
        symbols/base
        arch
        user
        core""",
    "the module": """
        kmod
        kmod/state
        kmod/table
        kmod/hit
        kmod/records
        kmod/measure
        kmod/code
        kmod/text
        kmod/uprobe
        kmod/base
        kmod/compat
        core""",
    "the module ktrace_user": """
        kmod/user
        kmod/base
        core""",
}
# USER is the side of an architecture for the program, MODULE the side for the module. The folders of kmod/ call
# MODULE through kmod/base/arch.h and include its headers *_arch.h.
USER = re.compile(r"arch/\w+(?:/user)?$")
MODULE = re.compile(r"arch/\w+/kmod$")
# Only these files of core/ depend on whether they are compiled for the kernel or for user space.
ENVIRONMENT = ("core/env.h", "core/capture_user.h")

LARGEST = {"ctl": 5500, "symbols": 5500, "kmod": 7500}  # the most lines of a folder, by its top folder
MOST_DOORS, MOST_ROOMS = 7, 7  # folders in ctl/, and in each of them
LONGEST = 600  # the most lines of a file
# Files that may be longer, with their lines: they may only become shorter.
LONGER = {}

TOPS = ("core", "kmod", "arch", "ctl", "symbols", "user")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


@functools.lru_cache(None)
def text(name):
    return Path(name).read_text()


def lines(name):
    return text(name).count("\n")


def sources():
    return sorted(str(path) for top in TOPS for path in Path(top).rglob("*") if path.suffix in (".c", ".h", ".S"))


def folder(name):
    """The folder of a file. The user sides of all architectures count as one folder, and so do their module
    sides, and all folders of user/.
    """
    parent = str(Path(name).parent)
    return ("arch" if USER.match(parent) else "arch/*/kmod" if MODULE.match(parent) else
            "user" if parent.startswith("user") else parent)


def included(name):
    """The project's files that this file includes. For an architecture's header: the file of each architecture.
    """
    for path in INCLUDE.findall(text(name)):
        beside = Path(name).parent / path
        if beside.is_file():
            yield str(beside)
        elif Path(path).is_file():
            yield path
        else:
            yield from (str(found) for found in sorted(Path("arch").glob(f"*/*/{path}")))


def arrows():
    """(from, to) -> the files of `from` that include from `to`."""
    out = {}
    for name in sources():
        for other in included(name) if name not in ENVIRONMENT else ():
            if folder(name) != folder(other):
                out.setdefault((folder(name), folder(other)), []).append(name)
    return out


def ranks():
    """For each folder: the lists that it is in, and its row there. core/ is in both lists."""
    return {place: {kind: row for kind, rows in ORDERS.items() for row, names in enumerate(rows.split("\n"))
                    if place in names.split()} for rows in ORDERS.values() for place in rows.split()}


def upward():
    """No folder includes from one above it, and the program does not include from the module."""
    rank = ranks()
    for (origin, to), names in sorted(arrows().items()):
        if origin == "arch/*/kmod":
            continue
        if to == "arch/*/kmod":
            bad = not origin.startswith("kmod")
        elif origin not in rank or to not in rank:
            bad = True
        else:
            bad = not any(kind in rank[to] and rank[to][kind] > row for kind, row in rank[origin].items())
        if bad:
            yield from (f"{name}: includes from {to}: not below {origin}, see tests/rooms.py" for name in names)


def sizes():
    """No file and no folder is too large."""
    total = {}
    for name in sources():
        n, most = lines(name), max(LONGEST, LONGER.get(name, 0))
        total[folder(name)] = total.get(folder(name), 0) + n
        if n > most:
            yield f"{name}: {n} lines, at most {most}"
    for name in LONGER:
        if not Path(name).is_file() or lines(name) <= LONGEST:
            yield f"tests/rooms.py: LONGER: {name} is not long any more"
    for place, n in total.items():
        most = LARGEST.get(place.split("/")[0], n)
        if n > most:
            yield f"{place}: {n} lines, at most {most}"


def doors():
    """ctl/ has few doors, each with few rooms and a sign, and the doors are one below the other."""
    places = [tuple(place.split("/")) for place in ORDERS["the program"].split() if place.startswith("ctl/")]
    order = list(dict.fromkeys(place[1] for place in places))
    if len(order) > MOST_DOORS:
        yield f"ctl/: {len(order)} doors, at most {MOST_DOORS}"
    if [door for door, _ in itertools.groupby(place[1] for place in places)] != order:
        yield "tests/rooms.py: ORDERS: the rooms of a door are not beside each other"
    for door in order:
        rooms = [place for place in places if place[1] == door and len(place) > 2]
        if len(rooms) > MOST_ROOMS:
            yield f"ctl/{door}/: {len(rooms)} rooms, at most {MOST_ROOMS}"
        if not Path(f"ctl/{door}/README.md").is_file():
            yield f"ctl/{door}/: has no README.md that says what it is for"


def table():
    """The table of folders that tests/style --arrows prints."""
    rows = [("folder", "files", "lines", "includes from")]
    names, found = sources(), arrows()
    places = list(dict.fromkeys(" ".join(ORDERS.values()).split()))
    order = places + ["arch/*/kmod"]
    for place in order:
        mine = [name for name in names if folder(name) == place]
        rows.append((f"`{place}/`", str(len(mine)), str(sum(map(lines, mine))),
                     ", ".join(f"`{to}/`" for to in order if (place, to) in found)))
    width = [max(len(row[i]) for row in rows) for i in range(3)]
    rows.insert(1, tuple("-" * n for n in width) + ("-" * len(rows[0][3]),))
    for row in rows:
        yield f"| {row[0]:{width[0]}} | {row[1]:>{width[1]}} | {row[2]:>{width[2]}} | {row[3]} |"


# ---------------------------------------------------------------------------------------------------- licences

LATER, EITHER, ONLY, FREE = "GPL-2.0-or-later", "GPL-2.0-or-later OR MIT", "GPL-2.0-only", "MIT"
INTERFACE = "GPL-2.0-only WITH Linux-syscall-note"
# The first pattern that matches a file's name gives its licence.
LICENCES = (
    (re.compile(r"core/(?:ktrace_abi|abi_\w+)\.h$"), INTERFACE),
    (re.compile(r"core/"), EITHER),
    (re.compile(r"kmod/|arch/\w+/kmod/"), ONLY),
    (re.compile(r"user/"), FREE),
    (re.compile(r"ctl/|symbols/|arch/"), LATER),
)


def licence_of(name):
    found = re.search(r"SPDX-License-Identifier: (.*?)\s*(?:\*/)?$", text(name)[:400], re.M)
    return found and found[1]


def in_program():
    """The files of build/ktrace: the sources of its folders, with all that they include, as far as we or the
    compiler know.
    """
    todo = {name for name in sources() if re.match(r"(?:ctl|symbols|arch)/", name) and folder(name) != "arch/*/kmod"}
    for notes in Path("build/obj").rglob("*.d"):
        todo |= {name for name in re.findall(r"[^\s:\\]+", notes.read_text())
                 if not name.startswith(("/", "build/")) and Path(name).suffix in (".c", ".h") and Path(name).is_file()}
    done = set()
    while todo:
        name = todo.pop()
        done.add(name)
        # env.h includes some headers only for the kernel: ignore them here.
        todo |= {other for other in included(name) if name != "core/env.h" or not other.startswith("kmod/")} - done
    return done


def licences():
    """Each file has the licence of its folder, and no GPL-2.0-only file gets into the program."""
    for name in sources():
        wanted = next(licence for pattern, licence in LICENCES if pattern.match(name))
        if licence_of(name) != wanted:
            yield f"{name}: is under {licence_of(name)}, not {wanted}"
    for name in sorted(in_program()):
        if licence_of(name) not in (LATER, EITHER, FREE, INTERFACE):
            yield f"{name}: is part of build/ktrace, and under {licence_of(name)}"
