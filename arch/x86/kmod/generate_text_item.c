// SPDX-License-Identifier: GPL-2.0-only
/* generate_text_item.c - machine code for one text in the draft of a hit.  See generate_text.c. */
#include "code_hit.h"
#include "code_regs.h"

void kt_x86_call_without_faults(struct code *c, const char *to)
{
	const struct kt_x86_layout *at = &((struct hit *)c)->at;	/* `c` is its first member */

	if (!at->no_faults)
		percpu_op(c, false, INC_DEC, 0, at->preempt_count);
	call(c, to);
	if (!at->no_faults)
		percpu_op(c, false, INC_DEC, 1, at->preempt_count);
}

/* The value of edx for call_copy(): the most bytes of the text, without its 0.  kt_x86_call_text() expects 8 less. */
static s32 room_of(const struct code *c, const struct kt_insn *in)
{
	return (s32)in->imm - 1 - (c->call_given ? 8 : 0);
}

/* r12, or r10, points to the draft's next item; rsi = the address of the text. The carry flag is set if the text was copied. */
static void call_copy(struct code *c)
{
	if (c->call_given)
		kt_x86_call_without_faults(c, kt_x86_call_text);	/* inc and dec do not change that flag */
	else
		call(c, kt_x86_hit_text);
}

bool kt_x86_emit_text(struct code *c, const struct kt_insn *in)
{
	if (c->texts == MOST_TEXTS || room_of(c, in) < 0)
		return false;
	move(c, reg_of(c, in->src), SI);
	if (c->offset)
		memory_op(c, true, LEA, c->out, c->out, c->offset);
	put8(c, 0xba);			/* mov $imm, %edx */
	put_number(c, room_of(c, in), 4);
	call_copy(c);
	jump_if(c, JNC, c->at + c->text_far[c->texts]);
	c->text_bits[c->texts] = in->dst;
	c->text_back[c->texts++] = c->n;
	c->fixed += c->offset;
	c->offset = 0;
	return true;
}
