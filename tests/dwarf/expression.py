# SPDX-License-Identifier: GPL-2.0-or-later
"""Evaluate locations in gdb's words, on a machine whose registers and memory hold noise.

This uses nothing of ktrace: it runs DWARF expressions as the standard defines them, on values.
"""

import hashlib
import re

MASK = (1 << 64) - 1
REGISTERS = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", *(f"r{n}" for n in range(8, 16)), "rip",
             *(f"xmm{n}" for n in range(16)), *(f"st{n}" for n in range(8))]


class Refused(Exception):
    """The expression needs more than registers and memory."""


class Mixed(Exception):
    """Gdb's words are incomplete, for instance for pieces with their own expressions, or for the bytes of a
    value.
    """


class Unknown(Exception):
    """Words that this program does not know: a failure of the test."""


def noise(text, size=8):
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size], "little")


def register(number):
    return noise(f"register {number}")


def load(address, size):
    return noise(f"memory {address & MASK:#x}", 8) & ((1 << 8 * size) - 1)


def signed(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


class Machine:
    def __init__(self, place):
        self.place = place      # has is_entry and cfa
        self.stack = []
        self.kind = "memory"
        self.number = None      # of the register that holds the value

    def pop(self):
        if not self.stack:
            raise Unknown("empty stack")
        return self.stack.pop()

    def push(self, value):
        self.stack.append(value & MASK)

    def run(self, operations):
        at = {offset: i for i, (offset, _, _) in enumerate(operations)}
        i = 0
        while i < len(operations):
            _, name, words = operations[i]
            i += 1
            target = self.step(name, words)
            if target is not None:
                if target not in at:
                    break
                i = at[target]
        return self

    def step(self, name, words):
        """Execute one operation; return where to continue, unless that is the next operation."""
        first = words[0] if words else ""
        if match := re.fullmatch(r"reg(\d+)", name):
            self.kind, self.number = "register", int(match[1])
        elif name == "regx":
            self.kind, self.number = "register", int(first)
        elif match := re.fullmatch(r"breg(\d+)", name):
            self.push(register(int(match[1])) + int(first))
        elif match := re.fullmatch(r"lit(\d+)", name):
            self.push(int(match[1]))
        elif name in ("addr", "plus_uconst", "GNU_addr_index") or name.startswith("const") and name != "const_type":
            value = int(first, 0)
            self.push(self.pop() + value if name == "plus_uconst" else value)
        elif name == "fbreg":
            if self.place.cfa is None:
                raise Refused("frame")
            self.push(self.place.cfa + int(first))
        elif name == "call_frame_cfa":
            if self.place.cfa is None:
                raise Refused("frame")
            self.push(self.place.cfa)
        elif name == "stack_value":
            self.kind = "computed"
        elif name == "deref":
            self.push(load(self.pop(), 8))
        elif name == "deref_size":
            self.push(load(self.pop(), int(first)))
        elif name in UNARY:
            self.push(UNARY[name](self.pop()))
        elif name in BINARY:
            b, a = self.pop(), self.pop()
            self.push(BINARY[name](a, b))
        elif name in ("dup", "over", "pick"):
            index = {"dup": 0, "over": 1}.get(name, int(first) if first else 0)
            if index >= len(self.stack):
                raise Unknown("empty stack")
            self.push(self.stack[-1 - index])
        elif name == "drop":
            self.pop()
        elif name == "swap":
            self.stack[-1], self.stack[-2] = self.stack[-2], self.stack[-1]
        elif name == "rot":
            self.stack[-3:] = [self.stack[-1], self.stack[-3], self.stack[-2]]
        elif name == "nop":
            pass
        elif name == "skip":
            return int(words[-1])
        elif name == "bra":
            return int(words[-1]) if self.pop() else None
        elif name == "implicit_value":
            raise Mixed
        elif name in ("implicit_pointer", "GNU_implicit_pointer") or name.split("<")[0] in TYPED:
            raise Refused(name.split("<")[0])
        else:
            raise Unknown(f"DW_OP_{name}")
        return None


TYPED = ("convert", "GNU_convert", "reinterpret", "regval_type", "GNU_regval_type", "deref_type", "GNU_deref_type",
         "const_type", "GNU_parameter_ref", "GNU_variable_value", "call2", "call4", "call_ref", "piece", "bit_piece")
UNARY = {"neg": lambda a: -a, "not": lambda a: ~a, "abs": lambda a: abs(signed(a))}


def divide(a, b):
    if not b:
        raise Refused("division by 0")
    quotient = abs(signed(a)) // abs(signed(b))
    return -quotient if (signed(a) < 0) != (signed(b) < 0) else quotient


BINARY = {
    "plus": lambda a, b: a + b, "minus": lambda a, b: a - b, "mul": lambda a, b: a * b, "and": lambda a, b: a & b,
    "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "shl": lambda a, b: a << b if b < 64 else 0,
    "shr": lambda a, b: a >> b if b < 64 else 0, "shra": lambda a, b: signed(a) >> min(b, 63), "div": divide,
    "mod": lambda a, b: a % b if b else 0,
    "eq": lambda a, b: signed(a) == signed(b), "ne": lambda a, b: signed(a) != signed(b),
    "lt": lambda a, b: signed(a) < signed(b), "le": lambda a, b: signed(a) <= signed(b),
    "gt": lambda a, b: signed(a) > signed(b), "ge": lambda a, b: signed(a) >= signed(b),
}


def operations(lines):
    """(offset, name, operands) of each line; lines of an entry value become its operand."""
    out = []
    for line in lines:
        match = re.match(r"^( *)(\d+): DW_OP_(\S+) ?(.*)$", line)
        if not match:
            if line.strip():
                raise Unknown(line)
            continue
        words = [w for w in match[4].replace("to ", "").split() if not w.startswith("[")]
        entry = (len(match[1]), int(match[2]), match[3], words)
        out.append(entry)
    return fold_entries(out)


def fold_entries(rows):
    """Rows that are indented more than an entry value before them are its operand."""
    out = []
    for indent, offset, name, words in rows:
        if out and out[-1][1] in ("entry_value", "GNU_entry_value") and indent > out[-1][3]:
            out[-1][2].append(name)
        else:
            out.append((offset, name, words, indent))
    return [(offset, name, words) for offset, name, words, _ in out]


def complex_value(lines, place):
    machine, rows = Machine(place), []
    for offset, name, words in operations(lines):
        if name in ("entry_value", "GNU_entry_value"):
            match = re.fullmatch(r"reg(\d+)", words[0]) if len(words) == 1 else None
            if not place.is_entry or not match:
                raise Refused("entry value")
            rows.append((offset, f"breg{match[1]}", ["0"]))
        else:
            rows.append((offset, name, words))
    machine.run(rows)
    if machine.kind == "register":
        return "register", machine.number
    return machine.kind, machine.pop()


def simple_value(text):
    """(kind, value) of a phrase without operations; None for other phrases."""
    if match := re.fullmatch(r"a variable in \$(\w+)", text):
        return "register", REGISTERS.index(match[1])
    if match := re.fullmatch(r"a variable at frame base reg \$(\w+) offset (-?\d+)\+(-?\d+)", text):
        return "memory", (register(REGISTERS.index(match[1])) + int(match[2]) + int(match[3])) & MASK
    if match := re.fullmatch(r"the constant (-?\d+)", text):
        return "computed", int(match[1]) & MASK
    if match := re.fullmatch(r"a constant with value (-?\d+) .*", text):
        return "computed", int(match[1]) & MASK
    if match := re.fullmatch(r"constant bytes:((?: [0-9a-f]{2})+)", text):
        return "bytes", tuple(int(byte, 16) for byte in match[1].split())
    if match := re.fullmatch(r"(?:in )?static storage at address (0x[0-9a-f]+)", text):
        return "memory", int(match[1], 16)
    return None


UNITS = {"byte": 8, "bit": 1}


def piece_values(text):
    pieces = []
    for phrase in re.split(r", and |, (?=an? )", text):
        if match := re.fullmatch(r"an empty (\d+)-(byte|bit) piece", phrase):
            pieces.append(("nowhere", 0, int(match[1]) * UNITS[match[2]], 0))
            continue
        match = re.fullmatch(r"(.*) \[(\d+)-(byte|bit) piece(?:, offset (\d+) bits)?\]", phrase)
        value = match and simple_value(match[1])
        if not value:
            raise Unknown(phrase)
        pieces.append((*value, int(match[2]) * UNITS[match[3]], int(match[4] or 0)))
    return pieces


def evaluate(text, place):
    """Evaluate gdb's text about one variable: a list of (kind, value, bits, first bit)."""
    if re.search(r"-(byte|bit) piece[],]", text) and "complex DWARF expression" in text:
        raise Mixed
    head, *rest = text.split("\n")
    head = re.sub(r"  +", " ", head.strip())
    if head.startswith("a complex DWARF expression"):
        return [(*complex_value(rest, place), 0, 0)]
    simple = simple_value(head)
    return [(*simple, 0, 0)] if simple else piece_values(head)


def evaluate_steps(piece):
    """The same for ktrace's text."""
    if piece["kind"] == "register":
        return "register", piece["reg"], piece["bits"], piece["from"]
    if piece["kind"] == "bytes":
        return "bytes", tuple(piece["bytes"]), piece["bits"], piece["from"]
    value = register(piece["reg"]) if piece["reg"] >= 0 else 0
    for name, n in piece["steps"]:
        if name == "load":
            value = load(value, n)
        elif name in ("neg", "not"):
            value = UNARY[name](value) & MASK
        else:
            value = BINARY["plus" if name == "add" else name](value, n & MASK) & MASK
    return piece["kind"], value & MASK if piece["kind"] != "nowhere" else 0, piece["bits"], piece["from"]
