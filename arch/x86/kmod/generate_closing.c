// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate_closing.c - machine code for hits of direct jumps that end a call and count in a table how long it took: HIST ELAPSED.
 *
 * The code does what close() in kmod/hit/measured_hit.c and kmod/hit/aggregate_hit.c do in the usual case.  It first finds the call as
 * generate_measure_end.c does, then the entry of the table as generate_table.c does.  Only then does it change anything: it frees the
 * call, adds to the table, and takes the time of the hit from an enclosing call.  Any other hit is left to the C path, which finds the
 * call still open.
 */
#include "code_measure.h"

_Static_assert(KT_X86_FROM + 1 == KT_X86_CLOSING && KT_X86_FIXED == PUSHED + PUSHED_MORE - 1, "kt_x86_charge() finds its words there");

void kt_x86_closing_clock(struct hit *h)
{
	struct code *c = &h->c;

	put_push(c, DX);
	read_clock(c, DX);
	put_push(c, CX);
	put_push(c, SI);
	put_push(c, DI);
}

void kt_x86_closing_find(struct hit *h)
{
	struct labels *p = h->closing;
	struct code *c = &h->c;

	kt_x86_find_ended(h, p, KT_X86_FIXED);
	kt_x86_take_off(h, p);
	memory_op(c, true, MOV_LOAD, SI, DI, AT(outer));
	regs_op(c, TEST, SI, SI);
	jump_if(c, JNE, c->at + p->enclosed);
	p->outside = c->n;
	put_push(c, CX);			/* no time if no call encloses this one */
	put_push(c, SI);
	put_push(c, DX);
	put_push(c, DI);
}

/* As kt_interval_free().  rax = the entry, rdi = the table, which stay. */
void kt_x86_closing_end(struct hit *h)
{
	struct code *c = &h->c;

	memory_op(c, true, MOV_LOAD, SI, SP, closing_word(c, KT_X86_CALL));
	memory_op(c, true, MOV_LOAD, DX, SP, closing_word(c, KT_X86_OUTER));
	find_mine(h);
	mine_op(h, MOV_STORE, DX, measure_of(h)->inner);
	store_number(c, true, SI, AT(thread), 0);
	store_number(c, true, SI, AT(key), 0);
}

void kt_x86_closing_leave(struct hit *h)
{
	struct code *c = &h->c;

	memory_op(c, true, LEA, SP, SP, 8 * KT_X86_OUTER);
	put_pop(c, SI);
	regs_op(c, TEST, SI, SI);
	jump_if(c, JNE, c->at + h->closing->charged);
	h->closing->end = c->n;
	memory_op(c, true, LEA, SP, SP, 8);
}

/* As kt_fast_less(): there is less than what is to be taken off. */
static void clamp_elapsed(struct hit *h)
{
	struct code *c = &h->c;

	h->closing->clamped = c->n;
	regs_op(c, ADD, DX, AX);
	put_number(c, 0xd231, 2);		/* xor %edx, %edx */
	jump_to(c, c->at + h->closing->less);
}

void kt_x86_closing_rare(struct hit *h)
{
	struct labels *p = h->closing;
	struct code *c = &h->c;

	kt_x86_find_ended_far(h, p);
	kt_x86_other_method(h, p);
	clamp_elapsed(h);
	p->enclosed = c->n;
	kt_x86_charged_from(c);
	jump_to(c, c->at + p->outside);
	p->charged = c->n;
	kt_x86_charge(h);
	jump_to(c, c->at + p->end);
	h->look = p->slow = c->n;
	kt_x86_pop_fixed(c);
	jump_to(c, c->at + h->slow);
}

static bool closing_possible(const struct hit *h)
{
	const struct kt_hit_code *what = h->what;

	return !what->filter && !what->is_event && kt_hit_table_has_value(what->table) && !what->measure->begins &&
	       !what->measure->intervals->saved;
}

int kt_x86_make_closing(struct hit *h, u32 room)
{
	struct labels labels = { 0 };

	h->closing = &labels;
	return closing_possible(h) ? kt_x86_make_passes(h, room) : -EOPNOTSUPP;
}
