// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latency_tails.c - calls of a function of a program that end in other functions, to which it jumps (tail calls).
 *
 * A tracepoint at each such jump, at the entry of the function that it leads to and at its returns follow the call: see
 * KT_ROLE_LEAVES.  A jump whose target is not known (in a register, to a stub of the linker, into the middle of a function)
 * is not followed: the module counts calls that leave there as abandoned.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/resolve/programs.h"
#include "ctl/base/memory.h"
#include "ctl/live/measure/latency_int.h"
#include "ctl/live/session/session_target.h"

#define MAX_SITES	512

/* A function in which calls may be. */
struct body {
	const struct sym *sym;
	uint64_t entry;
	struct exits exits;
};

struct tails {
	struct session *s;
	struct latency *l;
	const struct target *home;
	struct body bodies[KT_MAX_BODIES];
	size_t n;
	size_t nr_exits, nr_left;	/* jumps of all, and those that are not followed */
	struct function_exit left;	/* one of these */
};

/* ------------------------------------------------------------------------ bodies */

static bool has_exit_at(const struct exits *exits, uint64_t addr)
{
	for (size_t i = 0; i < exits->n; i++)
		if (exits->v[i].addr == addr)
			return true;
	return false;
}

/* One tracepoint cannot be both the entry and an exit. */
static bool take_body(struct tails *t, const struct sym *sym, struct body *out, struct error *err)
{
	AUTO_PROBE_POINT struct probe_point point;

	probe_point_at(t->home, sym->addr, sym, &point);
	*out = (struct body){ .sym = sym, .entry = point.addr };
	return exits_list(t->home, sym, &out->exits, err) && !exits_reenter(t->home, sym, out->entry) &&
	       !has_exit_at(&out->exits, out->entry);
}

/* The number of the function to which a jump leads; KT_TO_NOBODY: it cannot be followed. */
static size_t body_at(struct tails *t, uint64_t target)
{
	const struct sym *sym = target ? symtab_by_addr(t->home->tab, target) : NULL;
	struct error unused;
	struct body body;

	for (size_t i = 0; i < t->n; i++)
		if (target >= t->bodies[i].sym->addr && target <= t->bodies[i].entry)
			return i;
	if (!sym || t->n == KT_MAX_BODIES || !sym_is_text(sym))
		return KT_TO_NOBODY;
	if (take_body(t, sym, &body, &unused) && target <= body.entry) {
		t->bodies[t->n] = body;
		return t->n++;
	}
	exits_free(&body.exits);
	return KT_TO_NOBODY;
}

/* ------------------------------------------------------------------------- sites */

/* Plan a tracepoint at an address of the program, with the options of `like`; NULL: none.  Then its role is this. */
static bool plan_site(struct tails *t, uint64_t addr, const struct request *like, uint32_t what, size_t body, size_t to, struct error *err)
{
	const struct target kernel = session_target(t->s);
	struct latency *l = t->l;
	const char *inside = strchr(l->function, ':');
	AUTO_FREE char *address = mem_printf("%.*s:0x%" PRIx64, (int)(inside ? inside - l->function : 0), l->function, addr);
	struct request request = like ? *like : (struct request){ 0 };

	if (l->live.plans.n >= MAX_SITES)
		return error_set(err, STATUS_FAILURE, "%s: too many jumps to other functions", l->shown);
	request.address = address;
	if (!plan_request(&kernel, &request, &l->live.plans, err))
		return false;
	l->tails[l->live.plans.n - 1] = (struct tail_role){ what, body, to };
	return true;
}

static bool is_planned(const struct latency *l, uint64_t addr)
{
	for (size_t i = 0; i < l->live.plans.n; i++)
		if (l->live.plans.v[i].point.addr == addr)
			return true;
	return false;
}

/* The filters by process are those of the entry; IF and what is recorded belong there alone. */
static struct request filters_of(const struct latency *l, struct use uses[])
{
	const struct request *from = &l->ends[LATENCY_FROM];
	struct request out = { .uses = uses };

	for (size_t i = 0; i < from->nr_uses; i++)
		if (!strcmp(from->uses[i].option->name, "ONLYTGID"))
			uses[out.nr_uses++] = from->uses[i];
	return out;
}

static bool plan_jump(struct tails *t, const struct request *like, size_t body, const struct function_exit *exit, struct error *err)
{
	const size_t to = body_at(t, exit->target);

	t->nr_exits++;
	if (to == KT_TO_NOBODY) {
		t->nr_left++;
		t->left = *exit;
	}
	/* Perhaps a switch; or a conditional jump, which may not be taken: a later call in its place tells. */
	if (!exit->target || (to == KT_TO_NOBODY && !exit->is_sure))
		return true;
	return plan_site(t, exit->addr, like, KT_ROLE_LEAVES, body, to, err);
}

