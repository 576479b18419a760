/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * range_list.h - kernel text that ktrace refuses on every architecture and recognises by symbols only.  It contains
 * only rows, which safety.c expands.
 *
 *   RANGE(first, last, refusal)	from the symbol `first` up to the symbol `last`
 *   FUNCTION(name, refusal)		a whole function
 *   BEGINS(prefix, refusal)		each function whose name begins with `prefix`
 *   WINDOW(name)			a function that can be traced, but not in a window (kmod/table/window.h)
 *   LAST(name)				a function that is armed after all others of its call (kmod/table/set_arm.c)
 *
 * A row of one function is for all functions of the kernel with that name, and for what the compiler has made of them (NAME.part.0).
 * A row whose symbols this kernel does not have is ignored.
 */

/* The bytes in front of a function: padding, or code that direct calls run (kCFI, call depth tracking). */
BEGINS("__pfx_", KT_REFUSE_PADDING)
BEGINS("__cfi_", KT_REFUSE_PADDING)

/* Trampolines of out-of-line static calls in modules.  Those of the kernel are a range, if there are any. */
BEGINS("__SCT__", KT_REFUSE_STATIC_CALL)

RANGE("_sinittext", "_einittext", KT_REFUSE_INIT)
RANGE("__cpuidle_text_start", "__cpuidle_text_end", KT_REFUSE_IDLE)

/*
 * The kernel passes breakpoints to a notifier chain, which is an RCU reader (kernel/notifier.c,
 * atomic_notifier_call_chain()): a breakpoint in these functions would hit itself again, without end.
 */
FUNCTION("__rcu_read_lock", KT_REFUSE_ENTRY_PATH)
FUNCTION("__rcu_read_unlock", KT_REFUSE_ENTRY_PATH)
FUNCTION("rcu_read_unlock_special", KT_REFUSE_ENTRY_PATH)
FUNCTION("rcu_read_unlock_strict", KT_REFUSE_ENTRY_PATH)

/* The kernel calls these for each breakpoint that it writes: a breakpoint in them would be hit for each of those that follow it. */
LAST("memcmp")
LAST("memcpy")
LAST("memcpy_erms")
LAST("__memcpy")
LAST("_find_next_bit")
LAST("_find_first_and_bit")
LAST("_raw_spin_lock")
LAST("_raw_spin_unlock")
LAST("__list_add_valid")
