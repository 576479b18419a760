// SPDX-License-Identifier: GPL-2.0-or-later
/* plan.c - make a request from one probe point and its options.  See plan.h. */
#include "ctl/ask/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/base/device/refusal.h"
#include "ctl/base/device/site.h"
#include "ctl/ask/lang/aggregate.h"
#include "ctl/ask/lang/compile.h"
#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/exits.h"
#include "ctl/ask/resolve/function_lines.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/ask/resolve/resolve.h"
#include "ctl/ask/resolve/source.h"
#include "ctl/ask/expr/expr_known.h"
#include "ctl/ask/resolve/vars.h"

/* ------------------------------------------------------------- live text */

/* Text from the start of the symbol to the end of the instruction. */
struct text {
	uint64_t start;
	const uint8_t *code;
	uint8_t *own;		/* NULL: the code is that of the point */
	size_t len;
};

static void text_read(const struct target *target, const struct probe_point *point, struct text *out)
{
	uint64_t before;
	size_t want;

	out->start = point->sym ? point->sym->addr : point->addr;
	before = point->addr - out->start;
	want = before + KT_MAX_INSN;
	/* The module refuses an instruction that differs from its text, so these bytes, which were read before, are good enough. */
	if (point->sym && want <= point->nr_code) {
		*out = (struct text){ .start = out->start, .code = point->code, .len = want };
		return;
	}
	out->code = out->own = mem_zalloc(want, 1);
	out->len = target_text(target, out->start, out->own, want);
	/* If the text before the address is unreadable, plan without code: the module gives the reason. */
	if (out->len < before)
		out->len = 0;
}

static bool decode_at(const struct target *target, const struct text *text, uint64_t addr,
		      struct arch_insn *insn)
{
	uint64_t at = addr - text->start;

	return at < text->len &&
	       probe_point_decode(target, text->code + at, text->len - at, addr, insn);
}

/* --------------------------------------------------------- boundary check */

static bool in_the_middle(const struct target *target, const struct probe_point *point,
			  uint64_t before, uint64_t after, struct error *err)
{
	AUTO_PROBE_POINT struct probe_point a, b;
	const char *first = probe_point_name(target, before, &a), *second = probe_point_name(target, after, &b);
	const char *reason = refusal_reason(KT_REFUSE_BOUNDARY);

	if (!strcmp(first, second))
		return error_set(err, STATUS_FAILURE, "%s: %s: the nearest is %s", point->name,
				 reason, first);
	return error_set(err, STATUS_FAILURE, "%s: %s: the nearest are %s and %s", point->name,
			 reason, first, second);
}

/* Decode from the start of the symbol: does an instruction begin at place? */
static bool check_boundary(const struct target *target, const struct probe_point *point,
			   const struct text *text, struct error *err)
{
	uint64_t at = text->start;
	struct arch_insn insn;

	while (at < point->addr && decode_at(target, text, at, &insn)) {
		if (at + insn.len > point->addr)
			return in_the_middle(target, point, at, at + insn.len, err);
		at += insn.len;
	}
	return at == point->addr || !text->len ||
	       refusal_set(err, KT_REFUSE_UNDECODABLE, point->name, NULL);
}

static bool is_data(const struct probe_point *point, struct error *err)
{
	if (!point->sym || sym_is_text(point->sym))
		return false;
	error_set(err, STATUS_FAILURE, "%s: data, not code: record it at an instruction with LOC %s",
		  point->name, point->name);
	return true;
}

/* The module cannot tell where instructions begin in a program: a function must tell. */
static bool is_known(const struct target *target, const struct plan *plan, struct error *err)
{
	if (!target->program || ((plan->point.sym || marker_at(target, plan->point.addr)) && plan->insn.len))
		return true;
	return error_set(err, STATUS_FAILURE, "%s: %s: name a function, or an instruction inside one", plan->point.name,
			 plan->point.sym ? "not an instruction" : "no function of the file covers it");
}

