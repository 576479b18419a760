# SPDX-License-Identifier: GPL-2.0-or-later
"""Find signs of trouble in a guest's kernel log."""

import re

TROUBLE = re.compile(r"""
    \bBUG\b|\bWARNING:|\bOops\b|Kernel\ panic|general\ protection|double\ fault|[Uu]nable\ to\ handle
  | Internal\ error:|Unexpected\ kernel|Bad\ mode\ in|Unhandled\ .*exception|SError\ Interrupt
  | KASAN|KCSAN|KMSAN|KFENCE|UBSAN|kmemleak|ODEBUG
  | rcu:?\ INFO:|INFO:\ rcu|rcu.*detected\ stall|self-detected\ stall|suspicious\ RCU|RCU\ used\ illegally
  | soft\ lockup|hard\ LOCKUP|INFO:\ task|blocked\ for\ more\ than
  | circular\ locking|recursive\ locking|inconsistent\ lock\ state|lock\ held\ when|bad\ unlock\ balance
  | scheduling\ while\ atomic|sleeping\ function\ called|refcount_t:|list_(add|del)\ corruption
  | invalid\ opcode:|int3:|divide\ error:|stack\ guard\ page|stack-protector|Bad\ page\ state|\bslab\ error
  | unchecked\ MSR|Unknown\ NMI\ reason|Dazed\ and\ confused|Missing\ ENDBR|Unpatched\ return\ thunk
""", re.X)

# These lines are harmless. The crash of a user program is not the kernel's. For some bugs of a CPU the kernel
# prints where to read about them, or that a guest's CPU has them. And an NMI that asks for a backtrace may
# interrupt a CPU at the first instruction of the breakpoint entry, for a tracepoint in __switch_to(): that CPU
# is already on the stack of the next task, but the kernel's unwinder expects the stack of the previous one.
HARMLESS = re.compile(r"\btraps: |WARNING: See https://|WARNING: can't access iret registers at asm_exc_invalid_op\+"
                      r"|RETBleed: WARNING: Spectre v2 mitigation leaves CPU vulnerable"
                      r"|kmemleak: (Kernel memory leak detector initialized|Automatic memory scanning|.* new suspected memory leaks)")


def trouble(log):
    """The lines of a log that show that the kernel is in trouble."""
    return [line for line in log.splitlines() if TROUBLE.search(line) and not HARMLESS.search(line)]


def report(console, kernel_log):
    """The text to show to a person: the console, and the lines of the kernel log before trouble that it lacks."""
    lines = kernel_log.splitlines()
    first = next((i for i, line in enumerate(lines) if trouble(line)), None)
    if first is None or trouble(console):
        return console
    return console + "--- from the kernel log ---\n" + "\n".join(lines[max(0, first - 20):first + 100]) + "\n"
