// SPDX-License-Identifier: GPL-2.0-only
/*
 * plan.c - machine code for whole hits: see plan.h and generate.h.
 *
 * The code does what the C path of kmod/hit/ does in the usual cases: the hit is recorded, or counted in a table, begins or ends a
 * call, its filter refuses it, or recording is frozen.  In any other case it changes nothing, or takes back what it did, puts the
 * registers back, and leaves the hit to that path: a CPU inside of another hit or with the brake on, no room
 * in the packet, a nested writer, an extended header.  In particular, the order of its accesses to the ring is that of
 * kt_ring_reserve() and kt_ring_commit() in core/ring.h; there is the reason for each.  Only the first free unit may be read
 * again, from the word in memory: if it belongs to another word, the exchange fails, because no word comes twice.
 *
 * The code calls no function that can be traced, and causes no exception except by loads.  So only an NMI or the like can have
 * a hit inside this one, and that is a hit of another context, to be recorded: the code need not count itself in kt_cpu.nest,
 * except where it uses the draft of the CPU.  Around loads it notes its stack pointer in kt_cpu.loads_at: there kt_hit_enter() finds
 * out that a hit comes from the exception of a load.
 *
 * If a value of the filter cannot be read, nothing has happened yet: the C path does the whole hit.  If one of the payload
 * cannot be read, the interpreter writes the payload, to the room that is reserved.
 */
#include "kmod/code/generate.h"
#include "kmod/code/plan.h"

/* ---------------------------------------------------------------------------- steps */

/* The hit has been counted. */
static void leave(struct hit *h, bool saved)
{
	if (h->is_wide)
		kt_emit_count_others(h);
	if (saved)
		kt_emit_restore(h);
	if (!h->is_wide && !h->what->table)
		kt_emit_branch_if_waiting(h);
	kt_emit_return(h);
}

/* Code that counts in a table has counted the hit there. */
static bool account(struct hit *h)
{
	if (!h->what->table)
		kt_emit_count(h, 0);
	leave(h, true);
	return true;
}

/* Recording is frozen, or the filter refuses the hit: the other counter. */
static void miss(struct hit *h, u32 member, bool saved)
{
	kt_emit_count_ring(h, member);
	kt_emit_count(h, KT_COUNTS_MISSED);
	leave(h, saved);
}

/*
 * There is something to examine.  Is it only that recording at the prompt is frozen?  As kt_hit_examine(), which asks for that
 * first.
 */
static bool look_closer(struct hit *h)
{
	h->look = h->c.n;
	kt_emit_branch_if_busy(h, h->slow);
	kt_emit_branch_unless_frozen(h, h->slow);
	miss(h, offsetof(struct kt_ring_ctl, frozen), false);
	return true;
}

/* As kt_hit_missed(), for a hit that the filter refuses. */
static bool drop(struct hit *h)
{
	h->filter.drop = h->c.n;
	if (h->filter_needs & NEEDS_LOADS)
		kt_emit_end_loads(h);
	miss(h, offsetof(struct kt_ring_ctl, filtered), HIT_SAVES_FIRST);
	return true;
}

static bool payload(struct hit *h)
{
	bool good;

	kt_emit_begin_payload(h);
	good = kt_code_program(&h->c, &h->record, header_bytes(h));
	kt_emit_end_payload(h);
	return good;
}

/* --------------------------------------------------------------------------- the plan */

static bool measures(const struct hit *h)
{
	return h->what->measure && !h->closes;
}

static bool begins(const struct hit *h)
{
	return measures(h) && h->what->measure->begins;
}

static bool ends(const struct hit *h)
{
	return measures(h) && !h->what->measure->begins;
}

static bool closes(const struct hit *h)
{
	return h->closes;
}

static bool has_filter(const struct hit *h)
{
	return h->filter.len;
}

static bool counts(const struct hit *h)
{
	return h->what->table;
}

static bool varies(const struct hit *h)
{
	return h->needs & NEEDS_TEXT;
}

static bool records(const struct hit *h)
{
	return !h->what->table && !h->what->measure && !varies(h);
}

static bool writes(const struct hit *h)
{
	return records(h) || varies(h);
}

static bool examines(const struct hit *h)
{
	return !measures(h);
}

static bool saves_first(const struct hit *h)
{
	return HIT_SAVES_FIRST && examines(h) && !h->closes;
}

static bool saves_then(const struct hit *h)
{
	return !HIT_SAVES_FIRST && examines(h) && !h->closes;
}

/* Of hits that record to wide rings, all that is examined leads to the C path. */
static bool can_be_frozen(const struct hit *h)
{
	return examines(h) && !h->closes && !h->is_wide;
}

static bool interprets(const struct hit *h)
{
	return records(h) && h->needs & NEEDS_LOADS;
}

static bool wakes(const struct hit *h)
{
	return records(h) && !h->is_wide;
}