static bool plan_instruction(const struct target *target, struct plan *plan, struct error *err)
{
	struct probe_point *point = &plan->point;
	struct text text;
	bool ok;

	if (point->is_event) {
		snprintf(plan->insn.text, sizeof(plan->insn.text), "static tracepoint");
		return true;
	}
	if (point->is_return) {
		snprintf(plan->insn.text, sizeof(plan->insn.text), "%s", RETURN_SAID);
		plan->insn.is_return = true;
		return true;
	}
	if (is_data(point, err))
		return false;
	text_read(target, point, &text);
	ok = check_boundary(target, point, &text, err);
	if (ok && decode_at(target, &text, point->addr, &plan->insn))
		memcpy(plan->req.insn, text.code + (point->addr - text.start), plan->insn.len);
	free(text.own);
	return ok && is_known(target, plan, err);
}

/* ---------------------------------------------------------------- options */

/* opener: the plan that saves the data of ENTRY; NULL: none. */
static bool encode_uses(const struct target *target, const struct request *request, const struct plan *opener,
			struct vars *vars, struct plan *plan, struct error *err)
{
	struct compiler c = {
		.arch = target->arch, .desc = plan->desc, .vars = vars,
		.closes = opener || request->is_measured, .in_call = request->in_call, .is_readable = request->is_readable,
		.entry = opener ? opener->desc : NULL,
		.entry_ends = opener ? opener->entry_ends : NULL,
		.point = plan->is_one_of_many || request->by_point ? plan->point.addr : 0,
	};
	bool ok = true;

	vars->closes = c.closes;
	vars->insn = &plan->insn;
	vars->wants_copy = source_names_copies(request->address);
	if (request->saved)
		ok = compile_saved(&c, request->saved, err);
	for (size_t i = 0; ok && i < request->nr_uses; i++) {
		const struct use *use = &request->uses[i];

		ok = use->option->encode(&c, use->option, use->arg, target->tab, err);
		if (plan->entry_ends)
			plan->entry_ends[i] = plan->desc->nr_fields;
	}
	ok = ok && aggregate_finish(&c, target->tab, err);
	plan->uses_frame = c.uses_frame;
	/* A measured call that ends at KT_SITE_RETURN has only one method: METHOD does not apply. */
	plan->req.method = plan->point.is_return && request->is_measured ? KT_METHOD_AUTO : c.method;
	if (!ok)
		compile_drop(&c);
	return ok && compile_finish(&c, err);
}

static bool is_first(const struct probe_point *point)
{
	return point->sym && sym_is_text(point->sym) && point->addr - point->sym->addr <= point->skip;
}

/*
 * The source line of an instruction inside a function, unless that is what was typed; NULL: none.  For many places only
 * what is at hand is used.
 */
static char *line_of(const struct target *target, const struct plan *plan)
{
	const bool hurries = plan->is_one_of_many || plan->desc->is_packed;
	char line[256];

	if (plan->home || plan->desc->is_hidden || !target->debug || is_first(&plan->point) || plan->point.is_event || source_names_copies(plan->desc->typed))
		return NULL;
	debug_hurry(target->debug, hurries);
	function_line_short(target, plan->point.addr, line, sizeof(line));
	debug_hurry(target->debug, false);
	line[strcspn(line, " ")] = '\0';
	return *line ? mem_strdup(line) : NULL;
}

