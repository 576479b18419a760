# SPDX-License-Identifier: GPL-2.0-or-later
"""Run by gdb: `info scope` at each address of a file, and which of the names are labels, as one JSON list."""

import json
import os

import gdb



def labels(address):
    """A label that was optimised out looks like a variable but for its type."""
    block, names = gdb.block_for_pc(address), []
    while block:
        names += [symbol.name for symbol in block if str(symbol.type) == "__CORE_ADDR"]
        if block.function:
            break
        block = block.superblock
    return names


gdb.execute("set pagination off")
gdb.execute("set width 0")
answers = []
for line in open(os.environ["ADDRESSES"]):
    try:
        answers.append([int(line), [gdb.execute(f"info scope *{int(line):#x}", to_string=True), labels(int(line))]])
    except gdb.error as error:
        answers.append([int(line), [f"error: {error}", []]])
json.dump(answers, open(os.environ["ANSWERS"], "w"))
