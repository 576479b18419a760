# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of results: outcome (ok, FAIL, skip), name, seconds and reason of each test."""

import math


def rows_of(path):
    return [line.split("\t") for line in path.read_text().splitlines()] if path.is_file() else []


def longest_first(items, name_of, table):
    """The items by their seconds in the table of the last run, so that no test runs alone at the end.

    The tests of an item have its name, or NAME:TEST. New items come first.
    """
    known = {row[1].split(":")[0]: float(row[2]) for row in rows_of(table)}
    return sorted(items, key=lambda item: -known.get(name_of(item), math.inf))
