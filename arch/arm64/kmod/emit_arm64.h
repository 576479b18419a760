/* SPDX-License-Identifier: GPL-2.0-only */
/* emit_arm64.h - what the files emit_*.c share. */
#ifndef KTRACE_EMIT_ARM64_H
#define KTRACE_EMIT_ARM64_H

#include "kmod/code/plan.h"

/* generate_calls.S: only generated code calls it, in its own convention, see emit_program.c.  The loads are those of 1, 2, 4 and 8 bytes. */
extern const char kt_arm64_code_load8[], kt_arm64_code_load16[], kt_arm64_code_load32[], kt_arm64_code_load64[];
extern const char kt_arm64_code_call[], kt_arm64_code_text[], kt_arm64_hit_text[];

enum { CTL = VALUE, OLD, RECORD, COUNT, NEW = 0, TEXT_RECORD = 3, TEMP = TEMP1, TIME = TEMP2 };

extern const struct text_regs kt_arm64_texts;

/* Registers that loads need. */
void kt_arm64_begin_loads(struct code *c);
/* The registers of the system call: the first argument of the static tracepoint, or at the end of the task's stack. */
void kt_arm64_find_call(struct hit *h);
void kt_arm64_forget_call(struct hit *h);

/* A word of the frame. */
static inline void put_word(struct code *c, u32 op, u8 reg, s32 offset)
{
	put_memory(c, op, reg, SP, offset, 8, KT_ZERO);
}

/* Add to a member of kt_cpu. */
static inline void add_to_cpu(struct hit *h, u32 member, s32 number)
{
	put_sum(&h->c, TEMP3, CPU, member);
	put_add_constant(&h->c, TEMP3, number);
}

#endif
