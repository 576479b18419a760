/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * range_list.h - kernel text that only its symbols tell apart, refused on every architecture:
 * only rows, see safety.c.
 *
 *   RANGE(first, last, refusal)	from one symbol up to another
 *   FUNCTION(name, refusal)		the whole of a function
 *   BEGINS(prefix, refusal)		whatever is called so
 *
 * What this kernel does not have is left out.
 */

/* In front of functions: nothing, or what direct calls of them run through (kCFI, call depth tracking). */
BEGINS("__pfx_", KT_REFUSE_PADDING)
BEGINS("__cfi_", KT_REFUSE_PADDING)

/* Static calls of modules that are out of line; those of the kernel are a range, where there are any. */
BEGINS("__SCT__", KT_REFUSE_STATIC_CALL)

RANGE("_sinittext", "_einittext", KT_REFUSE_INIT)
RANGE("__cpuidle_text_start", "__cpuidle_text_end", KT_REFUSE_IDLE)

/*
 * The notifier chain that breakpoints come by is an RCU reader (kernel/notifier.c,
 * atomic_notifier_call_chain()): a breakpoint in there would come back to itself.
 */
FUNCTION("__rcu_read_lock", KT_REFUSE_ENTRY_PATH)
FUNCTION("__rcu_read_unlock", KT_REFUSE_ENTRY_PATH)
FUNCTION("rcu_read_unlock_special", KT_REFUSE_ENTRY_PATH)
FUNCTION("rcu_read_unlock_strict", KT_REFUSE_ENTRY_PATH)
