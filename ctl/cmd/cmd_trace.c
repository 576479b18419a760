// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_trace.c - trace: set tracepoints. */
#include "ctl/ask/lang/request.h"
#include "ctl/ask/resolve/debuginfo.h"
#include "ctl/ask/resolve/function_lines.h"
#include "ctl/base/device/site.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/table.h"
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

static void echo_text(struct session *s, const struct plans *plans, const struct kt_site_req *reqs)
{
	struct target target = session_target(s);
	bool lines = any_line(&target, plans);
	AUTO_TABLE struct table table = { .align = lines ? "nllll" : "nlll" };
	char insn[INSN_SAID], line[256];

	for (size_t i = 0; i < plans->n; i++) {
		const struct plan *plan = &plans->v[i];
		const struct target *home = plan_target(plan, &target);

		if (reqs[i].refusal || plan->nr_closing)
			continue;
		table_add(&table, "%s", plan->point.name);
		if (lines)
			table_add(&table, "%s", function_line_in(home, plan->point.addr, line, sizeof(line)));
		table_add(&table, "%s", method_said(method_to_be(s, plans, reqs, i)));
		table_add(&table, "%s", site_insn(home->tab, &plan->insn, insn));
		table_add(&table, "%s", s->dry_run ? "(not set: dry run)" : "");
	}
	table_print(&table, false, s->out, s->colour);
}

static void echo_json(struct session *s, const struct plans *plans, const struct kt_site_req *reqs)
{
	for (size_t i = 0; i < plans->n; i++) {
		const struct plan *plan = &plans->v[i];
		struct json j;

		if (reqs[i].refusal || plan->nr_closing)
			continue;
		j = json_typed(s->out, "trace");
		json_text(&j, "name", plan->point.name);
		json_hex(&j, "addr", probe_point_told(plan->point.addr));
		json_text(&j, "options", plan->desc->options);
		json_text(&j, "method", site_method(method_to_be(s, plans, reqs, i)));
		json_text(&j, "instruction", plan->insn.text);
		json_boolean(&j, "updated", reqs[i].updated);
		json_boolean(&j, "dry_run", s->dry_run);
		json_end(&j);
	}
}

static void echo(struct session *s, const struct plans *plans, const struct kt_site_req *reqs)
{
	if (s->format == PRINT_JSON)
		echo_json(s, plans, reqs);
	else if (s->format == PRINT_TEXT && !s->quiet)
		echo_text(s, plans, reqs);
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
