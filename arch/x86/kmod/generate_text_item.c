// SPDX-License-Identifier: GPL-2.0-only
/* generate_text_item.c - machine code for one text in the draft of a hit.  See generate_text.c. */
#include "code_hit.h"
#include "code_regs.h"

/* The draft's next item is where r12, or r10, points to; rsi = the address of the text, edx = the most bytes to copy before the 0. */
static void call_copy(struct code *c)
{
	const s32 count = ((struct hit *)c)->at.preempt_count;	/* `c` is its first member */

	if (!c->call_given)
		return call(c, kt_x86_hit_text);
	/* Otherwise the kernel would handle a page fault, and wait. */
	percpu_op(c, false, INC_DEC, 0, count);
	call(c, kt_x86_call_text);
	percpu_op(c, false, INC_DEC, 1, count);
}

bool kt_x86_emit_text(struct code *c, const struct kt_insn *in)
{
	if (c->texts == MOST_TEXTS)
		return false;
	move(c, reg_of(c, in->src), SI);
	if (c->offset)
		memory_op(c, true, LEA, c->out, c->out, c->offset);
	put8(c, 0xba);			/* mov $imm, %edx */
	put_number(c, in->imm - 1, 4);
	call_copy(c);
	put_number(c, 0x01f883, 3);	/* cmp $KT_TEXT_GOES_ON, %eax */
	jump_if(c, JNC, c->at + c->text_far[c->texts]);
	c->text_bits[c->texts] = in->dst;
	c->text_back[c->texts++] = c->n;
	c->fixed += c->offset;
	c->offset = 0;
	return true;
}
