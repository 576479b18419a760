// SPDX-License-Identifier: GPL-2.0-only
/* emit_text.c - registers of hits that record kt_arm64_texts.  See kmod/code/text.c. */
#include "emit_arm64.h"

const struct text_regs kt_arm64_texts = { .draft = 14, .units = 1, .bytes = 2, .at = 4 };

/* Take the draft of this CPU: count the hit in kt_cpu.nest, as kt_hit_enter() does.  The CPU is in no other hit. */
bool kt_emit_begin_text(struct hit *h)
{
	struct code *c = &h->c;

	add_to_cpu(h, h->at.busy, 1);
	put_memory(c, OP_LOAD, TEMP, ME, h->at.preempt_count, 4, KT_ZERO);
	put_memory(c, OP_STORE, TEMP, CPU, h->at.context, 4, KT_ZERO);
	put_constant(c, kt_arm64_texts.draft, h->what->draft);
	put_add(c, kt_arm64_texts.draft, OFFSET);
	put_move(c, c->out, kt_arm64_texts.draft);
	if (h->needs & NEEDS_CALL)
		kt_arm64_find_call(h);
	kt_arm64_begin_loads(c);
	return true;
}

/* A load that fails has left the hit to the C path at once. */
void kt_emit_check_loads(struct hit *h)
{
	kt_arm64_forget_call(h);
}

bool kt_emit_end_text(struct hit *h)
{
	add_to_cpu(h, h->at.busy, -1);
	return true;
}

bool kt_emit_text_fits(const struct code *c, u32 most)
{
	return most;
}

/* x15 = where the text begins, x12 = its address, x13 = its most bytes without its 0. */
void kt_emit_text(struct code *c, u8 from, u32 most)
{
	put_move(c, VALUE, from);
	put_constant(c, SCRATCH, most - 1);
	put_call(c, kt_arm64_hit_text, AND_RETURN);
}

void kt_emit_count_fault(struct hit *h)
{
	add_to_cpu(h, h->at.faults, 1);
	kt_arm64_begin_loads(&h->c);	/* it has changed their registers */
}
