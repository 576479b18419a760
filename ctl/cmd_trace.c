// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_trace.c - set tracepoints. */
#include <string.h>

#include "ctl/command.h"
#include "ctl/json_out.h"
#include "ctl/memory.h"
#include "ctl/plan.h"
#include "ctl/request.h"
#include "ctl/site.h"

/* Capstone parts mnemonic and operands with tabs or several blanks: one is enough here. */
static const char *squeeze(const char *text, char *buf, size_t size)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++) {
		bool blank = *text == ' ' || *text == '\t';

		if (blank && (!n || buf[n - 1] == ' '))
			continue;
		buf[n++] = blank ? ' ' : *text;
	}
	buf[n] = '\0';
	return buf;
}

/* ------------------------------------------------------------------- echo */

static int name_width(const struct plans *plans)
{
	size_t width = 0;

	for (size_t i = 0; i < plans->n; i++)
		if (strlen(plans->v[i].place.name) > width)
			width = strlen(plans->v[i].place.name);
	return width;
}

static void echo_text(struct session *s, const struct plan *plan, int width, const char *method)
{
	char insn[96];

	fprintf(s->out, "%-*s  %s  %s%s\n", width, plan->place.name, method,
		squeeze(plan->insn.text, insn, sizeof(insn)),
		s->dry_run ? "  (not set: dry run)" : "");
}

static void echo_json(struct session *s, const struct plan *plan, const struct kt_site_req *req,
		      const char *method)
{
	struct json_object *o = json_typed("trace");

	json_put_text(o, "name", plan->place.name);
	json_put_address(o, "address", plan->place.addr);
	json_put_text(o, "options", plan->desc->options);
	json_put_text(o, "method", method);
	json_put_text(o, "instruction", plan->insn.text);
	json_put_bool(o, "updated", req->updated);
	json_put_bool(o, "dry_run", s->dry_run);
	json_line(o, s->out);
}

static void note_frame(struct session *s, const struct plans *plans)
{
	for (size_t i = 0; i < plans->n && !s->told_frame; i++) {
		if (!plans->v[i].uses_frame)
			continue;
		s->told_frame = true;
		session_note(s, "FRAME counts from the frame pointer (%s), without debug information: the function must have set it up",
			     arch_reg_name(&arch_native, arch_native.dwarf_fp));
	}
}

static void note_pieces(struct session *s, const struct plan *plan)
{
	if (plan->pieces)
		session_note(s, "split off and not traced: %s: name them to trace them, too",
			     plan->pieces);
}

static void echo(struct session *s, const struct plans *plans, const struct kt_site_req *reqs)
{
	int width = name_width(plans);

	note_frame(s, plans);
	for (size_t i = 0; i < plans->n; i++) {
		const char *method = site_method(reqs[i].method);

		if (reqs[i].updated)
			session_note(s, "Tracepoint at %s already exists, updating",
				     plans->v[i].place.name);
		if (s->format == PRINT_JSON)
			echo_json(s, &plans->v[i], &reqs[i], method);
		else if (s->format == PRINT_TEXT && !s->quiet)
			echo_text(s, &plans->v[i], width, method);
		note_pieces(s, &plans->v[i]);
	}
}

/* -------------------------------------------------------------------- set */

/* Every refusal is said; the last one is the error of the command. */
static bool explain_refusals(struct session *s, const struct plans *plans,
			     const struct kt_site_req *reqs, struct error *err)
{
	struct target target = session_target(s);
	bool any = false;

	for (size_t i = 0; i < plans->n; i++) {
		if (!reqs[i].refusal)
			continue;
		if (any)
			session_complain(s, NULL, err);
		plan_refused(&target, &plans->v[i], &reqs[i], err);
		any = true;
	}
	return any;
}

static bool set(struct session *s, const struct plans *plans, struct error *err)
{
	AUTO_FREE struct kt_site_req *reqs = mem_zalloc(plans->n, sizeof(*reqs));
	struct kt_trace req = {
		.flags = s->dry_run ? KT_TRACE_DRYRUN : 0,
		.nr = plans->n, .sites = (uintptr_t)reqs,
	};

	for (size_t i = 0; i < plans->n; i++)
		reqs[i] = plans->v[i].req;
	if (!device_trace(&s->dev, &req, err)) {
		explain_refusals(s, plans, reqs, err);
		return false;
	}
	echo(s, plans, reqs);
	return true;
}

bool cmd_trace(struct session *s, const struct words *words, struct error *err)
{
	AUTO_REQUESTS struct requests requests = { 0 };
	AUTO_PLANS struct plans plans = { 0 };
	struct target target = session_target(s);

	if (!requests_parse(words, 1, &requests, err))
		return false;
	for (size_t i = 0; i < requests.n; i++)
		if (!plan_request(&target, &requests.v[i], &plans, err))
			return false;
	if (plans.n > KT_MAX_BATCH)
		return error_set(err, STATUS_USAGE,
				 "too many addresses: give at most %d in one command", KT_MAX_BATCH);
	return set(s, &plans, err);
}
