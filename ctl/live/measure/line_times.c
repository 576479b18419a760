// SPDX-License-Identifier: GPL-2.0-or-later
/* line_times.c - lines_times(): how long control stays in each line.  See lines.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/live/measure/lines.h"
#include "ctl/live/measure/live.h"
#include "ctl/live/session/session_target.h"
#include "ctl/live/session/trace.h"

#define SLOTS	4096	/* open calls */
#define TABLE	(16U << 20)	/* most bytes of the table of open calls */
#define BURDEN	0.5	/* of a CPU's time: report a higher burden */

struct lines_run {
	const struct lines_subject *subject;
	char **texts;			/* addresses of requests, [nr_texts] */
	size_t nr_texts;
	size_t *line_of;		/* [plans.n]: index of its line */
	struct live live;
	bool may_count;			/* counting would do, and can begin anew */
	bool too_hot;
};

/* ---------------------------------------------------------------------- plan */

static bool is_return(const struct lines_run *r, uint64_t addr)
{
	for (size_t i = 0; i < r->subject->back.n; i++)
		if (r->subject->back.v[i].addr == addr)
			return true;
	return false;
}

static const struct line_addr *line_at(const struct lines_run *r, uint64_t addr)
{
	for (size_t i = 0; i < r->subject->lines.nr_addrs; i++)
		if (r->subject->lines.addrs[i].addr == addr)
			return &r->subject->lines.addrs[i];
	return NULL;
}

/* IF applies only at the entry.  The other filters apply everywhere, so that calls of other tasks cost little. */
static bool belongs(const struct use *use, bool is_entry)
{
	return is_entry || strcmp(use->option->name, "IF");
}

/* only_if: the condition of --if at a return; else NULL. */
static bool plan_addr(struct session *s, struct lines_run *r, uint64_t addr, bool is_entry, const char *only_if,
		      struct error *err)
{
	struct target target = session_target(s);
	const struct request *typed = &r->subject->typed.v[0];
	AUTO_FREE struct use *uses = mem_zalloc(typed->nr_uses + 1, sizeof(*uses));
	struct request request = { .uses = uses, .is_measured = only_if };

	r->texts = MEM_MORE(r->texts, r->nr_texts);
	r->texts[r->nr_texts] = addr & KT_RETURN_BIT || r->subject->home ? mem_printf("%s0x%" PRIx64, r->subject->prefix, addr)
									 : mem_printf("%s%%return", typed->address);
	request.address = r->texts[r->nr_texts++];
	for (size_t i = 0; i < typed->nr_uses; i++)
		if (belongs(&typed->uses[i], is_entry))
			uses[request.nr_uses++] = typed->uses[i];
	if (only_if)
		uses[request.nr_uses++] = (struct use){ option_find("IF"), only_if, NULL };
	return plan_request(&target, &request, &r->live.plans, err);
}

/* The line of the closing brace, where the returns are; 0: unknown. */
static uint32_t last_line(const struct lines_run *r)
{
	uint32_t last = 0;

	for (size_t i = 0; i < r->subject->lines.n; i++) {
		const struct line_name *line = &r->subject->lines.v[i];

		if (!line->inlined && !strcmp(line->file, r->subject->lines.v[0].file) && line->number > last)
			last = line->number;
	}
	return last;
}

/* Where control leaves, in the eyes of a reader: not in an inlined function, and not at the closing brace. */
static uint32_t exit_role(const struct lines_run *r, size_t i)
{
	const struct line_name *line = &r->subject->lines.v[i];

	return !line->inlined && (line->jumped || line->number != last_line(r)) ? KT_ROLE_OUT : 0;
}

static void give_role(struct lines_run *r, const struct line_addr *addr, uint32_t what)
{
	const size_t i = r->live.plans.n - 1;

	r->live.roles = mem_grow(r->live.roles, i + 1, sizeof(*r->live.roles));
	r->line_of = mem_grow(r->line_of, i + 1, sizeof(*r->line_of));
	r->live.roles[i] = (struct kt_role){
		.what = what | KT_ROLE_SILENT | KT_ROLE_TALLY, .reg = addr->reg, .bias = addr->bias, .group = addr->line,
	};
	r->line_of[i] = addr->line;
}

