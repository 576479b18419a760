/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * capture_user.h - the environment of the capture interpreter in user space.
 *
 * It has a register file by DWARF number.  The program that links it defines kt_load(), kt_current(),
 * kt_current_comm(), kt_syscall_arg(), kt_user_callers(), kt_call_now(), kt_callers() and kt_emit_object().
 */
#ifndef KTRACE_CAPTURE_USER_H
#define KTRACE_CAPTURE_USER_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture_regs.h"	/* of the architecture: KT_NR_GENERAL, KT_SCRATCH_REGS */
#include "core/call.h"
#include "core/env.h"
#include "core/ktrace_abi.h"
#include "core/text_end.h"

#ifndef fallthrough
#define fallthrough	__attribute__((__fallthrough__))
#endif

#define kt_zalloc(size)	calloc(1, size)
#define kt_free(p)	free(p)

struct pt_regs {
	u64 general[KT_NR_GENERAL];
	u64 psr;
};

bool kt_load(void *to, u64 addr, size_t size);

/* An address of a program, not of the kernel. */
static inline bool kt_is_user(u64 addr)
{
	return (s64)addr >= 0;
}

/* The address in a return address of a program. */
static inline u64 kt_user_code(u64 address)
{
	return address;
}

static inline void kt_load_failed(void)
{
}

#ifdef KT_READ_FAILED	/* the program that links it defines the function */
void kt_read_failed(const struct kt_insn *in, u64 addr, u64 length);
#else
static inline void kt_read_failed(const struct kt_insn *in, u64 addr, u64 length)
{
}
#endif

u64 kt_current(s32 what);
void kt_current_comm(char *to);
bool kt_syscall_arg(u32 n, u64 *to);
u32 kt_user_callers(const struct pt_regs *regs, u64 *to, u32 most);
const struct kt_call *kt_call_now(void);
u32 kt_callers(const struct pt_regs *regs, u64 *to, u32 most);
u32 kt_emit_object(u8 *to, u32 what, u64 object);

/* Strings at odd addresses are loaded as from user memory, the others as from the kernel's. */
static inline u32 kt_load_block(u64 addr)
{
	return addr % 2 ? 64 : 8;
}

/* Strings at addresses that can be divided by 3 have a fast way: it loads whole words. */
static inline enum kt_text_end kt_load_text(u8 *to, u64 addr, u32 size, u32 *len)
{
	for (*len = 0; addr % 3 == 0 && *len + 8 <= size && kt_load(to + *len, addr + *len, 8); *len += 8) {
		const u8 *end = memchr(to + *len, 0, 8);

		if (end) {
			*len = end - to;
			return KT_TEXT_ENDS;
		}
	}
	if (addr % 3 || *len + 8 > size || kt_load(to + *len, addr + *len, 1))
		return KT_TEXT_GOES_ON;
	if (!*len)
		to[(*len)++] = KT_NO_TEXT;
	return KT_TEXT_UNREADABLE;
}

static inline bool kt_load_word(u64 *to, u64 addr)
{
	return kt_load(to, addr, sizeof(*to));
}

static inline bool kt_load_direct(u64 *to, u64 addr)
{
	return kt_load(to, addr, sizeof(*to));
}

/* As in the kernel: the offset of a word of the task, or the negative number of another property. */
static inline s32 kt_current_offset(u32 what)
{
	return what <= KT_CUR_TGID ? (s32)what * 4 : -(s32)what;
}

static inline u32 kt_current_word(s32 what)
{
	return kt_current(what);
}

/* Where generated code finds the argument: the program that links it says in what. */
static inline u32 kt_syscall_arg_offset(u32 n)
{
	return n * 8;
}

static inline int kt_reg_offset(u32 dwarf)
{
	return dwarf < KT_NR_GENERAL ? (int)(dwarf * 8) : -EINVAL;
}

static inline bool kt_reg_is_scratch(u32 offset)
{
	return KT_SCRATCH_REGS >> offset / 8 & 1;
}

static inline u64 kt_regs_get(const struct pt_regs *regs, u32 offset)
{
	return regs->general[offset / 8];
}

static inline u64 kt_regs_psr(const struct pt_regs *regs)
{
	return regs->psr;
}

#endif
