# SPDX-License-Identifier: GPL-2.0-or-later
"""Run by gdb: print `info scope` at each address of a file, and the names that are no variables, as one JSON
list.
"""

import json
import os

import gdb


def is_label(symbol):
    """A label that was optimised out looks like a variable, except for its type."""
    return str(symbol.type) == "__CORE_ADDR"


def is_enumerator(symbol):
    """An enumerator looks like a variable that has one value."""
    kind = symbol.type and symbol.type.strip_typedefs()
    return bool(kind) and kind.code == gdb.TYPE_CODE_ENUM and symbol.name in kind.keys()


def no_variables(address):
    block, names = gdb.block_for_pc(address), []
    while block:
        names += [symbol.name for symbol in block if is_label(symbol) or is_enumerator(symbol)]
        if block.function:
            break
        block = block.superblock
    return names


gdb.execute("set pagination off")
gdb.execute("set width 0")
answers = []
for line in open(os.environ["ADDRESSES"]):
    try:
        answers.append([int(line), [gdb.execute(f"info scope *{int(line):#x}", to_string=True), no_variables(int(line))]])
    except gdb.error as error:
        answers.append([int(line), [f"error: {error}", []]])
json.dump(answers, open(os.environ["ANSWERS"], "w"))
