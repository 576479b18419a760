// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_trace.c - trace: set tracepoints. */
#include "ctl/ask/lang/request.h"
#include "ctl/ask/resolve/debuginfo.h"
#include "ctl/ask/resolve/function_lines.h"
#include "ctl/base/device/site.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/cmd/command.h"
#include "ctl/live/session/confirm.h"
#include "ctl/live/session/lost.h"
#include "ctl/live/session/session_target.h"
#include "ctl/live/session/trace.h"

/* ------------------------------------------------------------------- echo */

/* The column of source lines is shown only if some line is known. */
static bool any_line(const struct target *target, const struct plans *plans)
{
	char line[256];

	for (size_t i = 0; i < plans->n; i++)
		if (*addr_info_line(plan_target(&plans->v[i], target), plans->v[i].point.addr, line, sizeof(line)))
			return true;
	return false;
}

/* The final method; for many sites in one call the module has not decided yet. */
static uint8_t method_to_be(const struct session *s, const struct plans *plans, const struct kt_site_req *reqs, size_t i)
{
	const size_t decided = s->dry_run ? KT_ANALYSE_DRY : KT_ANALYSE_NOW;
	const bool is_open = plans->n > decided && plans->v[i].req.method == KT_METHOD_AUTO &&
			     reqs[i].method == KT_METHOD_BREAKPOINT;

	return is_open ? KT_METHOD_AUTO : reqs[i].method;
}

static const char *method_said(uint8_t method)
{
	return method == KT_METHOD_AUTO ? "jump or breakpoint" : site_method(method);
}

static void add_plan(struct sheet *sheet, struct session *s, const struct plan *plan, uint8_t method, const struct kt_site_req *req,
		     bool lines)
{
	const struct target target = session_target(s), *home = plan_target(plan, &target);
	const bool is_text = s->format == PRINT_TEXT;
	char insn[INSN_SAID], line[256];

	sheet_row(sheet);
	cell_text_as(sheet, CELL_NAME, "name", "", plan->point.name);
	cell_text(sheet, NULL, lines ? "" : NULL, lines ? function_line_in(home, plan->point.addr, line, sizeof(line)) : "");
	cell_text(sheet, NULL, "", method_said(method));
	cell_text(sheet, NULL, "", is_text ? site_insn(home->tab, &plan->insn, insn) : "");
	cell_text(sheet, NULL, "", s->dry_run ? "(not set: dry run)" : "");
	cell_hex(sheet, "addr", NULL, probe_point_told(plan->point.addr));
	cell_text(sheet, "options", NULL, plan->desc->options);
	cell_text(sheet, "method", NULL, site_method(method));
	cell_text(sheet, "instruction", NULL, plan->insn.text);
	cell_boolean(sheet, "updated", NULL, req->updated);
	cell_boolean(sheet, "dry_run", NULL, s->dry_run);
}

static void echo(struct session *s, const struct plans *plans, const struct kt_site_req *reqs)
{
	AUTO_SHEET struct sheet sheet = { .key = "trace" };
	const struct target target = session_target(s);
	const bool is_text = s->format == PRINT_TEXT && !s->quiet, lines = is_text && any_line(&target, plans);

	if (!is_text && s->format != PRINT_JSON)
		return;
	for (size_t i = 0; i < plans->n; i++)
		if (!reqs[i].refusal && !plans->v[i].nr_closing)
			add_plan(&sheet, s, &plans->v[i], method_to_be(s, plans, reqs, i), &reqs[i], lines);
	sheet_write(&sheet, s->format, s->out, s->colour);
}

/* -------------------------------------------------------------------- set */

static bool set(struct session *s, const struct plans *plans, struct error *err)
{
	AUTO_FREE struct kt_site_req *reqs = mem_zalloc(plans->n, sizeof(*reqs));

	if (!trace_set(s, plans, 0, reqs, err))
		return false;
	if (!s->dry_run)
		lost_watch(s, plans, reqs);
	echo(s, plans, reqs);
	trace_say_frozen(s, plans);
	return true;
}

bool cmd_trace(struct session *s, const struct words *words, struct error *err)
{
	AUTO_REQUESTS struct requests requests = { 0 };
	AUTO_PLANS struct plans plans = { 0 };

	if (!requests_parse(words, 1, &requests, err) || !command_provide(s, words, err) ||
	    !session_begin_symbols(s, err) || !trace_plan(s, &requests, &plans, err))
		return false;
	plans_leave_out_own(&plans);
	if (plans.n > KT_MAX_BATCH)
		return error_set(err, STATUS_USAGE,
				 "too many addresses: give at most %d in one command", KT_MAX_BATCH);
	return (!plans.is_partial || confirm_many(s, "trace", plans.n, err)) && set(s, &plans, err);
}