static bool has_if(const struct request *request)
{
	for (size_t i = 0; i < request->nr_uses; i++)
		if (!strcmp(request->uses[i].option->name, "IF"))
			return true;
	return false;
}

static bool plan_entry(struct session *s, struct lines_run *r, struct error *err)
{
	if (!plan_addr(s, r, r->subject->lines.addrs[0].addr, true, NULL, err))
		return false;
	give_role(r, &r->subject->lines.addrs[0], KT_ROLE_BEGIN | KT_ROLE_OUT | (has_if(&r->subject->typed.v[0]) ? KT_ROLE_MARK : 0) |
					 (r->subject->back.v[0].is_return ? KT_ROLE_JUMPS : 0));
	return true;
}

/* At a return the stack pointer has the same value as at the entry. */
static bool plan_returns(struct session *s, struct lines_run *r, const char *only_if, struct error *err)
{
	for (size_t i = 0; i < r->subject->back.n; i++) {
		const struct line_addr *known = line_at(r, r->subject->back.v[i].addr);
		struct line_addr addr = { .addr = r->subject->back.v[i].addr, .line = known ? known->line : 0,
					  .reg = arch_native.dwarf_sp };

		if (!plan_addr(s, r, addr.addr, false, only_if, err))
			return false;
		give_role(r, &addr, KT_ROLE_STEP | KT_ROLE_END | (only_if || has_if(&r->subject->typed.v[0]) ? KT_ROLE_MARK : 0));
	}
	return true;
}

/* A line that cannot be traced counts for the line before; the report says so. */
static void plan_lines(struct session *s, struct lines_run *r)
{
	struct error unused;

	for (size_t i = 1; i < r->subject->lines.nr_addrs; i++)
		if (!is_return(r, r->subject->lines.addrs[i].addr) &&
		    plan_addr(s, r, r->subject->lines.addrs[i].addr, false, NULL, &unused))
			give_role(r, &r->subject->lines.addrs[i], KT_ROLE_STEP | exit_role(r, r->subject->lines.addrs[i].line));
}

/* Room for open calls: with --if each has the times of all lines. */
static uint32_t slots(const struct lines_run *r, const struct oneshot *o)
{
	const size_t bytes = o->only_if ? 128 + 32 * r->subject->lines.n : 128;
	uint32_t n = SLOTS;

	while (n > KT_MIN_SLOTS && n * bytes > TABLE)
		n /= 2;
	return n;
}

static struct kt_measure request(const struct lines_run *r, const struct oneshot *o)
{
	return (struct kt_measure){
		.slots = slots(r, o), .groups = r->subject->lines.n * (o->only_if ? 4 : 2),
		.flags = KT_MEASURE_LINES | KT_MEASURE_EXITS | (o->only_if ? KT_MEASURE_SPLIT : 0) |
			 (r->subject->home ? KT_MEASURE_PROCESS : 0),
	};
}

static bool plan(struct session *s, const struct oneshot *o, struct lines_run *r, struct error *err)
{
	if (!plan_entry(s, r, err) || !plan_returns(s, r, o->only_if, err))
		return false;
	plan_lines(s, r);
	r->live.plans.is_partial = true;
	r->live.raw = o->raw;
	r->live.quota = o->count;
	r->live.req = request(r, o);
	return true;
}

/* ------------------------------------------------------------------- results */

/* The samples of line i in one part of the groups: see KT_MEASURE_EXITS and _SPLIT. */
static bool fill_part(struct session *s, const struct lines_run *r, size_t part, size_t i, struct samples *out, struct error *err)
{
	bool found;

	return live_samples(s, &r->live, part * r->subject->lines.n + i, false, out, NULL, &found, err);
}

