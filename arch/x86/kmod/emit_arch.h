/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * emit_arch.h - functions that write one instruction or a few.  kmod/code/code.h includes it.  Steps of all architectures use the
 * functions put_...(): the first register argument is the result.  All but VALUE keep their values.
 */
#ifndef KTRACE_EMIT_ARCH_H
#define KTRACE_EMIT_ARCH_H

#include "encoding.h"

/* --------------------------------------------------------------------- registers */

static inline void put_move(struct code *c, u8 to, u8 from)
{
	if (from != to)
		regs_op(c, MOV, from, to);
}

static inline void put_constant(struct code *c, u8 to, u64 value)
{
	put8(c, 0x48 | to >> 3);
	put8(c, 0xb8 | (to & 7));
	put_bytes(c, value, 8);
}

/* A constant of 32 bits, extended by its sign. */
static inline void put_small(struct code *c, u8 to, s32 value)
{
	regs_op(c, MOV_IMM, 0, to);
	put_bytes(c, value, 4);
}

static inline void put_add(struct code *c, u8 to, u8 from)
{
	regs_op(c, ADD, from, to);
}

static inline void put_sub(struct code *c, u8 to, u8 from)
{
	regs_op(c, SUB, from, to);
}

static inline void put_and(struct code *c, u8 to, u8 from)
{
	regs_op(c, AND, from, to);
}

static inline void put_xor(struct code *c, u8 to, u8 from)
{
	regs_op(c, XOR, from, to);
}

static inline void put_multiply(struct code *c, u8 to, u8 from)
{
	put_rex(c, true, to, from);
	put_bytes(c, 0xaf0f, 2);
	put_modrm(c, to, from);
}

static inline void put_add_number(struct code *c, u8 to, s32 number)
{
	regs_op(c, GROUP_IMM, 0, to);
	put_bytes(c, number, 4);
}

static inline void put_sum(struct code *c, u8 to, u8 from, s32 number)
{
	memory_op(c, true, LEA, to, from, number);
}

/* to = a + b + number */
static inline void put_sum_of(struct code *c, u8 to, u8 a, u8 b, s32 number)
{
	indexed_op(c, true, LEA, to, a, b, 0, number);
}

static inline void put_shift_left(struct code *c, u8 to, u8 bits)
{
	regs_op(c, SHIFT_IMM, 4, to);
	put8(c, bits);
}

static inline void put_shift_right(struct code *c, u8 to, u8 bits)
{
	regs_op(c, SHIFT_IMM, 5, to);
	put8(c, bits);
}

/* to = 0 if it was not negative, else -1. */
static inline void put_sign(struct code *c, u8 to)
{
	regs_op(c, SHIFT_IMM, 7, to);
	put8(c, 63);
}

/* The number of bits is in WORK1. */
static inline void put_shift_right_by(struct code *c, u8 to)
{
	regs_op(c, SHIFT_BY, 5, to);
}

static inline void put_not(struct code *c, u8 to)
{
	regs_op(c, 0xf7, 2, to);
}

static inline void put_negate(struct code *c, u8 to)
{
	regs_op(c, 0xf7, 3, to);
}

/* to &= mask, which has at most 31 bits. */
static inline void put_mask(struct code *c, u8 to, u32 mask)
{
	put_rex(c, false, 0, to);
	put8(c, GROUP_IMM);
	put_modrm(c, 4, to);
	put_bytes(c, mask, 4);
}

static inline void put_or_number(struct code *c, u8 to, u8 number)
{
	regs_op(c, CMP_IMM8, 1, to);
	put8(c, number);
}

/* to = the number of the highest bit set in `from | 1`. */
static inline void put_log2(struct code *c, u8 to, u8 from)
{
	put_move(c, to, from);
	put_or_number(c, to, 1);		/* bsr of 0 has no result */
	put_rex(c, true, to, to);
	put_bytes(c, 0xbd0f, 2);
	put_modrm(c, to, to);
}

/* to = how many bits `from` needs; 0 for 0.  It is not negative, and changes: bsr of 2 * from + 1. */
static inline void put_bits(struct code *c, u8 to, u8 from)
{
	indexed_op(c, true, LEA, from, from, from, 0, 1);
	put_rex(c, true, to, from);
	put_bytes(c, 0xbd0f, 2);
	put_modrm(c, to, from);
}