/* vars: of the probe point.  like: the descriptor of another probe point of the request, NULL: of none. */
static bool plan_desc(const struct target *target, const struct request *request, const struct plan *opener,
		      const struct desc *like, struct vars *vars, struct plan *plan, struct error *err)
{
	plan->desc = mem_zalloc(1, sizeof(*plan->desc));
	plan->desc->addr = plan->point.addr;
	plan->desc->name = mem_strdup(request->name ? request->name : plan->point.name);
	plan->desc->typed = mem_strdup(request->typed ? request->typed : request->address);
	plan->desc->options = like ? mem_strdup(like->options) : request_options(request);
	plan->desc->is_hidden = request->saved || request->is_hidden;
	plan->desc->is_packed = request->is_packed;
	plan->desc->line = line_of(target, plan);
	if (!encode_uses(target, request, opener, vars, plan, err) ||
	    !desc_encode_like(plan->desc, like, &plan->desc->blob, &plan->desc->blob_len, err))
		return false;
	if (!target_site(target, plan->point.addr, &plan->req, err))
		return false;
	plan->req.flags |= plan->point.is_event ? KT_SITE_EVENT : plan->point.is_return ? KT_SITE_RETURN : 0;
	plan->req.process = plan->req.flags & KT_SITE_USER ? request->process : 0;
	plan->req.desc = (uintptr_t)plan->desc->blob;
	plan->req.desc_len = plan->desc->blob_len;
	return true;
}

static void flag(struct plan *plan, uint32_t flags)
{
	((struct kt_desc_req *)plan->desc->blob)->flags |= flags;
}

void plans_flag(struct plans *plans, uint32_t flags)
{
	for (size_t i = 0; i < plans->n; i++)
		flag(&plans->v[i], flags);
}

/* Options stand at the tracepoint that closes calls.  The one before it, which opens them, does the same. */
static const struct plan *typed(const struct plans *plans, size_t i)
{
	return &plans->v[plans->v[i].nr_closing ? i + 1 : i];
}

static void leave_out_own(struct plans *plans, size_t i)
{
	if (!typed(plans, i)->desc->takes_self)
		flag(&plans->v[i], KT_DESC_OTHERS);
}

void plans_leave_out_own(struct plans *plans)
{
	for (size_t i = 0; i < plans->n; i++)
		leave_out_own(plans, i);
}

void plans_follow(struct plans *plans)
{
	for (size_t i = 0; i < plans->n; i++) {
		if (typed(plans, i)->names_process)
			leave_out_own(plans, i);
		else
			flag(&plans->v[i], KT_DESC_TASKS);
	}
}

static void plan_drop(struct plan *plan)
{
	for (size_t i = 0; i < plan->nr_cases; i++)
		desc_free(plan->case_descs[i]);
	probe_point_free(&plan->point);
	free(plan->cases);
	free(plan->case_descs);
	desc_free(plan->desc);
	free(plan->pieces);
	free(plan->entry_ends);
}

/* A case has the place of the whole, and a descriptor of its own. */
static bool plan_case(const struct target *target, const struct request *whole, const struct request_case *from,
		      struct vars *vars, struct plan *plan, struct error *err)
{
	struct plan one = { .point = plan->point, .insn = plan->insn };
	struct request request = from->request;
	bool ok;

	request.is_packed = whole->is_packed;
	ok = plan_desc(target, &request, NULL, NULL, vars, &one, err);
	if (ok) {
		plan->case_descs[plan->nr_cases] = one.desc;
		plan->cases[plan->nr_cases++] = (struct kt_case){
			.desc = one.req.desc, .desc_len = one.req.desc_len, .number = from->number,
		};
	} else {
		desc_free(one.desc);
	}
	return ok;
}

static bool plan_cases(const struct target *target, const struct request *request, struct vars *vars, struct plan *plan,
		       struct error *err)
{
	if (!request->nr_cases)
		return true;
	plan->cases = mem_zalloc(request->nr_cases, sizeof(*plan->cases));
	plan->case_descs = mem_zalloc(request->nr_cases, sizeof(*plan->case_descs));
	for (size_t i = 0; i < request->nr_cases; i++)
		if (!plan_case(target, request, &request->cases[i], vars, plan, err))
			return false;
	plan->req.cases = (uintptr_t)plan->cases;
	plan->req.nr_cases = plan->nr_cases;
	return true;
}

static bool is_of_process(const struct use *use)
{
	return !strcmp(use->option->name, "ONLYTGID") || !strcmp(use->option->name, "ONLYPID");
}

