// SPDX-License-Identifier: GPL-2.0-or-later
/* tally.c - see tally.h. */
#include "tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const refusals[KT_NR_REFUSALS] = {
	"none", "user address", "not text", "the module itself", "init text", "module comes or goes", "no symbol",
	"mid-instruction", "undecodable", "blacklist", "idle", "ftrace", "jump label", "static call", "alternative",
	"bug", "exception table", "breakpoint there", "trap", "system", "interrupt shadow", "out of range",
	"unknown instruction", "bytes changed", "padding", "method", "program", "descriptor", "no memory", "no slot",
	"twice", "full", "landing pad", "entry path", "no traps there", "interrupted",
	"no event", "exclusive sequence",
};

static const char *const methods[KT_NR_METHODS] = { "auto", "breakpoint", "jump" };

static const char *const no_jumps[KT_NR_NO_JUMPS] = {
	"none", "branch leads inside", "indirect jump", "function unclear", "tables hidden", "end of function",
	"must stay in place", "call, jump or return", "cannot be moved", "out of reach", "kprobe there",
	"tracepoint there",
};

const char *refusal_name(unsigned int refusal)
{
	return refusal < KT_NR_REFUSALS && refusals[refusal] ? refusals[refusal] : "another reason";
}

static void count(struct outcome *outcomes, unsigned int which, unsigned int nr, const char *name)
{
	struct outcome *outcome = &outcomes[which < nr ? which : 0];

	if (!outcome->n++)
		snprintf(outcome->example, sizeof(outcome->example), "%s", name);
}

void tally_site(struct tally *tally, const struct kt_site_req *answer, const char *name)
{
	tally->sites++;
	if (answer->refusal)
		count(tally->refusals, answer->refusal, KT_NR_REFUSALS, name);
}

void tally_method(struct tally *tally, const struct kt_list_entry *entry, const char *name)
{
	count(tally->methods, entry->method, KT_NR_METHODS, name);
	if (entry->method == KT_METHOD_BREAKPOINT)
		count(tally->no_jumps, entry->no_jump, KT_NR_NO_JUMPS, name);
}

void tally_wrong(struct tally *tally, const struct kt_site_req *answer, const char *name)
{
	tally->wrong++;
	count(tally->wrong_refusals, answer->refusal, KT_NR_REFUSALS, name);
}

uint64_t tally_set(const struct tally *tally)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < KT_NR_METHODS; i++)
		sum += tally->methods[i].n;
	return sum;
}

static void print_outcomes(const char *head, const struct outcome *outcomes, size_t nr, const char *const *names)
{
	for (size_t i = 0; i < nr; i++)
		if (outcomes[i].n)
			printf("%-10s %-22s %9" PRIu64 "  e.g. %s\n", head, names[i] ? names[i] : "another reason",
			       outcomes[i].n, outcomes[i].example);
}

/*
 * Nothing may be set at these addresses, whatever the instruction; behind a module's text there is no
 * instruction.
 */
static const enum kt_refusal outside[] = {
	KT_REFUSE_BLACKLIST, KT_REFUSE_IDLE, KT_REFUSE_SELF, KT_REFUSE_INIT, KT_REFUSE_ENTRY_PATH, KT_REFUSE_NO_TRAPS,
	KT_REFUSE_NOT_TEXT, KT_REFUSE_PADDING,
};

/* Code that the kernel patches, or looks up by its address. */
static const enum kt_refusal reserved[] = {
	KT_REFUSE_FTRACE, KT_REFUSE_JUMP_LABEL, KT_REFUSE_STATIC_CALL, KT_REFUSE_ALTERNATIVE, KT_REFUSE_BUG,
};

static uint64_t refused(const struct tally *tally, const enum kt_refusal *refusals, size_t nr)
{
	uint64_t n = 0;

	for (size_t i = 0; i < nr; i++)
		n += tally->refusals[refusals[i]].n;
	return n;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

void tally_print(const struct tally *tally)
{
	uint64_t set = tally_set(tally);
	uint64_t could = tally->sites - refused(tally, outside, sizeof(outside) / sizeof(outside[0]));
	uint64_t free = could - refused(tally, reserved, sizeof(reserved) / sizeof(reserved[0]));

	print_outcomes("set", tally->methods, KT_NR_METHODS, methods);
	print_outcomes("no jump", tally->no_jumps, KT_NR_NO_JUMPS, no_jumps);
	print_outcomes("refused", tally->refusals, KT_NR_REFUSALS, refusals);
	print_outcomes("wrong", tally->wrong_refusals, KT_NR_REFUSALS, refusals);
	printf("accepted   %.2f %% of %" PRIu64 " instructions outside blacklisted ranges, %.2f %% of the %" PRIu64
	       " that the kernel neither patches nor looks up\n", percent(set, could), could, percent(set, free), free);
	printf("hits       %" PRIu64 ", of them %" PRIu64 " not recorded (%" PRIu64 " inside ktrace's own code); "
	       "%" PRIu64 " tracepoints updated\n", tally->hits, tally->missed, tally->recursed, tally->updated);
}
