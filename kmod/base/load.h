/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load.h - read memory that may not be mapped, and walk the stack, in any context: NMI, interrupts off, inside a fault.
 * The parts that depend on the architecture are in load_arch.h.
 */
#ifndef KTRACE_LOAD_H
#define KTRACE_LOAD_H

#include <linux/compiler.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include "core/text_end.h"
#include "load_arch.h"

/*
 * Load eight bytes of kernel memory.  The caller knows that no device is mapped there.  False: nothing is mapped there,
 * and *to is undefined.  Any context.
 */
static __always_inline bool kt_load_mapped(u64 *to, u64 addr)
{
#ifdef CONFIG_CC_HAS_ASM_GOTO_OUTPUT
	u64 v;

	asm goto(KT_LOAD_OR_LEAVE : "=r"(v) : "r"(addr) : : unreadable);
	*to = v;
	return true;
unreadable:
	return false;
#else
	u64 v = 0;
	int good = 1;

	asm volatile(KT_LOAD_WORD : "+r"(v), "+r"(good) : "r"(addr));
	*to = v;
	return good;
#endif
}

/*
 * Load `size` bytes from any address, also from user memory of the current task: 1, 2, 4 or 8, or see kt_load_block().
 * False: nothing is mapped there, or it is a device, which is never read.  Any context.
 */
bool kt_load(void *to, u64 addr, size_t size);

/*
 * If more than 8: kt_load() loads any number of bytes at once that lie in one aligned block of this size.  So it is for user
 * memory, where each call is expensive.
 */
static __always_inline u32 kt_load_block(u64 addr)
{
	return kt_is_user(addr) ? 64 : 8;
}

/*
 * Load a string of at most `size` bytes from user memory of the current task or from the direct map, as far as that is
 * possible in a fast way.  *len: the bytes loaded, without the 0.  to[] has room for `size`, and may have changed behind them.  Any context.
 */
enum kt_text_end kt_load_text(u8 *to, u64 addr, u32 size, u32 *len);
/* May this CPU read `size` bytes of user memory of the current task without further checks?  Any context.  load.c */
bool kt_has_user_memory(u64 addr, u32 size);

/*
 * Load eight bytes of the direct map.  False: nothing is mapped there, or addr is outside the direct map.  Any
 * context.
 */
static __always_inline bool kt_load_direct(u64 *to, u64 addr)
{
	return likely(kt_in_direct_map(addr)) && kt_load_mapped(to, addr);
}

/* As kt_load() for eight bytes, with a fast path for the direct map.  Any context. */
static __always_inline bool kt_load_word(u64 *to, u64 addr)
{
	return likely(kt_in_direct_map(addr)) ? kt_load_mapped(to, addr) : kt_load(to, addr, 8);
}

void kt_load_init(void);

/*
 * Walk the stack from regs.  to[most] gets the return addresses, the innermost caller first.  Returns their number.
 * Any context.
 */
u32 kt_callers(const struct pt_regs *regs, u64 *to, u32 most);

/* A module goes: forget what is known of frames.  Its text is there until this returns.  Any context. */
void kt_callers_forget(void);

#endif
