/* SPDX-License-Identifier: GPL-2.0-only */
/* encoding.h - the instructions of x86-64 in bytes (Intel SDM, volume 2), for emit_arch.h and the files emit_*.c. */
#ifndef KTRACE_ENCODING_H
#define KTRACE_ENCODING_H

static inline void put8(struct code *c, u8 byte)
{
	put_bytes(c, byte, 1);
}

/*
 * Put the operand of a call or jump: the distance to the target, counted from the end of these 4 bytes.  Not inline: the
 * compiler would make a constant target - 4, which objtool takes for the address of other code.
 */
static kt_noinline __attribute__((unused)) void put_distance(struct code *c, unsigned long target)
{
	put_bytes(c, target - (c->at + c->n + 4), 4);
}

/* The prefix REX: wide operands, and the high bits of the two registers. */
static inline void put_rex(struct code *c, bool wide, u8 reg, u8 rm)
{
	put8(c, 0x40 | wide << 3 | (reg >> 3) << 2 | rm >> 3);
}

static inline void put_modrm(struct code *c, u8 reg, u8 rm)
{
	put8(c, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

/* An instruction with two registers. */
static inline void regs_op(struct code *c, u8 opcode, u8 reg, u8 rm)
{
	put_rex(c, true, reg, rm);
	put8(c, opcode);
	put_modrm(c, reg, rm);
}

/* Mod and r/m for [base + offset]; rsp and r12 need a SIB byte. */
static inline void put_at(struct code *c, u8 reg, u8 base, s32 offset)
{
	const bool is_short = offset >= -128 && offset < 128;

	put8(c, (is_short ? 0x40 : 0x80) | (reg & 7) << 3 | (base & 7));
	if ((base & 7) == SP)
		put8(c, 0x24);
	put_bytes(c, offset, is_short ? 1 : 4);
}

static inline void memory_op(struct code *c, bool wide, u8 opcode, u8 reg, u8 base, s32 offset)
{
	put_rex(c, wide, reg, base);
	put8(c, opcode);
	put_at(c, reg, base, offset);
}

/* The same with the address base + (index << scale) + offset. */
static inline void indexed_op(struct code *c, bool wide, u8 opcode, u8 reg, u8 base, u8 index, u8 scale, s32 offset)
{
	put8(c, 0x40 | wide << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3);
	put8(c, opcode);
	put8(c, 0x44 | (reg & 7) << 3);
	put8(c, scale << 6 | (index & 7) << 3 | (base & 7));
	put8(c, offset);
}

#define MOV_LOAD	0x8b	/* mov [...], reg */
#define MOV_STORE	0x89	/* mov reg, [...] */
#define MOV		0x89	/* mov reg, rm */
#define LEA		0x8d	/* lea [...], reg */
#define ADD		0x01	/* add reg, rm */
#define ADD_LOAD	0x03	/* add [...], reg */
#define OR		0x09	/* or reg, rm */
#define OR_LOAD		0x0b	/* or [...], reg */
#define ADC		0x11	/* adc reg, rm */
#define AND		0x21	/* and reg, rm */
#define SUB		0x29	/* sub reg, rm */
#define SUB_LOAD	0x2b	/* sub [...], reg */
#define XOR		0x31	/* xor reg, rm */
#define CMP_REGS	0x39	/* cmp reg, rm */
#define CMP_LOAD	0x3b	/* cmp [...], reg */
#define MULTIPLY_IMM	0x69	/* reg = rm * imm */
#define CMP_BYTE	0x80	/* /7; /1: or */
#define GROUP_IMM	0x81	/* /n: the operation n of rm and a constant */
#define CMP_IMM8	0x83	/* /7 */
#define TEST		0x85	/* test reg, rm */
#define SHIFT_IMM	0xc1	/* /n */
#define MOV_BYTE	0xc6	/* /0 */
#define MOV_IMM		0xc7	/* /0: mov $imm, rm */
#define SHIFT_BY	0xd3	/* /n: by cl */
#define INC_DEC		0xff	/* /0: inc; /1: dec; /6: push */

#define PERCPU	0x65			/* gs */

/* An operation with a register or /n, and the static per-CPU variable at this address. */
static inline void percpu_op(struct code *c, bool wide, u8 opcode, u8 reg, s32 address)
{
	put8(c, PERCPU);
	put_rex(c, wide, reg, 0);
	put8(c, opcode);
	put8(c, (reg & 7) << 3 | 4);
	put8(c, 0x25);
	put_bytes(c, address, 4);
}

/* The same, of the per-CPU variable at the address that a register holds, plus an offset. */
static inline void percpu_at(struct code *c, bool wide, u8 opcode, u8 reg, u8 base, s32 offset)
{
	put8(c, PERCPU);
	memory_op(c, wide, opcode, reg, base, offset);
}

static inline void jump_to(struct code *c, const void *target)
{
	put8(c, 0xe9);
	put_distance(c, (unsigned long)target);
}

static inline void call(struct code *c, const void *function)
{
	put8(c, 0xe8);
	put_distance(c, (unsigned long)function);
}

static inline void put_push(struct code *c, u8 reg)
{
	if (reg >= R8)
		put8(c, 0x41);
	put8(c, 0x50 | (reg & 7));
}

static inline void put_pop(struct code *c, u8 reg)
{
	if (reg >= R8)
		put8(c, 0x41);
	put8(c, 0x58 | (reg & 7));
}

/* endbr64: the code is called, or jumped to, indirectly. */
static inline void put_endbr(struct code *c)
{
	put_bytes(c, 0xfa1e0ff3, 4);
}

/* movsx or movzx; the bytes of its opcode, the lowest first. */
static inline void put_extended(struct code *c, u8 to, u8 from, u32 opcode)
{
	put_rex(c, true, to, from);
	put_bytes(c, opcode, opcode > 0xff ? 2 : 1);
	put_modrm(c, to, from);
}

/* The low half of a register; the other one becomes 0. */
static inline void put_low(struct code *c, u8 reg)
{
	put_rex(c, false, reg, reg);
	put8(c, MOV);
	put_modrm(c, reg, reg);
}

static inline bool is_signed32(unsigned long address)
{
	return (s64)address == (s32)address;
}

/* Reserve one of the registers `from`, which are bits, if the pool still has one.  Returns NO_REG if it has none. */
static inline u8 take(struct code *c, u32 from)
{
	const u32 left = c->a.pool & from;
	const u8 reg = left ? __builtin_ctz(left) : NO_REG;

	if (left)
		c->a.pool &= ~BIT_OF(reg);
	return reg;
}

#endif
