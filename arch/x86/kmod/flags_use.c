// SPDX-License-Identifier: GPL-2.0-only
/*
 * flags_use.c - see flags.h.  Of each opcode (Intel SDM volume 2, appendix A, and "Flags Affected" of each instruction).
 *
 * Logical operations leave AF undefined: nobody can rely on it.  An instruction passes, too, if it changes some flags only, such as
 * inc.  What has no row may matter.  Calls and returns have none, although C functions pass no flags: some functions in assembler do.
 */
#include "flags.h"

#define PASS	KT_FLAGS_PASS
#define DIE	KT_FLAGS_DIE
#define ALL	0xff

/* Opcodes of one byte, from first to last; regs: for which middle parts of the ModRM byte, by bits. */
static const struct {
	u8 first, last, regs, use;
} rows[] = {
	{ 0x00, 0x05, ALL, DIE },	/* add */
	{ 0x08, 0x0d, ALL, DIE },	/* or */
	{ 0x20, 0x25, ALL, DIE },	/* and */
	{ 0x28, 0x2d, ALL, DIE },	/* sub */
	{ 0x30, 0x35, ALL, DIE },	/* xor */
	{ 0x38, 0x3d, ALL, DIE },	/* cmp */
	{ 0x50, 0x5f, ALL, PASS },	/* push, pop */
	{ 0x63, 0x63, ALL, PASS },	/* movsxd */
	{ 0x68, 0x68, ALL, PASS },	/* push of a constant */
	{ 0x6a, 0x6a, ALL, PASS },
	{ 0x80, 0x81, 0xf3, DIE },	/* the same six with a constant: adc and sbb read CF */
	{ 0x83, 0x83, 0xf3, DIE },
	{ 0x84, 0x85, ALL, DIE },	/* test */
	{ 0x88, 0x8b, ALL, PASS },	/* mov */
	{ 0x8d, 0x8d, ALL, PASS },	/* lea */
	{ 0x90, 0x90, ALL, PASS },	/* nop, xchg */
	{ 0x98, 0x99, ALL, PASS },	/* cdqe, cqo */
	{ 0xa8, 0xa9, ALL, DIE },	/* test */
	{ 0xb0, 0xbf, ALL, PASS },	/* mov of a constant */
	{ 0xc6, 0xc7, 0x01, PASS },
	{ 0xf6, 0xf7, 0x0b, DIE },	/* test, neg */
	{ 0xfe, 0xff, 0x03, PASS },	/* inc, dec: they do not change CF */
	{ 0xff, 0xff, 0x40, PASS },	/* push */
};

/* The second byte of opcodes that begin with 0f; all of them pass. */
static const u8 passing[] = {
	0x1e, 0x1f,			/* endbr64, nop */
	0xb6, 0xb7, 0xbe, 0xbf,		/* movzx, movsx */
};

enum kt_flags_use kt_x86_flags_use(const u8 *opcode, u32 bytes, u8 reg)
{
	u32 i;

	for (i = 0; bytes == 1 && i < sizeof(rows) / sizeof(*rows); i++)
		if (opcode[0] >= rows[i].first && opcode[0] <= rows[i].last && rows[i].regs >> (reg & 7) & 1)
			return rows[i].use;
	for (i = 0; bytes == 2 && opcode[0] == 0x0f && i < sizeof(passing); i++)
		if (opcode[1] == passing[i])
			return KT_FLAGS_PASS;
	return KT_FLAGS_MATTER;
}
