/* SPDX-License-Identifier: GPL-2.0-only */
/* emit_x86.h - what the files emit_*.c share. */
#ifndef KTRACE_EMIT_X86_H
#define KTRACE_EMIT_X86_H

#include "kmod/code/plan.h"

/* Arguments of functions: DWARF number, machine register. */
#define NR_ARGUMENTS	5
extern const u8 kt_x86_arguments[NR_ARGUMENTS][2];

/* The machine register with this offset in the registers of a hit; NO_REG: it is none of the 16. */
static inline u8 machine_at(s32 offset)
{
	static const u8 machine[NO_REG] = { AX, DX, CX, BX, SI, DI, BP, SP, R8, R9, R10, R11, R12, R13, R14, R15 };
	u32 dwarf;

	for (dwarf = 0; dwarf < NO_REG; dwarf++)
		if (kt_reg_offset(dwarf) == offset)
			return machine[dwarf];
	return NO_REG;
}

/* Of a direct jump: bytes from the stack pointer before the code pushes anything to that of the hit. */
#define KT_X86_SP_AT	24
/* Words that are always there, before the flags: the fixed registers, the return address, and rax. */
#define KT_X86_ALWAYS	6

/* Are the fixed registers rdx, rcx, rsi, rdi, or those without rsi, for code that only measures? */
static inline bool kt_x86_saves_si(const struct hit *h)
{
	return h->closes || !h->what->measure;
}

/* Call the function, in which no page fault is handled. */
void kt_x86_call_without_faults(struct code *c, const char *to);
/* The tables of all chains, behind the code: see kt_x86_direct_chain1 in calls.h. */
void kt_x86_chain_tables(struct code *c);

/* A variable of a module, so close to the code that the distance has 32 bits? */
bool kt_x86_reaches(const struct hit *h, const void *variable);

/* Choose the registers of texts.  False: there are not enough. */
bool kt_x86_text_registers(struct hit *h);
/* Leave the draft. */
void kt_x86_leave_text(struct hit *h);
/* Find the arguments that the program reads.  False: it reads another register. */
bool kt_x86_find_live(struct hit *h);
/* Set c.call and c.call_offset: the registers of the system call are where rsi points, or on the stack of the task, which r10 has. */
void kt_x86_find_call(struct hit *h);

void kt_x86_push_saved(struct code *c, u32 saved);
void kt_x86_pop_saved(struct code *c, u32 saved);

static inline void kt_x86_branch_if_failed(struct hit *h)
{
	percpu_op(&h->c, false, CMP_BYTE, 7, h->at.failed);
	put8(&h->c, 0);
	put_branch(&h->c, IF_NOT_EQUAL, h->a.failed);
}

#endif
