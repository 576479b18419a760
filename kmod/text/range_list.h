/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * range_list.h - kernel text that ktrace refuses on every architecture and recognises by symbols only.  It contains
 * only rows, which safety.c expands.
 *
 *   RANGE(first, last, refusal)	from the symbol `first` up to the symbol `last`
 *   FUNCTION(name, refusal)		a whole function
 *   BEGINS(prefix, refusal)		each function whose name begins with `prefix`
 *   WINDOW(name)			a function that can be traced, but not in a window (kmod/table/window.h)
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
