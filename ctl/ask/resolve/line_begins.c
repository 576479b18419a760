// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * line_begins.c - see line_begins.h.
 *
 * For each instruction: the set of lines that control can come from, which is the line of the last address before it on
 * any way there.  An instruction passes on the set that it gets, or its own line if a line's address is there.  The sets
 * only grow, so this comes to an end.
 */
#include "ctl/ask/resolve/line_begins.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

#define PIECE_MAX	(1U << 20)	/* bytes of code that are examined */

struct flow {
	const struct flow_insn *insns;
	size_t n;
	size_t outside;			/* the number that stands for "from outside" in a set: the lines have those below */
	size_t words;			/* of one set */
	uint64_t *from;			/* [n * words]: the sets */
	uint64_t *one;			/* a set for a moment */
	size_t *line_at;		/* [n]: the line whose address is there; `outside`: none */
	size_t *todo, nr_todo;		/* instructions whose set has grown */
	bool *is_waiting, *is_reached;	/* [n]: it is in todo; control can come there */
};

static uint64_t *set_of(const struct flow *f, size_t i)
{
	return f->from + i * f->words;
}

/* The instruction at an address; n: there is none. */
static size_t find(const struct flow_insn *insns, size_t n, uint64_t addr)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (insns[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && insns[low].addr == addr ? low : n;
}

/* ----------------------------------------------------------------------- spread */

static void reach(struct flow *f, size_t to, const uint64_t *more)
{
	uint64_t *set = set_of(f, to);
	bool grown = !f->is_reached[to];

	for (size_t w = 0; w < f->words; w++) {
		grown |= more[w] & ~set[w];
		set[w] |= more[w];
	}
	f->is_reached[to] = true;
	if (!grown || f->is_waiting[to])
		return;
	f->is_waiting[to] = true;
	f->todo[f->nr_todo++] = to;
}

static void reach_from(struct flow *f, size_t to, size_t line)
{
	memset(f->one, 0, f->words * sizeof(*f->one));
	f->one[line / 64] = 1ULL << line % 64;
	reach(f, to, f->one);
}

static void pass(struct flow *f, size_t i, size_t to)
{
	if (to >= f->n)
		return;
	if (f->line_at[i] != f->outside)
		reach_from(f, to, f->line_at[i]);
	else
		reach(f, to, set_of(f, i));
}

static void spread(struct flow *f, const size_t *targets)
{
	while (f->nr_todo) {
		const size_t i = f->todo[--f->nr_todo];

		f->is_waiting[i] = false;
		if (f->insns[i].goes_on)
			pass(f, i, i + 1);
		pass(f, i, targets[i]);
	}
}

/* What nothing leads to is reached in a way that is not known: from an exception table, by a jump that is not taken now. */
static void spread_all(struct flow *f, const size_t *targets)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->insns[i].from_outside)
			reach_from(f, i, f->outside);
		spread(f, targets);
	}
	for (size_t i = 0; i < f->n; i++) {
		if (!f->is_reached[i])
			reach_from(f, i, f->outside);
		spread(f, targets);
	}
}

/* ------------------------------------------------------------------------- mark */

static void mark(const struct flow *f, struct line_addr *addr)
{
	const size_t at = find(f->insns, f->n, addr->addr);
	const uint64_t own = 1ULL << addr->line % 64;

	addr->begins = at == f->n;
	addr->repeats = false;
	for (size_t w = 0; at < f->n && w < f->words; w++) {
		const bool is_here = w == addr->line / 64;
		const uint64_t set = set_of(f, at)[w];

		addr->begins |= is_here ? set & ~own : set;
		addr->repeats |= is_here && set & own;
	}
	addr->repeats &= addr->begins;
}

void line_begins_mark(struct function_lines *lines, const struct flow_insn *insns, size_t n)
{
	struct flow f = { .insns = insns, .n = n, .outside = lines->n, .words = lines->n / 64 + 1 };
	AUTO_FREE size_t *targets = mem_zalloc(n + 1, sizeof(*targets));
	size_t at;

	f.from = mem_zalloc(n * f.words + 1, sizeof(*f.from));
	f.one = mem_zalloc(f.words, sizeof(*f.one));
	f.line_at = mem_zalloc(n + 1, sizeof(*f.line_at));
	f.todo = mem_zalloc(n + 1, sizeof(*f.todo));
	f.is_waiting = mem_zalloc(n + 1, sizeof(*f.is_waiting));
	f.is_reached = mem_zalloc(n + 1, sizeof(*f.is_reached));
	for (size_t i = 0; i < n; i++) {
		f.line_at[i] = f.outside;
		targets[i] = insns[i].target ? find(insns, n, insns[i].target) : n;
	}
	for (size_t i = 0; i < lines->nr_addrs; i++) {
		at = find(insns, n, lines->addrs[i].addr);
		if (at < n)
			f.line_at[at] = lines->addrs[i].line;
	}
	spread_all(&f, targets);
	for (size_t i = 0; i < lines->nr_addrs; i++)
		mark(&f, &lines->addrs[i]);
	free(f.from);
	free(f.one);
	free(f.line_at);
	free(f.todo);
	free(f.is_waiting);
	free(f.is_reached);
}

/* ----------------------------------------------------------------- instructions */

struct listing {
	struct flow_insn *v;
	size_t n;
	bool has_switch;	/* jumps whose targets are not known */
};

static void add_insn(struct listing *out, uint64_t addr, const struct arch_insn *insn)
{
	out->v = MEM_MORE(out->v, out->n);
	out->v[out->n++] = (struct flow_insn){
		.addr = addr, .target = insn->is_call ? 0 : insn->target, .goes_on = !insn->is_return && !insn->is_jump,
	};
}

static void add_piece(const struct target *target, const struct code_piece *piece, struct listing *out)
{
	const size_t len = piece->size < PIECE_MAX ? piece->size : PIECE_MAX;
	AUTO_FREE uint8_t *code = mem_zalloc(len + 1, 1);
	const size_t n = target_text(target, piece->addr, code, len);
	struct arch_insn insn;

	for (size_t at = 0; at < n && probe_point_decode(target, code + at, n - at, piece->addr + at, &insn); at += insn.len) {
		add_insn(out, piece->addr + at, &insn);
		out->has_switch |= insn.is_jump && !insn.target && (target->program || target->arch->is_switch(code, at));
	}
	/* Whatever is behind this piece, control does not go on there. */
	if (out->n)
		out->v[out->n - 1].goes_on = false;
}

static int by_addr(const void *a, const void *b)
{
	const struct flow_insn *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void line_begins_find(const struct target *target, struct function_lines *lines)
{
	struct listing listing = { .n = 0 };

	for (size_t i = 0; i < lines->nr_pieces; i++)
		add_piece(target, &lines->pieces[i], &listing);
	/* The piece with the entry. */
	if (listing.n)
		listing.v[0].from_outside = true;
	/* A switch leads to code behind other jumps. */
	for (size_t i = 1; listing.has_switch && i < listing.n; i++)
		listing.v[i].from_outside = !listing.v[i - 1].goes_on;
	if (listing.n)
		qsort(listing.v, listing.n, sizeof(*listing.v), by_addr);
	line_begins_mark(lines, listing.v, listing.n);
	free(listing.v);
}