/* to ^= to >> 32.  If last, also VALUE = to >> 32. */
static inline void put_fold(struct code *c, u8 to, bool last)
{
	put_move(c, VALUE, to);
	put_shift_right(c, VALUE, 32);
	put_xor(c, to, VALUE);
}

/* Square WORK2: VALUE = the low 64 bits, WORK2 = the high 64 bits. */
static inline void put_square(struct code *c)
{
	put_move(c, VALUE, WORK2);
	put_bytes(c, 0xe2f748, 3);		/* mul %rdx */
}

/* ------------------------------------------------------------------------ memory */

static inline void put_load(struct code *c, u8 to, u8 base, s32 offset, u32 bytes)
{
	if (bytes >= 4)
		return memory_op(c, bytes == 8, MOV_LOAD, to, base, offset);
	put_rex(c, false, to, base);
	put_bytes(c, bytes == 1 ? 0xb60f : 0xb70f, 2);	/* movzx */
	put_at(c, to, base, offset);
}

static inline void put_store(struct code *c, u8 reg, u8 base, s32 offset, u32 bytes)
{
	if (bytes == 2)
		put8(c, 0x66);
	memory_op(c, bytes == 8, MOV_STORE, reg, base, offset);
}

/* Store a constant; one of 8 bytes is 4 bytes extended by the sign. */
static inline void put_store_number(struct code *c, u8 base, s32 offset, u32 bytes, s32 number)
{
	if (bytes == 2)
		put8(c, 0x66);
	memory_op(c, bytes == 8, bytes == 1 ? MOV_BYTE : MOV_IMM, 0, base, offset);
	put_bytes(c, number, bytes == 8 ? 4 : bytes);
}

/* Load eight bytes from base + index + offset; the next stores them. */
static inline void put_load_indexed(struct code *c, u8 to, u8 base, u8 index, s32 offset)
{
	indexed_op(c, true, MOV_LOAD, to, base, index, 0, offset);
}

static inline void put_store_indexed(struct code *c, u8 reg, u8 base, u8 index, s32 offset)
{
	indexed_op(c, true, MOV_STORE, reg, base, index, 0, offset);
}

/* Set these bits of a byte in memory. */
static inline void put_or_at(struct code *c, u8 base, s32 offset, u8 bits)
{
	memory_op(c, false, CMP_BYTE, 1, base, offset);
	put8(c, bits);
}

/* Load a variable of the kernel or of ktrace. */
static inline void put_variable(struct code *c, u8 to, const void *variable, u32 bytes)
{
	if (to != AX) {
		put_constant(c, to, (unsigned long)variable);
		return put_load(c, to, to, 0, bytes);
	}
	if (bytes == 8)
		put8(c, 0x48);
	put8(c, bytes == 1 ? 0xa0 : 0xa1);
	put_bytes(c, (unsigned long)variable, 8);
}

static inline void put_add_from(struct code *c, u8 to, u8 base, s32 offset)
{
	memory_op(c, true, ADD_LOAD, to, base, offset);
}

static inline void put_sub_from(struct code *c, u8 to, u8 base, s32 offset)
{
	memory_op(c, true, SUB_LOAD, to, base, offset);
}

/* Add a register to eight bytes in memory, by one instruction. */
static inline void put_add_to(struct code *c, u8 base, s32 offset, u8 reg)
{
	memory_op(c, true, ADD, reg, base, offset);
}

static inline void put_count(struct code *c, u8 base, s32 offset)
{
	memory_op(c, true, INC_DEC, 0, base, offset);
}

/* Add 1 to the eight bytes at base + 8 * index + offset. */
static inline void put_count_at(struct code *c, u8 base, u8 index, s32 offset)
{
	indexed_op(c, true, INC_DEC, 0, base, index, 3, offset);
}

/* Add a number of 128 bits.  An interrupt between the two additions restores the carry flag. */
static inline void put_add_wide(struct code *c, u8 base, s32 low_at, s32 high_at, u8 low, u8 high)
{
	put_add_to(c, base, low_at, low);
	memory_op(c, true, ADC, high, base, high_at);
}

