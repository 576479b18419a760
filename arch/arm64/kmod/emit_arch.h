/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * emit_arch.h - functions that write one instruction or a few.  kmod/code/code.h includes it.  Steps of all architectures use the
 * functions put_...(): the first register argument is the result.  All but VALUE, and TEMP1 to TEMP3 outside of programs, keep their values.
 */
#ifndef KTRACE_EMIT_ARCH_H
#define KTRACE_EMIT_ARCH_H

#include "encoding.h"

/* --------------------------------------------------------------------- registers */

static inline void put_move(struct code *c, u8 to, u8 from)
{
	if (to != from)
		put_op(c, ORR, to, KT_ZERO, from);
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

/* A constant of 32 bits, extended by its sign. */
static inline void put_small(struct code *c, u8 to, s32 value)
{
	put_constant(c, to, (u64)(s64)value);
}

#define ADD_IMM		0x91000000U
#define SUB_IMM		0xd1000000U

/* to = from + number; scratch: a register for a number that is no operand */
static inline void put_sum_by(struct code *c, u8 to, u8 from, s32 number, u8 scratch)
{
	const u32 size = number < 0 ? -(u32)number : (u32)number;

	if (!number && from != SP)
		return put_move(c, to, from);
	if (size < 1 << 12)
		return put(c, (number < 0 ? SUB_IMM : ADD_IMM) | size << 10 | from << 5 | to);
	put_small(c, scratch, number);
	put_op(c, ADD, to, from, scratch);
}

static inline void put_sum(struct code *c, u8 to, u8 from, s32 number)
{
	put_sum_by(c, to, from, number, c->a.scratch);
}

static inline void put_add_number(struct code *c, u8 to, s32 number)
{
	put_sum(c, to, to, number);
}

static inline void put_add(struct code *c, u8 to, u8 from)
{
	put_op(c, ADD, to, to, from);
}

static inline void put_sub(struct code *c, u8 to, u8 from)
{
	put_op(c, SUB, to, to, from);
}

static inline void put_and(struct code *c, u8 to, u8 from)
{
	put_op(c, AND, to, to, from);
}

static inline void put_xor(struct code *c, u8 to, u8 from)
{
	put_op(c, EOR, to, to, from);
}

static inline void put_multiply(struct code *c, u8 to, u8 from)
{
	put_op(c, MUL, to, to, from);
}

/* to = a + b + number */
static inline void put_sum_of(struct code *c, u8 to, u8 a, u8 b, s32 number)
{
	put_op(c, ADD, to, a, b);
	put_sum(c, to, to, number);
}

static inline void put_shift_left(struct code *c, u8 to, u8 bits)
{
	put_one(c, SHIFT_LEFT(bits), to, to);
}

static inline void put_shift_right(struct code *c, u8 to, u8 bits)
{
	put_one(c, UBFM_BITS(bits, 64 - bits), to, to);
}

/* to = 0 if it was not negative, else -1. */
static inline void put_sign(struct code *c, u8 to)
{
	put_one(c, ASR_63, to, to);
}

/* The number of bits is in WORK1. */
static inline void put_shift_right_by(struct code *c, u8 to)
{
	put_op(c, LSRV, to, to, WORK1);
}

static inline void put_not(struct code *c, u8 to)
{
	put_op(c, ORN, to, KT_ZERO, to);
}

static inline void put_negate(struct code *c, u8 to)
{
	put_op(c, SUB, to, KT_ZERO, to);
}

/* to &= mask, which is a power of two less 1. */
static inline void put_mask(struct code *c, u8 to, u32 mask)
{
	if (!mask)
		return put_move(c, to, KT_ZERO);
	put_one(c, UBFM_BITS(0, __builtin_ctz(mask + 1)), to, to);
}

/* to |= number, which is a power of two less 1. */
static inline void put_or_number(struct code *c, u8 to, u8 number)
{
	put_one(c, ORR_ONES(__builtin_ctz(number + 1)), to, to);
}

/* to = how many bits `from` needs; 0 for 0. */
static inline void put_bits(struct code *c, u8 to, u8 from)
{
	put_one(c, CLZ, to, from);
	put_constant(c, TEMP1, 64);
	put_op(c, SUB, to, TEMP1, to);
}

/* to = the number of the highest bit set in `from | 1`. */
static inline void put_log2(struct code *c, u8 to, u8 from)
{
	put_one(c, ORR_ONES(1), to, from);
	put_one(c, CLZ, to, to);
	put_constant(c, TEMP1, 63);
	put_op(c, SUB, to, TEMP1, to);
}

/* to ^= to >> 32.  If last, also VALUE = to >> 32. */
static inline void put_fold(struct code *c, u8 to, bool last)
{
	put_op(c, FOLD, to, to, to);
	if (last)
		put_one(c, UBFM_BITS(32, 32), VALUE, to);
}

/* Square WORK2: VALUE = the low 64 bits, WORK2 = the high 64 bits. */
static inline void put_square(struct code *c)
{
	put_op(c, MUL, VALUE, WORK2, WORK2);
	put_op(c, UMULH, WORK2, WORK2, WORK2);
}

/* ------------------------------------------------------------------------ memory */

#define OP_LOAD		(1U << 22)
#define OP_STORE	0

/* Load or store 1, 2, 4 or 8 bytes at base + offset; scratch as above.  A load extends them by zeros. */
static inline void put_memory(struct code *c, u32 op, u8 reg, u8 base, s32 offset, u32 bytes, u8 scratch)
{
	const u32 log = __builtin_ctz(bytes);

	op |= log << 30 | base << 5 | reg;
	if (offset >= 0 && !(offset & (bytes - 1)) && offset >> log < 1 << 12)
		return put(c, op | 0x39000000U | (u32)offset >> log << 10);
	if (offset >= -256 && offset < 256)
		return put(c, op | 0x38000000U | ((u32)offset & 0x1ff) << 12);
	put_small(c, scratch, offset);
	put(c, op | 0x38206800U | scratch << 16);
}

static inline void put_load(struct code *c, u8 to, u8 base, s32 offset, u32 bytes)
{
	put_memory(c, OP_LOAD, to, base, offset, bytes, c->a.scratch);
}

static inline void put_store(struct code *c, u8 reg, u8 base, s32 offset, u32 bytes)
{
	put_memory(c, OP_STORE, reg, base, offset, bytes, c->a.scratch);
}

/* Store a constant.  The code of a program can store only 0. */
static inline void put_store_number(struct code *c, u8 base, s32 offset, u32 bytes, s32 number)
{
	if (number)
		put_small(c, TEMP1, number);
	put_store(c, number ? TEMP1 : KT_ZERO, base, offset, bytes);
}

#define LOAD_INDEXED	0xf8606800U	/* ldr x, [base, x] */
#define STORE_INDEXED	0xf8206800U

/* Load eight bytes from base + index + offset; the next stores them. */
static inline void put_load_indexed(struct code *c, u8 to, u8 base, u8 index, s32 offset)
{
	put_sum(c, TEMP1, base, offset);
	put_op(c, LOAD_INDEXED, to, TEMP1, index);
}

static inline void put_store_indexed(struct code *c, u8 reg, u8 base, u8 index, s32 offset)
{
	put_sum(c, TEMP1, base, offset);
	put_op(c, STORE_INDEXED, reg, TEMP1, index);
}

/* Set a bit of a byte in memory. */
static inline void put_or_at(struct code *c, u8 base, s32 offset, u8 bit)
{
	put_load(c, TEMP3, base, offset, 1);
	put_one(c, ORR_BIT(__builtin_ctz(bit)), TEMP3, TEMP3);
	put_store(c, TEMP3, base, offset, 1);
}

/* Load a variable of the kernel or of ktrace. */
static inline void put_variable(struct code *c, u8 to, const void *variable, u32 bytes)
{
	put_constant(c, to, (unsigned long)variable);
	put_load(c, to, to, 0, bytes);
}

static inline void put_add_from(struct code *c, u8 to, u8 base, s32 offset)
{
	put_load(c, TEMP1, base, offset, 8);
	put_add(c, to, TEMP1);
}

static inline void put_sub_from(struct code *c, u8 to, u8 base, s32 offset)
{
	put_load(c, TEMP1, base, offset, 8);
	put_sub(c, to, TEMP1);
}

/* Returns the register that has the address base + offset: TEMP1, or base itself if the offset is 0. */
static inline u8 put_address(struct code *c, u8 base, s32 offset)
{
	if (!offset)
		return base;
	put_sum(c, TEMP1, base, offset);
	return TEMP1;
}

/* Add a register to eight bytes in memory.  An addition by an interrupt in between is not lost. */
static inline void put_add_to(struct code *c, u8 base, s32 offset, u8 reg)
{
	const u8 at = put_address(c, base, offset);
	u32 again;

	if (c->a.atomics)
		return put(c, STADD | reg << 16 | at << 5);
	again = c->n;
	put(c, LDXR | at << 5 | TEMP3);
	put_add(c, TEMP3, reg);
	put(c, STXR | TEMP2 << 16 | at << 5 | TEMP3);
	put_branch_by(c, CBNZ | TEMP2, again);
}

/* The same with a constant; at: a register with the address.  TEMP3 keeps its value. */
static inline void put_add_constant(struct code *c, u8 at, s32 number)
{
	u32 again;

	if (c->a.atomics) {
		put_small(c, TEMP2, number);
		return put(c, STADD | TEMP2 << 16 | at << 5);
	}
	again = c->n;
	put(c, LDXR | at << 5 | TEMP2);
	put_sum_by(c, TEMP2, TEMP2, number, TEMP1);
	put(c, STXR | TEMP1 << 16 | at << 5 | TEMP2);
	put_branch_by(c, CBNZ | TEMP1, again);
}

static inline void put_count(struct code *c, u8 base, s32 offset)
{
	if (offset)
		put_sum(c, TEMP3, base, offset);
	put_add_constant(c, offset ? TEMP3 : base, 1);
}

/* Add 1 to the eight bytes at base + 8 * index + offset. */
static inline void put_count_at(struct code *c, u8 base, u8 index, s32 offset)
{
	put_op(c, ADD | 3 << 10, TEMP3, base, index);
	put_sum(c, TEMP3, TEMP3, offset);
	put_add_constant(c, TEMP3, 1);
}

/* Add a number of 128 bits.  The addition that wraps the low half adds the carry.  VALUE, which may be the low half, changes. */
static inline void put_add_wide(struct code *c, u8 base, s32 low_at, s32 high_at, u8 low, u8 high)
{
	const u8 at = put_address(c, base, low_at);
	const u32 again = c->n;

	if (c->a.atomics) {
		put(c, LDADD | low << 16 | at << 5 | TEMP2);
		put_op(c, ADDS, TEMP2, TEMP2, low);
	} else {
		put(c, LDXR | at << 5 | TEMP2);
		put_op(c, ADDS, TEMP2, TEMP2, low);
		put(c, STXR | TEMP3 << 16 | at << 5 | TEMP2);
		put_branch_by(c, CBNZ | TEMP3, again);
	}
	put_op(c, ADC, VALUE, high, KT_ZERO);
	put_add_to(c, base, high_at, VALUE);
}

/* to = the address of element `index`.  Elements have this many bytes; the address of the first is stored at base + offset. */
static inline void put_element(struct code *c, u8 to, u8 index, u32 bytes, u8 base, s32 offset)
{
	put_constant(c, TEMP1, bytes);
	put_memory(c, OP_LOAD, to, base, offset, 8, to);
	put_op(c, MADD | to << 10, to, index, TEMP1);
}

/* to += index * bytes */
static inline void put_advance(struct code *c, u8 to, u8 index, u32 bytes)
{
	put_constant(c, TEMP1, bytes);
	put_op(c, MADD | to << 10, to, index, TEMP1);
}

/* A barrier between stores. */
static inline void put_order(struct code *c)
{
	put(c, DMB_ISHST);
}

/* Store eight bytes after all earlier stores. */
static inline void put_release(struct code *c, u8 reg, u8 base, s32 offset)
{
	put_one(c, STLR, reg, put_address(c, base, offset));
}

static inline void put_release_zero(struct code *c, u8 base, s32 offset)
{
	put_release(c, KT_ZERO, base, offset);
}

/* --------------------------------------------------------- comparisons, branches */

/* Conditions (C1.2.4).  The opposite of each has the lowest bit inverted. */
enum condition {
	IF_EQUAL, IF_NOT_EQUAL, IF_NOT_BELOW, IF_BELOW, IF_ABOVE = 8, IF_NOT_ABOVE, IF_NOT_LESS, IF_LESS, IF_GREATER, IF_NOT_GREATER,
	IF_NO_TEXT = IF_NOT_BELOW,	/* behind kt_emit_text() */
};

static inline void put_compare(struct code *c, u8 a, u8 b)
{
	put_op(c, SUBS, KT_ZERO, a, b);
}

#define ADDS_IMM	0xb1000000U
#define SUBS_IMM	0xf1000000U

static inline void put_compare_number(struct code *c, u8 a, s32 number)
{
	if (number > -(1 << 12) && number < 1 << 12)
		return put(c, (number < 0 ? ADDS_IMM | (u32)-number << 10 : SUBS_IMM | (u32)number << 10) | a << 5 | KT_ZERO);
	put_small(c, c->a.scratch, number);
	put_compare(c, a, c->a.scratch);
}

/* Compare a register with eight bytes in memory. */
static inline void put_compare_memory(struct code *c, u8 reg, u8 base, s32 offset)
{
	put_load(c, TEMP1, base, offset, 8);
	put_compare(c, reg, TEMP1);
}

/* The same, and later loads come after this load.  Pairs with the release in kt_agg_claim(), as kt_agg_find() does. */
static inline void put_compare_first(struct code *c, u8 reg, u8 base, s32 offset)
{
	put_one(c, LDAR, TEMP1, put_address(c, base, offset));
	put_compare(c, reg, TEMP1);
}

/* Compare 1, 2, 4 or 8 bytes in memory with a small number. */
static inline void put_compare_at(struct code *c, u8 base, s32 offset, u32 bytes, u8 number)
{
	put_load(c, TEMP1, base, offset, bytes);
	put_compare_number(c, TEMP1, number);
}

static inline void put_jump(struct code *c, u32 target)
{
	put(c, kt_put_b(c->n, target));
}

static inline void put_branch(struct code *c, enum condition condition, u32 target)
{
	put_branch_by(c, B_COND | condition, target);
}

static inline void put_branch_unless_zero(struct code *c, u8 reg, u32 target)
{
	put_branch_by(c, CBNZ | reg, target);
}

static inline void put_branch_negative(struct code *c, u8 reg, u32 target)
{
	put_branch_by_bit(c, TBNZ_63 | reg, target);
}

/* Subtract `from` from `to`, and branch if `to` was less. */
static inline void put_sub_or_branch(struct code *c, u8 to, u8 from, u32 target)
{
	put_op(c, SUBS, to, to, from);
	put_branch(c, IF_BELOW, target);
}

#define LOAD_WORD	0xf8607800U	/* ldr x, [base, x, lsl #3] */

/* Branch unless bit `number` of a bitmap is set; field: a register with the address of the bitmap. */
static inline void put_branch_unless_bit(struct code *c, u8 field, u8 number, u32 target)
{
	put_one(c, UBFM_BITS(6, 58), TEMP1, number);
	put_op(c, LOAD_WORD, TEMP1, field, TEMP1);
	put_op(c, LSRV, TEMP1, TEMP1, number);
	put_branch_by_bit(c, TBZ | TEMP1, target);
}

#define CSINC		0x9a800400U	/* to = the condition in bits 12 .. 15 is true ? a : b + 1 */

/* to = 1 if the condition is true, else 0 */
static inline void put_set(struct code *c, u8 to, enum condition condition)
{
	put_op(c, CSINC | (condition ^ 1) << 12, to, KT_ZERO, KT_ZERO);
}

/* Subtract 1 from a register; IF_EQUAL: branch if it becomes 0, IF_NOT_EQUAL: if it does not. */
static inline void put_count_down(struct code *c, u8 reg, enum condition condition, u32 target)
{
	put(c, SUBS_IMM | 1 << 10 | reg << 5 | reg);
	put_branch(c, condition, target);
}

/* Store a register to eight bytes if they are 0, atomically for all CPUs.  Else branch, with VALUE = the eight bytes. */
static inline void put_claim(struct code *c, u8 reg, u8 base, s32 offset, u32 taken)
{
	const u8 at = put_address(c, base, offset);
	const u32 again = c->n;

	put(c, LDAXR | at << 5 | VALUE);
	put_branch_by(c, CBNZ | VALUE, taken);
	put(c, STLXR | TEMP2 << 16 | at << 5 | reg);
	put_branch_by(c, CBNZ | TEMP2, again);
}

/* Subtract 1 from eight bytes if they are above 1, atomically for all CPUs.  Else branch. */
static inline void put_take(struct code *c, u8 base, u32 none)
{
	const u32 again = c->n;

	put(c, LDAXR | base << 5 | VALUE);
	put_compare_number(c, VALUE, 1);
	put_branch(c, IF_NOT_GREATER, none);
	put_add_number(c, VALUE, -1);
	put(c, STLXR | TEMP2 << 16 | base << 5 | VALUE);
	put_branch_by(c, CBNZ | TEMP2, again);
}

/*
 * Store the register to eight bytes that only this CPU writes, unless the condition holds for the register and these bytes.  Then
 * jump to `back`.
 */
static inline void put_limit(struct code *c, u8 reg, u8 base, s32 offset, enum condition unless, u32 back)
{
	const u8 at = put_address(c, base, offset);
	const u32 again = c->n;

	put(c, LDXR | at << 5 | TEMP3);
	put_compare(c, reg, TEMP3);
	put_branch(c, unless, back);
	put(c, STXR | TEMP2 << 16 | at << 5 | reg);
	put_branch_by(c, CBNZ | TEMP2, again);
	put_jump(c, back);
}

/* ------------------------------------------------------------------ per-CPU memory */

/* Change a per-CPU address to the base that the functions below take. */
static inline void put_cpu_base(struct code *c, u8 base)
{
	put_add(c, base, OFFSET);
}

static inline void put_cpu_load(struct code *c, u8 to, u8 base, s32 offset)
{
	put_load(c, to, base, offset, 8);
}

static inline void put_cpu_store(struct code *c, u8 reg, u8 base, s32 offset)
{
	put_store(c, reg, base, offset, 8);
}

static inline void put_cpu_store_zero(struct code *c, u8 base, s32 offset)
{
	put_store(c, KT_ZERO, base, offset, 8);
}

static inline void put_cpu_count(struct code *c, u8 base, s32 offset)
{
	put_count(c, base, offset);
}

static inline void put_cpu_branch_unless_zero(struct code *c, u8 base, s32 offset, u32 target)
{
	put_load(c, TEMP1, base, offset, 8);
	put_branch_unless_zero(c, TEMP1, target);
}

#endif
