// SPDX-License-Identifier: GPL-2.0-or-later
/* tally.c - see tally.h. */
#include "tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const refusals[KT_NR_REFUSALS] = {
	"none", "user address", "not text", "the module itself", "init text", "module comes or goes", "no symbol",
	"mid-instruction", "undecodable", "blacklist", "idle", "ftrace", "jump label", "static call", "alternative", "bug",
	"exception table", "breakpoint there", "trap", "system", "interrupt shadow", "out of range", "unknown instruction",
	"bytes changed", "padding", "method", "program", "descriptor", "no memory", "no slot", "twice", "full", "endbr",
	"on the way to the hook", "no traps there", "interrupted",
};

static const char *const methods[KT_NR_METHODS] = { "auto", "breakpoint", "jump" };

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

void tally_method(struct tally *tally, unsigned int method, const char *name)
{
	count(tally->methods, method, KT_NR_METHODS, name);
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

/* Where nothing may ever be set, whatever the instruction. */
static uint64_t outside(const struct tally *tally)
{
	static const enum kt_refusal ranges[] = {
		KT_REFUSE_BLACKLIST, KT_REFUSE_IDLE, KT_REFUSE_SELF, KT_REFUSE_INIT, KT_REFUSE_OWN_WAY, KT_REFUSE_NO_TRAPS,
	};
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		sum += tally->refusals[ranges[i]].n;
	return sum;
}

void tally_print(const struct tally *tally)
{
	uint64_t set = tally_set(tally), could = tally->sites - outside(tally);

	print_outcomes("set", tally->methods, KT_NR_METHODS, methods);
	print_outcomes("refused", tally->refusals, KT_NR_REFUSALS, refusals);
	print_outcomes("wrong", tally->wrong_refusals, KT_NR_REFUSALS, refusals);
	printf("accepted   %.2f %% of %" PRIu64 " instructions outside blacklisted ranges\n",
	       could ? 100.0 * set / could : 0, could);
	printf("hits       %" PRIu64 ", of them %" PRIu64 " not recorded (%" PRIu64 " inside ktrace's own path); %" PRIu64
	       " tracepoints updated\n", tally->hits, tally->missed, tally->recursed, tally->updated);
}