static bool names_process(const struct request *request)
{
	for (size_t i = 0; i < request->nr_uses; i++)
		if (is_of_process(&request->uses[i]))
			return true;
	return false;
}

/* The plan takes the name of the point. */
static bool plan_point(const struct target *target, const struct request *request, const struct plan *opener,
		       struct probe_point *point, bool is_pattern, struct plans *plans, struct error *err)
{
	struct plan plan = {
		.point = *point, .home = target->program ? target : NULL,
		.is_one_of_many = is_pattern, .request = plans->nr_requests, .names_process = names_process(request),
	};
	const struct plan *last = is_pattern && plans->n ? &plans->v[plans->n - 1] : NULL;
	const struct desc *like = last && last->request == plan.request ? last->desc : NULL;
	struct vars vars;
	bool ok;

	point->name = NULL;
	vars_init(&vars, target, &plan.point);
	vars.known = request->nr_cases ? expr_known_create() : NULL;
	ok = plan_instruction(target, &plan, err) && plan_desc(target, request, opener, like, &vars, &plan, err) &&
	     plan_cases(target, request, &vars, &plan, err);
	expr_known_free(vars.known);
	vars_free(&vars);
	if (!ok) {
		plan_drop(&plan);
		return false;
	}
	/* At least one byte: the module checks the address before the bytes. */
	plan.req.insn_len = point->is_event || point->is_return ? 0 : plan.insn.len ? plan.insn.len : 1;
	plans->v = MEM_MORE(plans->v, plans->n);
	plans->v[plans->n++] = plan;
	return true;
}

/* ----------------------------------------------------------------- openers */

static bool needs_opener(const struct request *request)
{
	for (size_t i = 0; i < request->nr_uses && !request->is_measured; i++)
		if (option_needs_entry(request->uses[i].option, request->uses[i].arg))
			return true;
	return false;
}

/* A request with each ENTRY as a VAR. */
static struct request opening(const struct request *request, const char *function)
{
	struct request out = { .address = function, .process = request->process, .uses = mem_zalloc(request->nr_uses, sizeof(*out.uses)) };

	for (size_t i = 0; i < request->nr_uses; i++)
		if (option_is_entry(request->uses[i].option))
			out.uses[out.nr_uses++] = (struct use){ option_find("VAR"), request->uses[i].arg, NULL };
	return out;
}

static bool plan_entry(const struct target *target, const struct request *request, struct plan *plan,
		       struct error *err)
{
	struct vars vars;
	bool ok;

	plan->entry_ends = mem_zalloc(request->nr_uses + 1, sizeof(*plan->entry_ends));
	vars_init(&vars, target, &plan->point);
	ok = plan_instruction(target, plan, err) && plan_desc(target, request, NULL, NULL, &vars, plan, err);
	vars_free(&vars);
	if (!ok)
		return false;
	plan->req.insn_len = plan->insn.len ? plan->insn.len : 1;
	return desc_payload(plan->desc) <= KT_MAX_SAVED ||
	       error_set(err, STATUS_USAGE, "ENTRY: too much data: at most %d bytes are saved with each call: record less",
			 KT_MAX_SAVED);
}

/* Plan the tracepoint at the entry of a function whose exits are planned next. */
static bool plan_opener(const struct target *target, const struct request *request, size_t nr_closing,
			struct plans *plans, struct error *err)
{
	AUTO_FREE char *function = source_returning(request->address);
	struct plan plan = { .nr_closing = nr_closing, .home = target->program ? target : NULL };
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	struct request entry;
	bool ok;

	/* The first point is the function, others are variants of it. */
	if (!probe_points_resolve(target, function, &points, err))
		return false;
	plan.point = points.v[0];
	points.v[0].name = NULL;
	if (plan.home && exits_reenter(target, plan.point.sym, plan.point.addr))
		return error_set(err, STATUS_FAILURE, "%s: its first instruction is also where a loop in it begins again, so a call cannot be told from a round: leave out ENTRY and ELAPSED",
				 function);
	entry = opening(request, function);
	ok = plan_entry(target, &entry, &plan, err);
	free(entry.uses);
	if (!ok) {
		plan_drop(&plan);
		return false;
	}
	plans->v = MEM_MORE(plans->v, plans->n);
	plans->v[plans->n++] = plan;
	return true;
}

