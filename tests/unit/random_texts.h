/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random_texts.h - random programs of hits that record texts.  The includer has ARG_REG(n): the DWARF number of argument n, and
 * hit_call_given.
 */
#ifndef RANDOM_TEXTS_H
#define RANDOM_TEXTS_H

#include "capture_insns.h"
#include "capture_machine.h"

/* kt_load_text() loads words there, and where a multiple of 3 is added. */
#define FAST	(MACHINE_MEMORY + (3 - MACHINE_MEMORY % 3) % 3)

/* An argument is an address of a text, or behind the memory, or anything. */
static void random_argument(u64 *argument)
{
	const u32 what = (u32)rand() % 4;

	if (what < 2)
		*argument = FAST + (u32)rand() % (MACHINE_BYTES / 3) * 3;
	else if (what == 2)
		*argument = MACHINE_MEMORY + (u32)rand() % (2 * MACHINE_BYTES);
}

/* Items of a system call or of an event with two arguments, one or more of them texts. */
struct random_texts {
	struct kt_insn insns[KT_MAX_PROG];
	u32 len, texts;
	u32 live;	/* the arguments that it reads */
	bool is_event;
	bool too_short;	/* a text has room for less than 8 bytes: there is no code for that in a system call */
};

static void append(struct random_texts *r, struct kt_insn in)
{
	if (r->is_event && (in.op == KT_OP_ARG || in.op == KT_OP_EMITARG)) {
		r->live |= 1U << in.imm % 2;
		in.op = in.op == KT_OP_ARG ? KT_OP_REG : KT_OP_EMITREG;
		in.aux = 0;
		in.imm = ARG_REG(in.imm % 2);
	}
	r->texts += in.op == KT_OP_EMITTEXT;
	r->too_short |= in.op == KT_OP_EMITTEXT && in.imm <= (int)sizeof(u64) && hit_call_given;
	r->insns[r->len++] = in;
}

#define APPEND(...)	append(r, (struct kt_insn)__VA_ARGS__)

static void random_texts(struct random_texts *r)
{
	/* Besides arguments, the code has two registers for the program and the current task. */
	const u32 regs = r->is_event ? 1 : 1 + rand() % 2, items = 1 + rand() % (rand() % 4 ? 6 : 12);

	APPEND(I(FAULTS2));
	if (regs > 1)
		APPEND(I(ARG, .dst = 1));
	for (u32 item = 0; item < items; item++) {
		const u8 reg = rand() % regs;
		const s32 arg = rand() % KT_SYSCALL_ARGS;

		switch (item ? rand() % 4 : 0) {
		case 0:
			APPEND(I(ARG, .dst = reg, .imm = arg));
			APPEND(I(EMITTEXT, .src = reg, .imm = 2 + 2 * (rand() % 40)));
			break;
		case 1:
			APPEND(I(EMITARG, .aux = 2 << rand() % 3, .imm = arg));
			break;
		case 2:
			if (regs > 1 || r->is_event)
				APPEND(EMIT(regs - 1, 4));
			else
				APPEND(I(EMITCUR, .imm = rand() % 2));
			break;
		case 3:
			APPEND(I(ARG, .dst = reg, .imm = arg));
			APPEND(I(LOAD, .dst = reg, .src = reg, .aux = rand() % KT_NR_SIZES));
			APPEND(EMIT(reg, 8));
			break;
		}
	}
	APPEND(END);
}

#endif
