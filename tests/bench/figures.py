# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare figures in the documents with what a bench measures.

A row of a table in docs/*.md ends with `<!-- BENCH NAME -->` if the bench measures its last number under this name;
`<!-- BENCH NAME arm64 -->`: on that architecture.
"""

import re
from pathlib import Path

MARK = re.compile(r"^(\|.*\|) <!-- (\w+) (\S+)(?: (arm64))? -->$")
NUMBER = re.compile(r"\d[\d,]*")


def rows(bench, arch):
    """(place in the document, name, figure) of each row that is marked for the bench on this architecture."""
    for path in sorted(Path("docs").glob("*.md")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            mark = MARK.match(line)
            if mark and mark[2] == bench and (mark[4] or "amd64") == arch:
                yield f"{path}:{number}", mark[3], int(NUMBER.findall(mark[1].split("|")[-2])[0].replace(",", ""))


def stale(bench, arch, measured):
    """A sentence for each figure that is not the measured one."""
    for place, name, figure in rows(bench, arch):
        if name not in measured:
            yield f"{place}: {name} was not measured here"
        elif measured[name] != figure:
            yield f"{place}: {figure:,}, and make bench-{bench} measures {measured[name]:,} ({name})"
