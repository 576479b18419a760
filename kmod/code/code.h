/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code.h - the code that is being written, and the program whose code it is.  See plan.h.
 *
 * An architecture gives two headers: code_arch.h, with its registers, and emit_arch.h, with its instructions as functions
 * put_...().  The names of both are the same in each architecture; HACKING.md lists them.
 */
#ifndef KTRACE_CODE_CODE_H
#define KTRACE_CODE_CODE_H

#include "core/capture.h"
#include "code_arch.h"

#define BIT_OF(reg)	(1U << (reg))

#define MOST_TEXTS	4	/* of one hit */
#define MOST_BYTES	64	/* of one KT_OP_EMITBYTES */

/* Where the code of one instruction of the program begins. */
struct label {
	u16 start;			/* known after the first pass */
	u16 offset;			/* the offset that jumps bring to it, plus 1; 0: no jump leads there */
};

/* A program for which code is written.  Labels are known after the first pass. */
struct part {
	const struct kt_insn *insns;
	u32 len;
	u32 now;			/* the instruction for which code is written now */
	u32 skipped;			/* instructions before this one may be skipped */
	u32 give_up, done, drop;	/* targets: a load has failed; the program has ended; the filter refuses the hit */
	struct label labels[KT_MAX_PROG + 1];
};

struct code {
	u8 *to;
	u32 room, n;			/* n counts bytes without room, too */
	unsigned long at;
	struct part *part;
	u32 offset;			/* of the next item in the payload */

	/* Machine registers: */
	u8 regs_at, out, task, call;	/* the registers of the hit, or NO_REG; payload; current task; of the system call */
	s32 call_offset;		/* from that register to the registers of the system call */
	u8 compared;			/* the register that the last instruction has set by a comparison; KT_NR_REGS: none */
	u8 condition;			/* it is 1 if this is true, see kt_code_conditions[] */

	/* Texts (strings of variable length): */
	bool varies;			/* the payload has some */
	u32 mask_at;			/* the offset of the mask of unreadable items, plus 1; 0: there is none so far */
	u32 texts;			/* so far */
	u32 fixed;			/* bytes of items before the last text, without texts */
	u8 text_bits[MOST_TEXTS];	/* in the mask */
	u32 text_far[MOST_TEXTS], text_back[MOST_TEXTS];	/* the rare part of each text, and where it returns to */

	struct code_regs a;		/* of the architecture */
};

/* Write some bytes, the lowest first. */
static inline void put_bytes(struct code *c, u64 number, u32 bytes)
{
	for (; bytes; bytes--, number >>= 8, c->n++)
		if (c->n < c->room)
			c->to[c->n] = number;
}

#include "emit_arch.h"

/* What the code of a program needs. */
#define NEEDS_TASK		1
#define NEEDS_CALL		2	/* the registers of the system call */
#define NEEDS_LOADS		4	/* it can give up */
#define NEEDS_TEXT		8	/* the length of its payload varies */
#define NEEDS_JUMPS		16
#define NEEDS_COUNT		32	/* a register for the distance of shifts, and the length of texts */
#define SETS_DST		64
#define NEEDS_CHAIN		128	/* it has chains of pointers or names of tasks */

/* -EOPNOTSUPP: there is no code for one of its instructions. */
int kt_code_needs(const struct kt_insn *insns, u32 len);

/*
 * The code of a program, up to part->done.  Its payload, if it has one, begins `header` bytes behind the address in c->out.  The
 * caller sets all registers first.  If the code gives up, it jumps to part->give_up, which the caller writes.  False: there is none.
 */
bool kt_code_program(struct code *c, struct part *part, u32 header);

/* KT_OP_EMITTEXT of a hit (text.c), KT_OP_EMITCOMM (comm.c), KT_OP_ELAPSED (closing.c).  False: there is no code for it here. */
bool kt_code_text(struct code *c, const struct kt_insn *in);
bool kt_code_comm(struct code *c, const struct kt_insn *in);
bool kt_code_elapsed(struct code *c, const struct kt_insn *in);

/*
 * The passes of all code: the first one finds which registers are changed and read, the second one where jumps lead, the third one
 * writes.  Returns what the functions of generate.h do.
 */
int kt_code_passes(struct code *c, bool (*make)(struct code *c), u32 room);

/* ------------------------------------------------------- of the architecture: emit_program.c */

/* The condition of a branch for each comparison but KT_CMP_ALWAYS; 1 more or less: the opposite. */
extern const u8 kt_code_conditions[KT_NR_CMPS];

/* Begin and end a program.  Before a branch, and where branches meet: load values that are only noted so far. */
void kt_code_begin(struct code *c);
void kt_code_end(struct code *c);
void kt_code_settle(struct code *c);
void kt_code_meet(struct code *c);

/* Is the code right so far? */
bool kt_code_is_good(const struct code *c);

/* The machine register for a register of the program that the next instruction reads; sets; reads and sets. */
u8 kt_code_reads(struct code *c, u8 reg);
u8 kt_code_sets(struct code *c, u8 reg);
u8 kt_code_changes(struct code *c, u8 reg);
/* Forget what was noted about its value. */
void kt_code_forget(struct code *c, u8 reg);

/* An address: where a register of the program points to, plus a number. */
struct address {
	u8 base;
	s32 offset;
};

struct address kt_code_address(struct code *c, u8 reg, s32 offset);

/* Where the machine has a register of the hit; load it to VALUE if it is only in memory. */
u8 kt_code_source(struct code *c, s32 offset);
/* A register of the program gets one of the hit. */
void kt_code_reg(struct code *c, u8 reg, s32 offset);

/* VALUE = what is at base + offset.  If that is unreadable, the code jumps to part->give_up, here or at a later check. */
void kt_code_load(struct code *c, u8 base, s32 offset, u8 size);
/* Load along a chain of pointers; copy 16 bytes to the next items.  False: the caller must do it step by step. */
bool kt_code_chain(struct code *c, const struct kt_insn *in, u8 base);
bool kt_code_sixteen(struct code *c, struct address from);

/* Operations of the program.  False: there is no code. */
bool kt_code_alu(struct code *c, u8 how, u8 reg, u8 with);
bool kt_code_alu_number(struct code *c, u8 how, u8 reg, s32 number);
bool kt_code_add(struct code *c, u8 reg, s32 number);
void kt_code_extend(struct code *c, u8 reg, u8 size);
void kt_code_high(struct code *c, u8 reg, s32 number);

/* KT_OP_EMITTEXT of a payload's code. */
bool kt_code_text_item(struct code *c, const struct kt_insn *in);

/* The code of a payload (struct kt_code.run): its begin, its end; all behind part->give_up. */
void kt_code_run_begin(struct code *c, int needs);
void kt_code_run_end(struct code *c, int needs);
void kt_code_run_rest(struct code *c, int needs);

#endif
