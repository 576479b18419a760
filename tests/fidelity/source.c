// SPDX-License-Identifier: GPL-2.0-or-later
/* source.c - choose the instructions of a trial. See source.h. */
#include <string.h>

#include <linux/kernel.h>

#include "directed.h"
#include "generate.h"
#include "operand.h"
#include "source.h"

#define INT3		0xcc
#define DIRECTED_STATES	48	/* random states for each directed instruction */
#define TRIES		8

u64 source_nr_directed(void)
{
	return (u64)directed_nr() * DIRECTED_STATES;
}

static void from_directed(struct trial *trial, u64 number, u8 *bytes)
{
	trial->directed = directed_get(number, bytes);
	trial->source = SOURCE_DIRECTED;
}

static void from_corpus(const struct sources *sources, struct trial *trial, u8 *bytes)
{
	const struct corpus_record *record = &sources->corpus[rng_next(&trial->rng) % sources->corpus_nr];

	memset(bytes, INT3, MAX_INSN_SIZE);
	memcpy(bytes, record->bytes, record->len);
	trial->source = SOURCE_KERNEL;
}

static void from_generator(struct trial *trial, u8 *bytes)
{
	trial->source = SOURCE_GENERATED;
	if (rng_percent(&trial->rng, 30))
		generate_branch(&trial->rng, bytes);
	else
		generate_any(&trial->rng, bytes);
}

static void from_anywhere(const struct sources *sources, struct trial *trial, u8 *bytes)
{
	if (sources->corpus && rng_percent(&trial->rng, 50))
		from_corpus(sources, trial, bytes);
	else
		from_generator(trial, bytes);
}

/* ------------------------------------------------------------------ regions */

/*
 * Only the first of several instructions may be one of these, because an earlier instruction could change what
 * they need: counters that must end, locked operands that must stay in a cache line, TF, and the address of the
 * last x87 instruction.
 */
static const struct pattern first_only[] = {
	{ MAP_ONE, 0x86, 0x87, .form = FORM_MEMORY },			/* xchg */
	{ MAP_ONE, 0x9d, 0x9d },					/* popf */
	{ MAP_ONE, 0xd9, 0xd9, .form = FORM_MEMORY, MODRM_REG(6) },	/* fnstenv */
	{ MAP_ONE, 0xdd, 0xdd, .form = FORM_MEMORY, MODRM_REG(6) },	/* fnsave */
	{ MAP_0F, 0xae, 0xae, .form = FORM_MEMORY, MODRM_REG(0) },	/* fxsave */
	{ MAP_0F, 0xae, 0xae, .form = FORM_MEMORY, MODRM_REG(4) },	/* xsave */
	{ MAP_0F, 0xc7, 0xc7, .form = FORM_MEMORY, MODRM_REG(4) },	/* xsavec */
};

static bool fits_behind(const struct insn *insn)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(first_only); i++)
		if (pattern_matches(&first_only[i], insn))
			return false;
	return !insn_has_prefix(insn, 0xf0) && insn_class(insn) != CLASS_STRING && insn_class(insn) != CLASS_LOOP;
}

static bool add(struct subject *subject, const u8 *bytes, const struct insn *insn)
{
	if (subject->len + insn->length > REGION_MAX || subject->count == SUBJECT_INSNS ||
	    (subject->count && !fits_behind(insn)))
		return false;
	memcpy(subject->bytes + subject->len, bytes, insn->length);
	subject->len += insn->length;
	subject->count++;
	return true;
}

/* Add an instruction of the kernel's code with at most `room` bytes. */
static bool add_filler(const struct sources *sources, struct trial *trial, unsigned int room)
{
	static const u8 nop[MAX_INSN_SIZE] = { 0x90 };
	enum source source = trial->source;
	u8 bytes[MAX_INSN_SIZE];
	struct insn insn;
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		memcpy(bytes, nop, sizeof(nop));
		if (sources->corpus)
			from_corpus(sources, trial, bytes);
		trial->source = source;
		if (insn_decode(&insn, bytes, MAX_INSN_SIZE, INSN_MODE_KERN) == 0 && insn.length <= room &&
		    add(&trial->subject, bytes, &insn))
			return true;
	}
	return false;
}

/* Like collect() in displaced.c: add whole instructions until there are enough bytes. */
static bool make_region(const struct sources *sources, struct trial *trial)
{
	struct subject *subject = &trial->subject;
	u8 bytes[MAX_INSN_SIZE];
	struct insn insn;

	if (rng_percent(&trial->rng, 30))
		from_directed(trial, rng_next(&trial->rng), bytes);
	else
		from_anywhere(sources, trial, bytes);
	if (insn_decode(&insn, bytes, MAX_INSN_SIZE, INSN_MODE_KERN) < 0)
		return false;
	while (rng_percent(&trial->rng, 50) && subject->len < REGION_MIN - 1)
		if (!add_filler(sources, trial, REGION_MIN - 1 - subject->len))
			break;
	if (!add(subject, bytes, &insn))
		return false;
	while (subject->len < REGION_MIN)
		if (!add_filler(sources, trial, REGION_MAX))
			return false;
	return true;
}

/* --------------------------------------------------------------------- all */

static const struct method *choose_method(struct trial *trial)
{
	static const u8 per_cent[NR_METHODS] = {
		[METHOD_SLOT] = 66,	[METHOD_REGION] = 14,	[METHOD_TRAMPOLINE] = 6,
		[METHOD_TRAMPOLINE_ALL] = 4,	[METHOD_DIRECT] = 4,	[METHOD_DIRECT_FLAGS] = 6,
	};
	u32 chance = rng_below(&trial->rng, 100);
	const struct method *method = displace_methods;

	while (chance >= per_cent[method - displace_methods])
		chance -= per_cent[method++ - displace_methods];
	return method;
}

bool source_choose(const struct sources *sources, struct trial *trial)
{
	bool directed = trial->number < source_nr_directed();
	unsigned int count = 1;

	trial->method = directed ? &displace_methods[METHOD_SLOT] : choose_method(trial);
	if (sources->method)
		trial->method = sources->method;
	if (trial->method->several) {
		if (!make_region(sources, trial))
			return false;
		count = trial->subject.count;
	} else if (directed) {
		from_directed(trial, trial->number, trial->subject.bytes);
	} else {
		from_anywhere(sources, trial, trial->subject.bytes);
	}
	return subject_decode(&trial->subject, count);
}