static bool plan_behind(struct tails *t, const struct request *like, size_t body, const struct function_exit *exit, struct error *err)
{
	uint8_t code[KT_MAX_INSN];
	const size_t n = target_text(t->home, exit->addr, code, sizeof(code));
	struct arch_insn insn;

	if (exit->is_sure || !is_planned(t->l, exit->addr) || !probe_point_decode(t->home, code, n, exit->addr, &insn) ||
	    is_planned(t->l, exit->addr + insn.len) || has_exit_at(&t->bodies[body].exits, exit->addr + insn.len))
		return true;
	return plan_site(t, exit->addr + insn.len, like, KT_ROLE_STAYS, body, 0, err);
}

/* Functions are added while their callers are planned. */
static bool plan_steps(struct tails *t, struct error *err)
{
	AUTO_FREE struct use *uses = mem_zalloc(t->l->ends[LATENCY_FROM].nr_uses + 1, sizeof(*uses));
	const struct request like = filters_of(t->l, uses);
	bool ok = true;

	for (size_t b = 0; ok && b < t->n; b++)
		for (size_t i = 0; ok && i < t->bodies[b].exits.n; i++)
			ok = t->bodies[b].exits.v[i].is_return || plan_jump(t, &like, b, &t->bodies[b].exits.v[i], err);
	for (size_t b = 1; ok && b < t->n; b++)
		ok = plan_site(t, t->bodies[b].entry, &like, KT_ROLE_ARRIVES, b, 0, err);
	for (size_t b = 0; ok && b < t->n; b++)
		for (size_t i = 0; ok && i < t->bodies[b].exits.n; i++)
			ok = t->bodies[b].exits.v[i].is_return || plan_behind(t, &like, b, &t->bodies[b].exits.v[i], err);
	return ok;
}

static bool plan_returns(struct tails *t, struct error *err)
{
	size_t n = 0;

	for (size_t b = 0; b < t->n; b++)
		for (size_t i = 0; i < t->bodies[b].exits.n; i++) {
			const struct function_exit *exit = &t->bodies[b].exits.v[i];

			if (exit->is_return && !plan_site(t, exit->addr, &t->l->ends[LATENCY_TO], 0, b, 0, err))
				return false;
			n += exit->is_return;
		}
	return n || error_set(err, STATUS_FAILURE, "%s: all its calls end by jumps that cannot be followed, for example at %s+0x%" PRIx64,
			      t->l->shown, t->left.piece->name, t->left.addr - t->left.piece->addr);
}

static void tell_left(const struct tails *t)
{
	if (t->nr_left)
		session_note(t->s, "%zu of the %zu jumps by which calls of %s may end are not followed, for example at %s+0x%" PRIx64 ": such calls are counted as abandoned",
			     t->nr_left, t->nr_exits, t->l->shown, t->left.piece->name, t->left.addr - t->left.piece->addr);
}

static bool plan(struct tails *t, struct error *err)
{
	const struct plan *first = &t->l->live.plans.v[0];

	t->home = first->home;
	t->n = 1;
	if (!take_body(t, first->point.sym, &t->bodies[0], err))
		return *err->text ? false : error_set(err, STATUS_FAILURE, "%s: its first instruction is also its last, or a loop begins again there, so that calls are not known: name two places",
						      t->l->shown);
	if (!t->bodies[0].exits.leaves)
		return true;
	/* Several functions may jump to the same one, which can have one role only. */
	if (t->l->is_one_of_many)
		return error_set(err, STATUS_FAILURE, "%s: its calls may end in other functions, to which it jumps: measure it alone", t->l->shown);
	t->l->tails = mem_zalloc(MAX_SITES, sizeof(*t->l->tails));
	if (!plan_steps(t, err))
		return false;
	t->l->first_end = t->l->live.plans.n;
	if (!plan_returns(t, err))
		return false;
	tell_left(t);
	return true;
}

bool latency_tails_plan(struct session *s, struct latency *l, bool *planned, struct error *err)
{
	struct tails *t = mem_zalloc(1, sizeof(*t));
	bool ok;

	*err = (struct error){ 0 };
	t->s = s;
	t->l = l;
	ok = plan(t, err);
	*planned = ok && t->bodies[0].exits.leaves;
	for (size_t i = 0; i < t->n; i++)
		exits_free(&t->bodies[i].exits);
	free(t);
	return ok;
}
