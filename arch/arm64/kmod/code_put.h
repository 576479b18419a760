/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code_put.h - write instructions for generate.c and generate_hit.c, which explain the use of registers.  The numbers of instructions
 * are those of the Arm Architecture Reference Manual, C4.1 and C6.2; their registers are 64 bits wide.
 */
#ifndef KTRACE_ARM64_CODE_PUT_H
#define KTRACE_ARM64_CODE_PUT_H

#include "core/capture.h"
#include "encode.h"

/*
 * Registers that have the same use in all generated code.  The last two are arguments of the functions that load: where the direct map
 * begins, and its size in bytes.
 */
enum { VALUE = 12, SCRATCH, DIRECT_START = 16, DIRECT_BYTES };

#define SP		31		/* as the base of an address; elsewhere the number is that of KT_ZERO */
#define BIT_OF(reg)	(1U << (reg))

/* A program for which code is written.  The places are known after the first pass. */
struct part {
	const struct kt_insn *insns;
	u32 len;
	u32 now;			/* the instruction for which code is written now */
	u32 give_up, done, drop;	/* where the code goes if a load fails; its end; where a filter goes that refuses the hit */
	u16 starts[KT_MAX_PROG + 1];	/* where the code of each instruction begins */
	u16 jump_offsets[KT_MAX_PROG + 1];	/* the offset that jumps bring to an instruction, plus 1; 0: no jump leads there */
};

struct code {
	u8 *to;
	u32 room, n;			/* n counts bytes without room, too */
	unsigned long at;
	struct part *part;
	u32 offset;			/* of the next item in the payload */
	bool too_far;			/* no branch reaches what the code calls */
	u8 first;			/* register 0 of the program; the others follow */
	u8 regs_at, out, task, call;	/* the registers of the hit, the payload, the current task, the registers of the system call */
	u32 used;			/* those that the code of programs has written to so far */
	/* Of a hit: */
	u32 live;			/* registers that the code does not change: programs read them where they are */
	u64 in_memory;			/* a set of registers: the frame has their values */
	u64 read;			/* registers that the programs read */
	bool lacks;			/* a program reads a register that is in neither */
};

/*
 * The result after the last pass: the bytes of the code.  `before`: those that the pass before it found.  If the two differ, the jumps
 * lead to wrong places, which must not happen; then there is no code.
 */
static inline int pass_result(const struct code *c, u32 before)
{
	return c->n == before ? (int)c->n : -EOPNOTSUPP;
}

static inline void put(struct code *c, u32 insn)
{
	u32 i;

	for (i = 0; i < KT_INSN_BYTES; i++, c->n++)
		if (c->n < c->room)
			c->to[c->n] = insn >> 8 * i;
}

#define BTI_C		0xd503245fU	/* the code is called indirectly */
#define DMB_ISHST	0xd5033abfU	/* all stores before it come before all stores behind it */
#define RET		0xd65f0000U	/* to the register in bits 5 .. 9 */

/* Data processing with three registers: to = a OP b */
#define ADD		0x8b000000U
#define SUB		0xcb000000U
#define AND		0x8a000000U
#define ORR		0xaa000000U
#define EOR		0xca000000U
#define MUL		0x9b007c00U
#define LSLV		0x9ac02000U	/* shifts by the low six bits of b */
#define LSRV		0x9ac02400U
#define ASRV		0x9ac02800U
#define SUBS		0xeb000000U

static inline void put_op(struct code *c, u32 op, u8 to, u8 a, u8 b)
{
	put(c, op | b << 16 | a << 5 | to);
}

static inline void move(struct code *c, u8 to, u8 from)
{
	if (to != from)
		put_op(c, ORR, to, KT_ZERO, from);
}

static inline void put_compare(struct code *c, u8 a, u8 b)
{
	put_op(c, SUBS, KT_ZERO, a, b);
}

#define MOVN		0x92800000U	/* the other bits become 1 */
#define MOVZ		0xd2800000U
#define MOVK		0xf2800000U	/* the other bits stay */

/* Set the 16 bits of a register that begin at bit 16 * part. */
static inline void put_part(struct code *c, u32 op, u8 to, u32 part, u16 bits)
{
	put(c, op | part << 21 | (u32)bits << 5 | to);
}

/*
 * The first instruction sets one part, and all others to 0 or to 0xffff, whichever the number has more often.  Each other part that
 * differs takes another instruction.
 */
