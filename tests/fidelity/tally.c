// SPDX-License-Identifier: GPL-2.0-or-later
/* tally.c - the counts of a run. See tally.h. */
#include <string.h>

#include <linux/kernel.h>

#include "tally.h"
#include "text.h"

static const char *const source_name[] = {
	[SOURCE_DIRECTED] = "directed", [SOURCE_KERNEL] = "kernel code", [SOURCE_GENERATED] = "generated",
};

static void count_unstable(struct tally *tally, const char *name, u64 n)
{
	unsigned int i;

	for (i = 0; i < NR_UNSTABLE; i++) {
		if (tally->unstable_by_name[i].n && strcmp(tally->unstable_by_name[i].name, name))
			continue;
		snprintf(tally->unstable_by_name[i].name, UNSTABLE_NAME, "%s", name);
		tally->unstable_by_name[i].n += n;
		return;
	}
}

static u32 trial_traits(const struct trial *trial)
{
	u32 traits = 0;
	unsigned int i;

	for (i = 0; i < trial->subject.count; i++)
		traits |= insn_traits(&trial->subject.insn[i]);
	return traits;
}

static bool is_inside(const struct trial *trial, const struct outcome *outcome)
{
	return outcome->signal && outcome->state.rip - trial->at < trial->subject.len;
}

static void count_executed(struct tally *tally, const struct trial *trial, const struct judgement *judgement)
{
	const struct outcome *outcome = &judgement->in_place.outcome;
	u32 traits = trial_traits(trial);
	char name[UNSTABLE_NAME];
	unsigned int i;

	tally->executed++;
	tally->moved_by_source[trial->source]++;
	tally->by_method[trial->method - displace_methods]++;
	tally->by_class[trial->class][is_inside(trial, outcome) ? COLUMN_EXCEPTION : COLUMN_WENT_ON]++;
	for (i = 0; i < NR_TRAITS; i++)
		tally->by_trait[i] += traits >> i & 1;
	if (judgement->verdict == VERDICT_TOLERATED)
		tally->by_tolerance[judgement->row]++;
	if (judgement->verdict != VERDICT_UNSTABLE)
		return;
	tally->unstable++;
	text_mnemonic(trial->subject.bytes, trial->subject.len, name, sizeof(name));
	count_unstable(tally, name, 1);
}

void tally_count(struct tally *tally, const struct trial *trial, const struct judgement *judgement)
{
	if (judgement->verdict == VERDICT_UNDECODABLE) {
		tally->undecodable++;
		return;
	}
	tally->by_source[trial->source]++;
	tally->different += judgement->verdict == VERDICT_DIFFERENT;
	if (judgement->executed)
		count_executed(tally, trial, judgement);
	if (judgement->verdict == VERDICT_REFUSED) {
		tally->by_class[trial->class][COLUMN_REFUSED]++;
		tally->by_refusal[judgement->refusal]++;
	}
	if (judgement->verdict == VERDICT_EXCLUDED) {
		tally->by_class[trial->class][COLUMN_EXCLUDED]++;
		tally->by_exclusion[judgement->row]++;
	}
}

static void add(u64 *to, const u64 *from, unsigned int n)
{
	while (n--)
		to[n] += from[n];
}

void tally_add(struct tally *to, const struct tally *from)
{
	unsigned int i;

	to->executed += from->executed;
	to->different += from->different;
	to->undecodable += from->undecodable;
	to->unstable += from->unstable;
	add(&to->by_class[0][0], &from->by_class[0][0], NR_CLASSES * NR_COLUMNS);
	add(to->by_trait, from->by_trait, NR_TRAITS);
	add(to->by_method, from->by_method, NR_METHODS);
	add(to->by_refusal, from->by_refusal, KT_NR_REFUSALS);
	add(to->by_exclusion, from->by_exclusion, MAX_EXCLUDED);
	add(to->by_tolerance, from->by_tolerance, MAX_TOLERATED);
	add(to->by_source, from->by_source, ARRAY_SIZE(to->by_source));
	add(to->moved_by_source, from->moved_by_source, ARRAY_SIZE(to->moved_by_source));
	for (i = 0; i < NR_UNSTABLE && from->unstable_by_name[i].n; i++)
		count_unstable(to, from->unstable_by_name[i].name, from->unstable_by_name[i].n);
}

static void print_classes(FILE *to, const struct tally *tally)
{
	unsigned int i, k;

	fprintf(to, "%-24s %10s %10s %10s %10s\n", "class", "went on", "exception", "refused", "excluded");
	for (i = 0; i < NR_CLASSES; i++) {
		fprintf(to, "%-24s", class_name[i]);
		for (k = 0; k < NR_COLUMNS; k++)
			fprintf(to, " %10llu", (unsigned long long)tally->by_class[i][k]);
		fprintf(to, "\n");
	}
}

static void print_row(FILE *to, u64 n, const char *what)
{
	if (n)
		fprintf(to, "%10llu  %s\n", (unsigned long long)n, what);
}

static void print_sources(FILE *to, const struct tally *tally)
{
	unsigned int i;

	fprintf(to, "\nexecuted, by method\n");
	for (i = 0; i < NR_METHODS; i++)
		print_row(to, tally->by_method[i], displace_methods[i].name);

	fprintf(to, "\ninstructions by source, and how many of them were executed\n");
	for (i = 0; i < ARRAY_SIZE(source_name); i++)
		fprintf(to, "%10llu  %10llu  %s\n", (unsigned long long)tally->by_source[i],
			(unsigned long long)tally->moved_by_source[i], source_name[i]);
	fprintf(to, "\nexecuted, with\n");
	for (i = 0; i < NR_TRAITS; i++)
		print_row(to, tally->by_trait[i], trait_name[i]);
}

static void print_reasons(FILE *to, const struct tally *tally)
{
	const char *reason;
	int i;

	fprintf(to, "\nrefused\n");
	for (i = 0; i < KT_NR_REFUSALS; i++)
		print_row(to, tally->by_refusal[i], displace_refusal(i));
	print_row(to, tally->undecodable, "no instruction, as generated");
	fprintf(to, "\nexcluded\n");
	for (i = 0; (reason = exclude_reason(i)); i++)
		print_row(to, tally->by_exclusion[i], reason);
	fprintf(to, "\ndifferent, and accepted\n");
	for (i = 0; (reason = compare_tolerated_reason(i)); i++)
		print_row(to, tally->by_tolerance[i], reason);
	fprintf(to, "\nnot the same twice in place\n");
	for (i = 0; i < NR_UNSTABLE; i++)
		print_row(to, tally->unstable_by_name[i].n, tally->unstable_by_name[i].name);
}

void tally_print(FILE *to, const struct tally *tally)
{
	print_classes(to, tally);
	print_sources(to, tally);
	print_reasons(to, tally);
}