/* The array of plans moves as it grows: use a copy of the opener, which owns nothing. */
static bool plan_closing(const struct target *target, const struct request *request, struct probe_points *points,
			 struct plans *plans, struct error *err)
{
	struct plan opener;

	if (!plan_opener(target, request, points->n, plans, err))
		return false;
	opener = plans->v[plans->n - 1];
	for (size_t i = 0; i < points->n; i++)
		if (!plan_point(target, request, &opener, &points->v[i], false, plans, err))
			return false;
	return true;
}

/* Of several filters by process, any may match. */
static int only_process(const struct request *request)
{
	int process = 0;

	for (size_t i = 0; i < request->nr_uses; i++) {
		const struct use *use = &request->uses[i];

		if (!is_of_process(use))
			continue;
		if (process || strchr(use->arg, ',') || !(process = process_of_thread(atoi(use->arg))))
			return 0;
	}
	return process;
}

static bool plan_here(const struct target *target, const struct request *request, struct plans *plans, struct error *err)
{
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	AUTO_FREE char *is_return = source_returning(request->address);

	if (!probe_points_resolve(target, request->address, &points, err))
		return programs_failed(target, err);
	scans_take(&plans->scans, &points.scans);
	plans->nr_requests++;
	if (needs_opener(request) && is_return)
		return plan_closing(target, request, &points, plans, err);
	plans->is_partial |= points.is_pattern;
	for (size_t i = 0; i < points.n; i++) {
		if (plans->line)
			progress_part(plans->line, "resolving", i, points.n);
		if (plan_point(target, request, NULL, &points.v[i], points.is_pattern, plans, err))
			continue;
		if (!points.is_pattern)
			return false;
		plans->nr_left_out++;
		plans->why = *err;
	}
	if (!plans->n)
		return false;
	plans->v[plans->n - 1].pieces = points.pieces;
	points.pieces = NULL;
	return true;
}

bool plan_request(const struct target *target, const struct request *request, struct plans *plans, struct error *err)
{
	struct request here = *request;

	if (option_looks_like(request->address) && !address_is_known(target->tab, request->address))
		return option_unknown(request->address, err);
	here.process = only_process(request);
	switch (programs_find(target, request->address, here.process, &target, &here.address, err)) {
	case PROGRAMS_FAILED:
		return false;
	case PROGRAMS_FOUND:
		here.typed = request->address;
		break;
	case PROGRAMS_NONE:
		break;
	}
	return plan_here(target, &here, plans, err);
}

void plans_forget_pieces(struct plans *plans)
{
	for (size_t i = 0; i < plans->n; i++) {
		free(plans->v[i].pieces);
		plans->v[i].pieces = NULL;
	}
}

void plans_free(struct plans *plans)
{
	for (size_t i = 0; i < plans->n; i++)
		plan_drop(&plans->v[i]);
	free(plans->v);
	free(plans->scans.v);
	*plans = (struct plans){ 0 };
}

bool plan_refused(const struct target *target, const struct plan *plan,
		  const struct kt_site_req *answer, struct error *err)
{
	AUTO_PROBE_POINT struct probe_point nearest = { 0 };

	if (answer->refusal == KT_REFUSE_METHOD && answer->no_jump)
		return error_set(err, STATUS_FAILURE, "%s: %s (%s): leave the choice to ktrace", plan->point.name,
				 refusal_reason(answer->refusal), site_no_jump(answer->no_jump));
	return refusal_set(err, answer->refusal, plan->point.name,
			   answer->nearest ? probe_point_name(target, answer->nearest, &nearest) : NULL);
}