static const struct row {
	bool (*make)(struct hit *h);	/* false: there is no code */
	bool (*wanted)(const struct hit *h);	/* NULL: by each hit */
} rows[] = {
	{ kt_emit_begin, NULL },
	{ kt_emit_save_timed, closes },		/* the end of a call: first the time */
	{ kt_emit_examine, examines },
	{ kt_closing_find, closes },
	{ kt_emit_save, saves_first },
	{ kt_emit_filter, has_filter },
	{ kt_emit_save, saves_then },
	{ kt_call_begin, begins },			/* a hit of a measurement does nothing else */
	{ kt_call_end, ends },
	{ kt_text_draft, varies },
	{ kt_emit_reserve, writes },
	{ kt_emit_header, writes },
	{ payload, records },
	{ kt_text_copy, varies },
	{ kt_emit_commit, writes },
	{ kt_emit_end_text, varies },
	{ kt_code_table, counts },
	{ account, examines },
	/* What is rare: */
	{ look_closer, can_be_frozen },
	{ kt_closing_rare, closes },
	{ drop, has_filter },
	{ kt_emit_wake, wakes },
	{ kt_text_rare, varies },
	{ kt_code_table_rare, counts },
	{ kt_emit_leave, NULL },
	{ kt_emit_interpret, interprets },
	{ kt_emit_data, NULL },
};

_Static_assert(sizeof(rows) / sizeof(*rows) <= 64, "the bits of a plan");

static u64 plan_of(const struct hit *h)
{
	u64 plan = 0;
	u32 i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!rows[i].wanted || rows[i].wanted(h))
			plan |= 1ULL << i;
	return plan;
}

/* One pass. */
static bool walk(struct code *c)
{
	struct hit *h = hit_of(c);
	bool good = true;
	u32 i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows) && good; i++)
		if (h->plan >> i & 1)
			good = rows[i].make(h);
	return good && kt_code_is_good(c);
}

/* -------------------------------------------------------------------------- generate */

static struct hit *hit_new(const struct kt_hit_code *what, u8 *out, unsigned long at)
{
	struct hit *h = kt_zalloc(sizeof(*h));

	if (!h || !kt_code_layout(&h->at)) {
		kt_free(h);
		return NULL;
	}
	h->what = what;
	h->is_direct = what->is_direct;
	h->is_wide = !what->is_direct && !what->is_narrow;
	h->is_event = what->is_event || (h->is_wide && !what->is_jump);
	h->closes = what->measure && what->table;
	h->record = (struct part){ .insns = what->insns, .len = what->len };
	h->filter = (struct part){ .insns = what->filter, .len = what->filter_len };
	h->c = (struct code){ .to = out, .at = at, .part = &h->record };
	return h;
}

/* A call that saves values, and one that ends in a way that a filter may refuse, are left to the C path. */
static bool call_possible(const struct hit *h)
{
	const struct kt_hit_code *what = h->what;

	return !what->measure->intervals->saved &&
	       (!what->table || (!what->filter && !h->is_event && kt_hit_table_has_value(what->table) && !what->measure->begins));
}

static bool record_possible(const struct hit *h)
{
	const struct kt_hit_code *what = h->what;

	return what->units < 1 << 14 && what->id < kt_id_ext(h->is_wide) && !(h->needs & NEEDS_TEXT && (!h->is_wide || what->is_jump));
}

static bool is_possible(const struct hit *h)
{
	const struct kt_hit_code *what = h->what;

	return h->needs >= 0 && h->filter_needs >= 0 && !(h->needs & NEEDS_CALL && !what->is_case) &&
	       !(h->filter_needs & (NEEDS_CALL | NEEDS_TEXT)) && (!what->measure || call_possible(h)) &&
	       (what->table ? kt_hit_table_has_code(what->table) && !(h->needs & NEEDS_TEXT) : what->measure || record_possible(h)) &&
	       kt_emit_possible(h);
}

int kt_generate_hit(const struct kt_hit_code *what, u8 *out, u32 room, unsigned long at)
{
	struct hit *h = hit_new(what, out, at);
	int n = -EOPNOTSUPP;

	if (!h)
		return -ENOMEM;
	h->needs = kt_code_needs(what->insns, what->len);
	h->filter_needs = kt_code_needs(what->filter, what->filter_len);
	if (is_possible(h)) {
		h->plan = plan_of(h);
		n = kt_code_passes(&h->c, walk, room);
	}
	kt_free(h);
	return n;
}

static bool make_cases(struct code *c)
{
	return kt_emit_cases(hit_of(c)) && kt_code_is_good(c);
}

int kt_generate_cases(const struct kt_hit_code *what, void *const *hits, u32 nr, u8 *out, u32 room, unsigned long at)
{
	struct hit *h = hit_new(what, out, at);
	int n;

	if (!h)
		return -ENOMEM;
	h->hits = hits;
	h->nr_hits = nr;
	n = kt_code_passes(&h->c, make_cases, room);
	kt_free(h);
	return n;
}