/* to = the address of element `index`.  Elements have this many bytes; the address of the first is stored at base + offset. */
static inline void put_element(struct code *c, u8 to, u8 index, u32 bytes, u8 base, s32 offset)
{
	regs_op(c, MULTIPLY_IMM, to, index);
	put_bytes(c, bytes, 4);
	put_add_from(c, to, base, offset);
}

/* to += index * bytes; the index changes. */
static inline void put_advance(struct code *c, u8 to, u8 index, u32 bytes)
{
	regs_op(c, MULTIPLY_IMM, index, index);
	put_bytes(c, bytes, 4);
	put_add(c, to, index);
}

/* A barrier between stores: no instruction, because the CPU keeps their order. */
static inline void put_order(struct code *c)
{
}

/* Store eight bytes after all earlier stores. */
static inline void put_release(struct code *c, u8 reg, u8 base, s32 offset)
{
	put_store(c, reg, base, offset, 8);
}

static inline void put_release_zero(struct code *c, u8 base, s32 offset)
{
	put_store_number(c, base, offset, 8, 0);
}

/* --------------------------------------------------------- comparisons, branches */

/* Conditions (Intel SDM, volume 2, appendix B.1.4.7).  The opposite of each has the lowest bit inverted. */
enum condition {
	IF_BELOW = 2, IF_NOT_BELOW, IF_EQUAL, IF_NOT_EQUAL, IF_NOT_ABOVE, IF_ABOVE, IF_NEGATIVE, IF_NOT_NEGATIVE,
	IF_LESS = 12, IF_NOT_LESS, IF_NOT_GREATER, IF_GREATER,
	IF_CARRY = IF_BELOW, IF_NO_CARRY = IF_NOT_BELOW,
	IF_NO_TEXT = IF_NO_CARRY,	/* behind kt_emit_text() */
};

static inline void put_compare(struct code *c, u8 a, u8 b)
{
	regs_op(c, CMP_REGS, b, a);
}

static inline void put_compare_number(struct code *c, u8 a, s32 number)
{
	regs_op(c, GROUP_IMM, 7, a);
	put_bytes(c, number, 4);
}

/* Compare a register with eight bytes in memory. */
static inline void put_compare_memory(struct code *c, u8 reg, u8 base, s32 offset)
{
	memory_op(c, true, CMP_LOAD, reg, base, offset);
}

/* The same, and later loads come after this load. */
static inline void put_compare_first(struct code *c, u8 reg, u8 base, s32 offset)
{
	put_compare_memory(c, reg, base, offset);
}

/* Compare 1, 2, 4 or 8 bytes in memory with a small number. */
static inline void put_compare_at(struct code *c, u8 base, s32 offset, u32 bytes, u8 number)
{
	if (bytes == 2)
		put8(c, 0x66);
	memory_op(c, bytes == 8, bytes == 1 ? CMP_BYTE : CMP_IMM8, 7, base, offset);
	put8(c, number);
}

static inline void put_jump(struct code *c, u32 target)
{
	put8(c, 0xe9);
	put_distance(c, c->at + target);
}

static inline void put_branch(struct code *c, enum condition condition, u32 target)
{
	put8(c, 0x0f);
	put8(c, 0x80 | condition);
	put_distance(c, c->at + target);
}

/* Subtract `from` from `to`, and branch if `to` was less. */
static inline void put_sub_or_branch(struct code *c, u8 to, u8 from, u32 target)
{
	put_sub(c, to, from);
	put_branch(c, IF_BELOW, target);
}

static inline void put_branch_unless_zero(struct code *c, u8 reg, u32 target)
{
	regs_op(c, TEST, reg, reg);
	put_branch(c, IF_NOT_EQUAL, target);
}

static inline void put_branch_negative(struct code *c, u8 reg, u32 target)
{
	regs_op(c, TEST, reg, reg);
	put_branch(c, IF_NEGATIVE, target);
}

