// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit_text.c - registers of hits that record texts.  See kmod/code/text.c.  Besides those of struct text_regs:
 *	r13, r14	arguments that the program reads, its registers, the current task
 *	r8, r9	the ring; the sub-buffer, later the record
 *	r10	the commit count
 *	stack	the arguments that the program reads, for the C path
 */
#include "calls.h"
#include "emit_x86.h"

#define SAVED		(BIT_OF(BX) | BIT_OF(R12) | BIT_OF(R13) | BIT_OF(R14) | BIT_OF(R15))

static const struct text_regs usual = {
	.draft = R15, .out = R12, .call = BX, .ctl = R11, .units = BX, .shifted = CX, .bytes = BX, .at = CX, .saved = SAVED,
};
/* For kt_x86_call_text(). */
static const struct text_regs given = {
	.draft = R15, .out = R10, .call = BX, .ctl = R11, .units = BX, .shifted = CX, .bytes = BX, .at = CX, .saved = SAVED,
};
/* The same where no register of the program has to outlive a text: it needs rsi alone, and nothing has to be saved. */
static const struct text_regs lean = {
	.draft = R11, .out = R10, .call = DI, .ctl = SI, .units = CX, .shifted = R8, .bytes = DX, .at = CX,
};

/* A payload of nothing but arguments of the system call, with one register for the addresses of texts. */
static bool is_lean(const struct hit *h)
{
	const struct kt_insn *in = h->record.insns, *const end = in + h->record.len;

	for (; in < end; in++) {
		const bool loads = in->op == KT_OP_ARG && !in->dst && in + 1 < end && in[1].op == KT_OP_EMITTEXT && !in[1].src;

		if (!loads && in->op != KT_OP_EMITARG && in->op != KT_OP_FAULTS && in->op != KT_OP_FAULTS2 && in->op != KT_OP_END)
			return false;
		in += loads;
	}
	return h->what->call_given;
}

bool kt_x86_text_registers(struct hit *h)
{
	struct code *c = &h->c;
	u8 reg;

	if (!kt_x86_find_live(h))
		return false;
	c->varies = true;
	c->regs_at = NO_REG;
	c->a.second = NO_REG;
	h->a.text = is_lean(h) ? &lean : h->what->call_given ? &given : &usual;
	c->out = h->a.text->out;
	kt_x86_find_call(h);
	c->a.preserved = h->a.text->saved ? BIT_OF(R13) | BIT_OF(R14) : 0;
	c->a.pool = h->a.text->saved ? c->a.preserved | (h->what->is_case ? 0 : BIT_OF(BX)) : BIT_OF(SI);
	h->a.ctl = h->a.text->ctl;
	h->a.ring = R8;
	h->a.record = R9;
	h->a.commit = R10;
	for (reg = 0; reg < NO_REG; reg++)
		if (c->a.live & BIT_OF(reg))
			c->a.moved[reg] = take(c, ~0U);
	if (h->needs & NEEDS_TASK)
		c->task = take(c, ~0U);
	return c->task != NO_REG && c->a.pool;
}

/* Take the draft of this CPU: count the hit in kt_cpu.nest, as kt_hit_enter() does.  The CPU is in no other hit. */
bool kt_emit_begin_text(struct hit *h)
{
	struct code *c = &h->c;
	u8 reg;

	percpu_op(c, false, MOV_LOAD, AX, h->at.preempt_count);
	percpu_op(c, false, INC_DEC, 0, h->at.nest);
	percpu_op(c, false, MOV_STORE, AX, h->at.context);
	kt_x86_push_saved(c, h->a.text->saved);
	kt_x86_push_saved(c, c->a.live);
	for (reg = 0; reg < NO_REG; reg++)
		if (c->a.live & BIT_OF(reg))
			put_move(c, c->a.moved[reg], reg);
	put_constant(c, h->a.text->draft, h->what->draft);
	percpu_op(c, true, ADD_LOAD, h->a.text->draft, h->at.cpu_offset);
	if (h->what->is_case) {
		put_move(c, h->a.text->call, c->call);
		c->call = h->a.text->call;
	}
	put_move(c, c->out, h->a.text->draft);
	if (h->needs & NEEDS_TASK)
		kt_emit_task(h, c->task);
	return true;
}

void kt_emit_check_loads(struct hit *h)
{
	if (h->c.a.any_load)
		kt_x86_branch_if_failed(h);
}

bool kt_emit_end_text(struct hit *h)
{
	struct code *c = &h->c;
	u32 live, words = 0;

	for (live = c->a.live; live; live &= live - 1)
		words++;
	if (words)
		put_sum(c, SP, SP, 8 * words);
	kt_x86_pop_saved(c, h->a.text->saved);
	percpu_op(c, false, INC_DEC, 1, h->at.nest);
	return true;
}

void kt_x86_leave_text(struct hit *h)
{
	struct code *c = &h->c;

	h->a.failed = h->record.give_up = c->n;
	percpu_op(c, false, MOV_BYTE, 0, h->at.failed);
	put8(c, 0);
	kt_x86_pop_saved(c, c->a.live);
	kt_x86_pop_saved(c, h->a.text->saved);
	percpu_op(c, false, INC_DEC, 1, h->at.nest);
}

void kt_x86_call_without_faults(struct code *c, const char *to)
{
	const struct kt_layout *at = &hit_of(c)->at;

	if (!at->no_faults)
		percpu_op(c, false, INC_DEC, 0, at->preempt_count);
	call(c, to);
	if (!at->no_faults)
		percpu_op(c, false, INC_DEC, 1, at->preempt_count);
}

/* The value of edx: the most bytes of the text, without its 0.  kt_x86_call_text() expects 8 less. */
static s32 room_of(const struct code *c, u32 most)
{
	return (s32)most - 1 - (c->a.call_given ? 8 : 0);
}

bool kt_emit_text_fits(const struct code *c, u32 most)
{
	return room_of(c, most) >= 0;
}

/* r12, or r10, points to the draft's next item; rsi = the address of the text. The carry flag is set if the text was copied. */
void kt_emit_text(struct code *c, u8 from, u32 most)
{
	put_move(c, SI, from);
	put8(c, 0xba);			/* mov $imm, %edx */
	put_bytes(c, room_of(c, most), 4);
	if (c->a.call_given)
		kt_x86_call_without_faults(c, kt_x86_call_text);	/* inc and dec do not change that flag */
	else
		call(c, kt_x86_hit_text);
}

void kt_emit_count_fault(struct hit *h)
{
	percpu_op(&h->c, true, INC_DEC, 0, h->at.faults);
}
