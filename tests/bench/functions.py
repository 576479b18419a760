# SPDX-License-Identifier: GPL-2.0-or-later
"""Where instructions were counted: by the functions of the guest's kernel, from what tests/vm/run --profile writes."""

import bisect
from collections import Counter

FAR = 1 << 16	# no function is so long
# The kernel copies and clears memory by one repeated instruction, which counts once for each byte.
BYTES = {"clear_page_erms", "clear_user_erms", "copy_user_enhanced_fast_string", "memcpy_erms", "memset_erms"}


class Symbols:
    def __init__(self, kallsyms):
        found = []
        for line in kallsyms.read_text().splitlines():
            address, kind, name, *module = line.split()
            if kind in "tTwW":
                found.append((int(address, 16), " ".join((name, *module))))
        found.sort()
        self._addresses = [address for address, _ in found]
        self._names = [name for _, name in found]

    def name(self, address):
        if not address >> 63:
            return "(user)"
        i = bisect.bisect_right(self._addresses, address) - 1
        if i < 0 or address - self._addresses[i] > FAR:
            return f"(code at {address & ~0xfff:x})"
        return self._names[i]


def sections(profile, symbols):
    """For each command that `took` ran: a Counter of instructions by function."""
    out = []
    with profile.open() as lines:
        for line in lines:
            if line == "#\n":
                out.append(Counter())
                continue
            address, length, runs = line.split()
            out[-1][symbols.name(int(address, 16))] += int(length) * int(runs)
    return out


def show(alone, other, most=40):
    """Print the functions that took the most instructions more than alone."""
    added = other.copy()
    added.subtract(alone)
    print(f"{added.total():14,}  in all")
    print(f"{sum(added[name] for name in BYTES):14,}  of these to copy and clear bytes, one for each")
    for name, count in sorted(added.items(), key=lambda item: -abs(item[1]))[:most]:
        print(f"{count:14,}  {name}")
    print()