static bool fill_parts(struct session *s, const struct oneshot *o, const struct lines_run *r, size_t i, struct line *line,
		       struct error *err)
{
	if (!fill_part(s, r, 0, i, &line->samples, err) || !fill_part(s, r, 1, i, &line->out, err))
		return false;
	if (!o->only_if)
		return true;
	if (!fill_part(s, r, 2, i, &line->other, err) || !fill_part(s, r, 3, i, &line->other_out, err))
		return false;
	line->samples.is_sum = line->other.is_sum = true;
	return true;
}

static bool fill(struct session *s, const struct oneshot *o, const struct lines_run *r, struct measurement *m, struct error *err)
{
	const struct live *live = &r->live;
	bool ok = true;

	m->kind = MEASURE_LINES;
	lines_name(r->subject, o, m);
	m->from.nr_points = live->plans.n;
	m->from.method = live_methods(live, 0, live->plans.n);
	for (size_t i = 0; i < live->plans.n; i++)
		lines_add_addr(m, r->line_of[i], live->plans.v[i].point.addr, live->reqs[i].refusal);
	for (size_t i = 0; ok && i < m->nr_lines; i++)
		ok = fill_parts(s, o, r, i, &m->lines[i], err);
	return ok && live_fill(s, live, m, err);
}

/* ------------------------------------------------------------------------ run */

/* Entry and returns must be traced. */
static bool check_ends(struct session *s, struct lines_run *r, struct error *err)
{
	struct target target = session_target(s);

	for (size_t i = 0; i <= r->subject->back.n; i++)
		if (r->live.reqs[i].refusal)
			return plan_refused(&target, &r->live.plans.v[i], &r->live.reqs[i], err);
	return true;
}

static bool arm(struct session *s, struct oneshot *o, void *arg, struct error *err)
{
	struct lines_run *r = arg;

	return live_arm(s, o, &r->live, err) && check_ends(s, r, err);
}

static bool round_once(struct session *s, void *arg, struct progress *progress, struct error *err)
{
	struct lines_run *r = arg;

	if (!live_progress(s, &r->live, progress, err))
		return false;
	r->too_hot |= r->may_count && progress->turned_away;
	progress->enough |= r->too_hot;
	return true;
}

static bool disarm(struct session *s, void *arg, struct error *err)
{
	struct lines_run *r = arg;

	return live_disarm(s, &r->live, err);
}

/* Slowing down a command is expected; slowing down the whole machine is worth a note. */
static void tell_burden(struct session *s, const struct oneshot *o, const struct measurement *m)
{
	const double burden = measure_burden(m);

	if (m->turned_away)
		session_note(s, "these lines are executed too often to be timed: --counts takes less, or measure less: --pid, IF");
	else if (!o->command && burden > BURDEN)
		session_note(s, "the tracepoints took the time of %.1f CPUs and slowed the machine down: measure less: --counts, --for 1s, --count 10000, --pid, IF",
			     burden);
}

static bool measure(struct session *s, struct oneshot *o, struct lines_run *r, struct measurement *m, struct error *err)
{
	const struct oneshot_ops ops = { .arm = arm, .round = round_once, .disarm = disarm, .arg = r };

	if (!oneshot_measure(s, o, &ops, err) || !fill(s, o, r, m, err))
		return false;
	if (!r->too_hot)
		tell_burden(s, o, m);
	return true;
}

static void drop(struct lines_run *r)
{
	live_free(&r->live);
	for (size_t i = 0; i < r->nr_texts; i++)
		free(r->texts[i]);
	free(r->texts);
	free(r->line_of);
}

bool lines_times(struct session *s, struct oneshot *o, struct lines_subject *subject, struct measurement *m, bool *too_hot,
		 struct error *err)
{
	struct lines_run r = { .subject = subject, .may_count = !o->command && !o->count && !o->only_if && !o->raw };
	bool ok;

	scans_take(&r.live.plans.scans, &subject->back.scans);
	ok = plan(s, o, &r, err) && measure(s, o, &r, m, err);
	*too_hot = r.too_hot;
	drop(&r);
	return ok;
}
