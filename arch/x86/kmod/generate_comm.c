// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate_comm.c - machine code for the name of the current task, in the code of direct jumps.  See generate.h.
 *
 * It does what kt_current_comm() does (kmod/records/capture_env.c): the bytes behind the first 0 become 0.  rcx and rdi are free,
 * as for chains of pointers.
 */
#include "code_hit.h"

#define ONES	0x0101010101010101ULL
#define AND	0x21		/* and reg, rm */
#define GROUP_NOT_NEG	0xf7	/* /2: not; /3: neg */

/* rax = eight bytes of the name, up to the first 0; rdi = 0 if there is none. */
static void put_half(struct code *c, s32 offset)
{
	memory_op(c, true, MOV_LOAD, AX, c->task, offset);
	put_long(c, CX, ONES);
	move(c, AX, DI);
	regs_op(c, SUB, CX, DI);
	move(c, AX, CX);
	regs_op(c, GROUP_NOT_NEG, 2, CX);
	regs_op(c, AND, CX, DI);
	put_long(c, CX, ONES << 7);
	regs_op(c, AND, CX, DI);
	/* The lowest bit that is set, then all below its byte; all bits if none is set. */
	move(c, DI, CX);
	regs_op(c, GROUP_NOT_NEG, 3, CX);
	regs_op(c, AND, DI, CX);
	regs_op(c, SHIFT_IMM, 5, CX);
	put8(c, 7);
	regs_op(c, INC_DEC, 1, CX);
	regs_op(c, AND, CX, AX);
}

bool kt_x86_emit_comm(struct code *c, const struct kt_insn *in)
{
	u32 pass, start, end = 0;
	s32 comm;

	if (!c->is_direct)
		return false;
	comm = ((struct hit *)c)->at.comm;	/* `c` is its first member */
	put_half(c, comm);
	memory_op(c, true, MOV_STORE, AX, c->out, c->offset);
	memory_op(c, true, MOV_IMM, 0, c->out, c->offset + 8);
	put_number(c, 0, 4);
	regs_op(c, TEST, DI, DI);
	start = c->n;
	/* In two passes: the first one finds where the jump leads. */
	for (pass = 0; pass < 2; pass++) {
		c->n = start;
		jump_if(c, JNE, c->at + end);
		put_half(c, comm + 8);
		memory_op(c, true, MOV_STORE, AX, c->out, c->offset + 8);
		end = c->n;
	}
	c->offset += KT_COMM_BYTES;
	return true;
}
