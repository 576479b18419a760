# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of kernels, tests/vm/kernels."""

from typing import NamedTuple

from .paths import VM, LabError


class Row(NamedTuple):
    generation: str
    arch: str
    suites: str
    image: str

    @property
    def name(self):
        return f"{self.generation}-{self.arch}"

    @property
    def version(self):
        """The version: 6.1 for 6.1-rt."""
        return self.generation.partition("-")[0]


def rows():
    for line in (VM / "kernels").read_text().splitlines():
        fields = line.split("#")[0].split()
        if fields:
            yield Row(*fields)


def find(generation, arch):
    for row in rows():
        if (row.generation, row.arch) == (generation, arch):
            return row
    known = ", ".join(r.generation for r in rows() if r.arch == arch)
    raise LabError(f"no kernel {generation} for {arch} in tests/vm/kernels: "
                   f"take one of {known or '(none for this arch)'}")