/* Branch unless bit `number` of a bitmap is set; field: a register with the address of the bitmap. */
static inline void put_branch_unless_bit(struct code *c, u8 field, u8 number, u32 target)
{
	put_rex(c, true, number, field);
	put_bytes(c, 0xa30f, 2);		/* bt */
	put8(c, (number & 7) << 3 | (field & 7));
	put_branch(c, IF_NO_CARRY, target);
}

/* to = 1 if the condition is true, else 0: setcc %al; movzx %al, to */
static inline void put_set(struct code *c, u8 to, enum condition condition)
{
	put8(c, 0x0f);
	put8(c, 0x90 | condition);
	put8(c, 0xc0);
	put_rex(c, true, to, AX);
	put_bytes(c, 0xb60f, 2);
	put_modrm(c, to, AX);
}

/* Subtract 1 from a register of 32 bits; IF_EQUAL: branch if it becomes 0, IF_NOT_EQUAL: if it does not. */
static inline void put_count_down(struct code *c, u8 reg, enum condition condition, u32 target)
{
	put8(c, INC_DEC);
	put_modrm(c, 1, reg);
	put_branch(c, condition, target);
}

/* (lock) cmpxchg reg, [base + offset]: rax is what it expects there. */
static inline void put_cmpxchg(struct code *c, bool lock, u8 reg, u8 base, s32 offset)
{
	if (lock)
		put8(c, 0xf0);
	put_rex(c, true, reg, base);
	put_bytes(c, 0xb10f, 2);
	put_at(c, reg, base, offset);
}

/* Store a register to eight bytes if they are 0, atomically for all CPUs.  Else branch, with VALUE = the eight bytes. */
static inline void put_claim(struct code *c, u8 reg, u8 base, s32 offset, u32 taken)
{
	put_bytes(c, 0xc031, 2);		/* xor %eax, %eax */
	put_cmpxchg(c, true, reg, base, offset);
	put_branch(c, IF_NOT_EQUAL, taken);
}

/* Subtract 1 from eight bytes if they are above 1, atomically for all CPUs.  Else branch. */
static inline void put_take(struct code *c, u8 base, u32 none)
{
	const u32 again = c->n;

	put_load(c, AX, base, 0, 8);
	put_compare_number(c, AX, 1);
	put_branch(c, IF_NOT_GREATER, none);
	put_bytes(c, 0x56, 1);			/* push %rsi */
	put_sum(c, SI, AX, -1);
	put_cmpxchg(c, true, SI, base, 0);
	put_bytes(c, 0x5e, 1);			/* pop %rsi */
	put_branch(c, IF_NOT_EQUAL, again);
}

/*
 * Store the register to eight bytes that only this CPU writes, unless the condition holds for the register and these bytes.  Then
 * jump to `back`.
 */
static inline void put_limit(struct code *c, u8 reg, u8 base, s32 offset, enum condition unless, u32 back)
{
	u32 again;

	put_load(c, AX, base, offset, 8);
	again = c->n;
	put_compare(c, reg, AX);
	put_branch(c, unless, back);
	put_cmpxchg(c, false, reg, base, offset);
	put_branch(c, IF_NOT_EQUAL, again);
	put_jump(c, back);
}

/* ------------------------------------------------------------------ per-CPU memory */

/* Change a per-CPU address to the base that the functions below take. */
static inline void put_cpu_base(struct code *c, u8 base)
{
}

static inline void put_cpu_load(struct code *c, u8 to, u8 base, s32 offset)
{
	percpu_at(c, true, MOV_LOAD, to, base, offset);
}

static inline void put_cpu_store(struct code *c, u8 reg, u8 base, s32 offset)
{
	percpu_at(c, true, MOV_STORE, reg, base, offset);
}

static inline void put_cpu_store_zero(struct code *c, u8 base, s32 offset)
{
	percpu_at(c, true, MOV_IMM, 0, base, offset);
	put_bytes(c, 0, 4);
}

static inline void put_cpu_count(struct code *c, u8 base, s32 offset)
{
	percpu_at(c, true, INC_DEC, 0, base, offset);
}

static inline void put_cpu_branch_unless_zero(struct code *c, u8 base, s32 offset, u32 target)
{
	percpu_at(c, true, CMP_IMM8, 7, base, offset);
	put8(c, 0);
	put_branch(c, IF_NOT_EQUAL, target);
}

#endif
