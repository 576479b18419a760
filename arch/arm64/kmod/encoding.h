/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encoding.h - the instructions of A64 in numbers, for emit_arch.h and the files emit_*.c.  They are those of the Arm Architecture
 * Reference Manual, C4.1 and C6.2; their registers are 64 bits wide.
 */
#ifndef KTRACE_ENCODING_H
#define KTRACE_ENCODING_H

static inline void put(struct code *c, u32 insn)
{
	put_bytes(c, insn, KT_INSN_BYTES);
}

#define BTI_C		0xd503245fU	/* the code is called indirectly */
#define DMB_ISHST	0xd5033abfU	/* all stores before it come before all stores behind it */
#define RET		0xd65f0000U	/* to the register in bits 5 .. 9 */

/* Data processing with three registers: to = a OP b */
#define ADD		0x8b000000U
#define ADDS		0xab000000U
#define ADC		0x9a000000U
#define SUB		0xcb000000U
#define SUBS		0xeb000000U
#define AND		0x8a000000U
#define ORR		0xaa000000U
#define ORN		0xaa200000U
#define EOR		0xca000000U
#define FOLD		0xca408000U	/* to = a ^ b >> 32 */
#define MUL		0x9b007c00U
#define MADD		0x9b000000U	/* to = a * b + the register in bits 10 .. 14 */
#define UMULH		0x9bc07c00U
#define LSLV		0x9ac02000U	/* shifts by the low six bits of b */
#define LSRV		0x9ac02400U
#define ASRV		0x9ac02800U

static inline void put_op(struct code *c, u32 op, u8 to, u8 a, u8 b)
{
	put(c, op | b << 16 | a << 5 | to);
}

/* One register: to = OP from */
#define CLZ		0xdac01000U
#define ASR_63		0x937ffc00U
#define ORR_ONES(n)	(0xb2400000U | ((n) - 1) << 10)	/* the lowest n bits become 1 */
#define ORR_BIT(n)	(0xb2400000U | ((64 - (n)) & 63) << 16)
#define SBFM		0x93400000U	/* copies the low bits; all others become what the highest of them is */
#define UBFM		0xd3400000U	/* copies the low bits; all others become 0 */
#define UBFM_BITS(first, n)	(0xd3400000U | (first) << 16 | ((first) + (n) - 1) << 10)	/* n bits from `first` on */
#define SHIFT_LEFT(n)		(0xd3400000U | ((64 - (n)) & 63) << 16 | (63 - (n)) << 10)

static inline void put_one(struct code *c, u32 op, u8 to, u8 from)
{
	put(c, op | from << 5 | to);
}

#define MOVN		0x92800000U	/* the other bits become 1 */
#define MOVZ		0xd2800000U
#define MOVK		0xf2800000U	/* the other bits stay */

/* Set the 16 bits of a register that begin at bit 16 * part. */
static inline void put_part(struct code *c, u32 op, u8 to, u32 part, u16 bits)
{
	put(c, op | part << 21 | (u32)bits << 5 | to);
}

#define LDXR		0xc85f7c00U
#define LDAXR		0xc85ffc00U
#define STXR		0xc8007c00U	/* the status to the register in bits 16 .. 20: 0 if it has stored */
#define STLXR		0xc800fc00U
#define STADD		0xf820001fU	/* the register in bits 16 .. 20 is added */
#define LDADD		0xf8200000U	/* the same; to = what was there */
#define LDAR		0xc8dffc00U
#define STLR		0xc89ffc00U

#define B_COND		0x54000000U
#define CBZ		0xb4000000U
#define CBNZ		0xb5000000U
#define TBZ		0x36000000U	/* of the lowest bit */
#define TBNZ_63		0xb7f80000U

/* b.cond, cbz or cbnz to another address of the code; the two others. */
static inline void put_branch_by(struct code *c, u32 op, u32 target)
{
	put(c, op | ((target - c->n) >> 2 & 0x7ffff) << 5);
}

static inline void put_branch_by_bit(struct code *c, u32 op, u32 target)
{
	put(c, op | ((target - c->n) >> 2 & 0x3fff) << 5);
}

#define AND_RETURN	(1U << 31)
#define LEAVE		0

/* Call a function (AND_RETURN), or LEAVE for it.  Where the code will be is not known as long as it has no room. */
static inline void put_call(struct code *c, const void *function, u32 link)
{
	const unsigned long from = c->at + c->n, to = (unsigned long)function;

	c->a.too_far |= c->room && !kt_branch_reaches(from, to);
	put(c, kt_put_b(from, to) | link);
}

static inline void put_extend(struct code *c, u32 op, u8 to, u8 from, u32 bits)
{
	put(c, op | (bits - 1) << 10 | from << 5 | to);
}

#endif
