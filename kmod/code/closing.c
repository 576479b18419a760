// SPDX-License-Identifier: GPL-2.0-only
/*
 * closing.c - machine code for hits that end a call and count in a table how long it took: HIST ELAPSED.
 *
 * The code does what close() in kmod/hit/measured_hit.c and kmod/hit/aggregate_hit.c do in the usual case.  It first finds the call as
 * calls.c does, then the entry of the table as table.c does.  Only then does it change anything: it frees the
 * call, adds to the table, and takes the time of the hit from an enclosing call.  Any other hit is left to the C path, which finds the
 * call still open.
 */
#include "kmod/code/plan.h"

enum { MINE = WORK1, OUTER = WORK4, CALL = WORK3 };

#define AT(member)	((s32)offsetof(struct kt_interval, member))

bool kt_closing_find(struct hit *h)
{
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	kt_call_find_ended(h);
	kt_call_take_off(h);
	put_load(c, OUTER, CALL, AT(outer), 8);
	put_branch_unless_zero(c, OUTER, p->enclosed);
	p->outside = c->n;
	kt_emit_keep(h);			/* no time if no call encloses this one */
	return true;
}

/* As kt_interval_free().  VALUE and WORK3, which have the entry and the table, stay. */
void kt_closing_end(struct hit *h)
{
	const struct kt_hit_measure *measure = h->what->measure;
	struct code *c = &h->c;

	kt_emit_kept(h, WORK4, KEPT_CALL);
	kt_emit_kept(h, WORK2, KEPT_OUTER);
	put_constant(c, MINE, measure->cpu);
	put_cpu_base(c, MINE);
	put_cpu_store(c, WORK2, MINE, measure->inner);
	put_store_number(c, WORK4, AT(thread), 8, 0);
	put_release_zero(c, WORK4, AT(key));
}

void kt_closing_charge(struct hit *h)
{
	kt_emit_kept_outer(h);
	put_branch_unless_zero(&h->c, OUTER, h->call.charged);
	h->call.end = h->c.n;
	kt_emit_drop_kept(h);
}

bool kt_closing_rare(struct hit *h)
{
	struct call_labels *p = &h->call;
	struct code *c = &h->c;

	kt_call_end_rare(h);
	p->enclosed = c->n;
	kt_call_charged_from(h);
	put_jump(c, p->outside);
	p->charged = c->n;
	kt_call_charge(h, 0);
	put_jump(c, p->end);
	h->look = p->slow = c->n;
	kt_emit_restore(h);
	put_jump(c, h->slow);
	return true;
}

bool kt_code_elapsed(struct code *c, const struct kt_insn *in)
{
	struct hit *h = hit_of(c);

	if (!c->a.is_hit || !h->closes)
		return false;
	kt_emit_kept(h, kt_code_sets(c, in->dst), KEPT_ELAPSED);
	return true;
}
