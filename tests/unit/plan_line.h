/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_line.h - the words behind `trace`, and the program that they compile to for a fake kernel. */
#ifndef PLAN_LINE_H
#define PLAN_LINE_H

#include "ctl/live/session/session_target.h"
#include "unit.h"

#include "ctl/ask/lang/request.h"
#include "ctl/ask/plan/plan.h"
#include "ctl/base/memory.h"
#include "fake_setup.h"
#include "verify.h"

static struct error err;

static bool plan(const char *line, struct plans *plans)
{
	AUTO_REQUESTS struct requests requests = { 0 };
	AUTO_WORDS struct words words = { 0 };
	struct target target = session_target(&fake->session);

	err.text[0] = '\0';
	assert_int_equal(lex_command(&line, &words, &err), LEX_COMMAND);
	if (!requests_parse(&words, 0, &requests, &err))
		return false;
	for (size_t i = 0; i < requests.n; i++)
		if (!plan_request(&target, &requests.v[i], plans, &err))
			return false;
	return true;
}

static void must_plan(const char *line, struct plans *plans)
{
	if (!plan(line, plans))
		fail_msg("%s: %s", line, err.text);
}

static void refused(const char *line, enum exit_status status, const char *said)
{
	AUTO_PLANS struct plans plans = { 0 };

	assert_false(plan(line, &plans));
	assert_contains(err.text, said);
	assert_one_line(err.text);
	assert_int_equal(err.status, status);
}

/* The module's own verifier accepts it, and computes the same number of bytes as the descriptor. */
static void check_program(const struct desc *desc)
{
	assert_int_equal(verify_program(desc->prog, desc->prog_len), desc_payload(desc));
}

#endif