static inline void put_constant(struct code *c, u8 to, u64 number)
{
	bool first = true;
	u16 others;
	s32 more = 0;
	u32 part;

	for (part = 0; part < 4; part++) {
		const u16 bits = number >> 16 * part;

		more += (bits == 0xffff) - !bits;
	}
	others = more > 0 ? 0xffff : 0;
	for (part = 0; part < 4; part++) {
		const u16 bits = number >> 16 * part;

		if (bits == others && !(first && part == 3))
			continue;
		if (first)
			put_part(c, others ? MOVN : MOVZ, to, part, bits ^ others);
		else
			put_part(c, MOVK, to, part, bits);
		first = false;
	}
}

#define UBFM_BITS(first, n)	(0xd3400000U | (first) << 16 | ((first) + (n) - 1) << 10)	/* n bits from `first` on */
#define SHIFT_LEFT(n)		(0xd3400000U | (64 - (n)) << 16 | (63 - (n)) << 10)

/* to = some bits of from: one of the two above. */
static inline void put_bits(struct code *c, u32 op, u8 to, u8 from)
{
	put(c, op | from << 5 | to);
}

#define ADD_IMM		0x91000000U
#define SUB_IMM		0xd1000000U

/* to = from + number; scratch: a register for a number that is no operand */
static inline void put_sum(struct code *c, u8 to, u8 from, s32 number, u8 scratch)
{
	const u32 size = number < 0 ? -(u32)number : (u32)number;

	if (!number)
		return move(c, to, from);
	if (size < 1 << 12)
		return put(c, (number < 0 ? SUB_IMM : ADD_IMM) | size << 10 | from << 5 | to);
	put_constant(c, scratch, (u64)(s64)number);
	put_op(c, ADD, to, from, scratch);
}

#define SBFM		0x93400000U	/* copies the low bits; all others become what the highest of them is */
#define UBFM		0xd3400000U	/* copies the low bits; all others become 0 */

static inline void put_extend(struct code *c, u32 op, u8 to, u8 from, u32 bits)
{
	put(c, op | (bits - 1) << 10 | from << 5 | to);
}

/* Conditions (C1.2.4).  The opposite of each has the lowest bit inverted. */
enum condition { EQ, NE, HS, LO, HI = 8, LS, GE, LT, GT, LE };

#define CSINC		0x9a800400U	/* to = the condition is true ? a : b + 1 */

/* to = the condition is true */
static inline void put_set(struct code *c, u8 to, enum condition condition)
{
	put_op(c, CSINC | (condition ^ 1) << 12, to, KT_ZERO, KT_ZERO);
}

#define OP_LOAD		(1U << 22)
#define OP_STORE		0

/* Load or store 1, 2, 4 or 8 bytes at base + offset; scratch as above.  A load extends them by zeros. */
static inline void put_memory(struct code *c, u32 op, u8 reg, u8 base, s32 offset, u32 bytes, u8 scratch)
{
	const u32 log = __builtin_ctz(bytes);

	op |= log << 30 | base << 5 | reg;
	if (offset >= 0 && !(offset & (bytes - 1)) && offset >> log < 1 << 12)
		return put(c, op | 0x39000000U | (u32)offset >> log << 10);
	if (offset >= -256 && offset < 256)
		return put(c, op | 0x38000000U | ((u32)offset & 0x1ff) << 12);
	put_constant(c, scratch, (u64)(s64)offset);
	put(c, op | 0x38206800U | scratch << 16);
}

#define B_COND		0x54000000U
#define CBZ		0xb4000000U
#define CBNZ		0xb5000000U

/* b.cond, cbz or cbnz to another place of the code. */
static inline void put_branch(struct code *c, u32 op, u32 target)
{
	put(c, op | ((target - c->n) >> 2 & 0x7ffff) << 5);
}

static inline void jump_to(struct code *c, u32 target)
{
	put(c, kt_put_b(c->n, target));
}

/* link: 1 << 31 to call it, 0 to leave for it.  Where the code will be is not known as long as it has no room. */
static inline void put_call(struct code *c, const void *function, u32 link)
{
	const unsigned long from = c->at + c->n, to = (unsigned long)function;

	c->too_far |= c->room && !kt_branch_reaches(from, to);
	put(c, kt_put_b(from, to) | link);
}

#endif
