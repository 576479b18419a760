// SPDX-License-Identifier: GPL-2.0-only
/* desc_code.c - the generated code of descriptors: see kmod/text/code.h. */
#include <linux/log2.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/measure/aggregate.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/own.h"
#include "kmod/measure/task_set.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"

/* Those of a descriptor of which each hit is recorded, and in the usual way. */
#define USUAL	(KT_DESC_RECORDING | KT_DESC_WIDE)

/* Texts are expensive for the interpreter.  Generated hits copy them so fast that they do not charge their time to the brake. */
static bool is_usual(u32 flags)
{
	return (flags & KT_DESC_VARIES ? flags & ~(KT_DESC_VARIES | KT_DESC_DEAR) : flags) == USUAL;
}

static u32 len_of(const struct kt_desc *desc)
{
	return desc->program->len - desc->program->filter;
}

static struct kt_hit_code what_of(const struct kt_desc *desc, const struct kt_desc *of, bool is_jump)
{
	struct kt_rings *rings = desc->rings;

	return (struct kt_hit_code){
		.insns = desc->record, .len = len_of(desc), .id = desc->id, .units = desc->units,
		.desc = of, .counts = &of->counts,
		.recording = &rings->recording,
		.ring = (unsigned long)rings->cpu + offsetof(struct kt_ring_cpu, ring),
		.sub_units = rings->geometry.sub_bytes >> kt_unit_shift(true),
		/* Generated code gives up a hit inside another one. */
		.draft = (unsigned long)rings->drafts + offsetof(struct kt_drafts, of[0]),
		.is_case = of != desc, .is_jump = is_jump, .call_given = of->cases && of->cases->call_given,
	};
}

static struct kt_hit_table table_of(const struct kt_aggregate *aggregate)
{
	struct kt_hit_table table = {
		.at = &aggregate->table, .key_bytes = aggregate->key_bytes,
		.slots = offsetof(struct kt_aggregate_table, keys.slots), .cpu = offsetof(struct kt_aggregate_table, cpu),
		.values = offsetof(struct kt_aggregate_cpu, values),
	};

	kt_agg_plan(&table.plan, &aggregate->req);
	return table;
}

static struct kt_hit_measure measure_of(const struct kt_desc *desc)
{
	struct kt_measurement *measurement = desc->measurement;
	const bool begins = desc->role & KT_ROLE_BEGIN;

	return (struct kt_hit_measure){
		.begins = begins, .bias = desc->key_bias, .intervals = &measurement->intervals, .running = &measurement->running,
		.quota = &measurement->quota, .left = &measurement->left,
		.cost = &measurement->cost[0][KT_METHOD_JUMP], .cost_shift = ilog2(sizeof(measurement->cost[0])),
		.nested = &measurement->nested[!begins][KT_METHOD_JUMP], .cpu = (unsigned long)measurement->cpu,
		.inner = offsetof(struct kt_measurement_cpu, inner), .samples = offsetof(struct kt_measurement_cpu, samples),
		.entered = offsetof(struct kt_measurement_cpu, entered), .value = offsetof(struct kt_measurement_cpu, value),
		.members = desc->tasks ? desc->tasks->members : NULL,
	};
}

/* A jump that begins or ends a call of a measurement, on the fast path. */
static void generate_measured(struct kt_desc *desc)
{
	const struct kt_hit_measure measure = measure_of(desc);
	const struct kt_hit_code what = {
		.desc = desc, .counts = &desc->counts, .ring = (unsigned long)&kt_cpus.prompt.ring, .is_direct = true,
		.own_ids = desc->others ? kt_own_ids : NULL, .measure = &measure, .text = &desc->direct.hit_text,
	};

	kt_code_make_hit(&desc->direct, &what);
	if (!desc->direct.hit_bytes && !desc->no_code)
		desc->no_code = KT_NO_CODE_PROGRAM;
}

/*
 * A jump or an event of the prompt that records, or counts, each hit which its filter accepts; it may end a call, too.  Hits by a
 * breakpoint take the C path.
 */
static void generate_direct(struct kt_desc *desc, bool is_event)
{
	const struct kt_hit_table table = desc->aggregate ? table_of(desc->aggregate) : (struct kt_hit_table){ NULL };
	const bool closes = kt_desc_counts_calls(desc);
	const struct kt_hit_measure measure = closes ? measure_of(desc) : (struct kt_hit_measure){ 0 };
	struct kt_rings *rings = desc->rings;
	struct kt_hit_code what = {
		.insns = desc->record, .len = len_of(desc), .id = desc->id, .units = desc->units,
		.desc = desc, .counts = &desc->counts, .rings = rings, .measure = closes ? &measure : NULL,
		.recording = &rings->recording, .wake_next = &rings->wake_next,
		.ring = (unsigned long)&kt_cpus.prompt.ring, .is_event = is_event, .is_narrow = is_event,
		.own_ids = desc->others ? kt_own_ids : NULL,
		.filter = desc->program->filter ? desc->program->insns : NULL, .filter_len = desc->program->filter,
		.table = desc->aggregate ? &table : NULL, .text = &desc->direct.hit_text,
	};

	if (desc->flags & ~(KT_DESC_FILTERED | KT_DESC_AGGREGATE | (closes ? KT_DESC_MEASURED : 0))) {
		desc->no_code = desc->no_code ?: KT_NO_CODE_OPTIONS;
		return;
	}
	/* Of an event that is always recorded, the shorter code: it uses registers that the probe may change. */
	if (is_event && !what.filter && !what.table)
		kt_code_make_hit(&desc->direct, &what);
	what.is_direct = true;
	what.is_narrow = false;
	if (!desc->direct.hit_bytes)
		kt_code_make_hit(&desc->direct, &what);
	if (!desc->direct.hit_bytes && !desc->no_code)
		desc->no_code = KT_NO_CODE_PROGRAM;
}

static void generate_cases(struct kt_desc *desc)
{
	const struct kt_hit_code what = what_of(desc, desc, false);
	struct kt_cases *cases = desc->cases;
	u32 i;

	for (i = 0; i < cases->nr; i++)
		cases->hits[i] = (void *)(cases->by[i] ?: cases->other)->code.hit;
	for (; i < kt_hits_room(cases->nr); i++)
		cases->hits[i] = (void *)cases->other->code.hit;
	kt_code_make_cases(&desc->code, &what, cases->hits, cases->nr);
}

/*
 * Generated code copies texts that the system call itself copies, and at less cost: the brake need not time that.  No
 * other expensive instruction has code.
 */
static void case_is_cheap(struct kt_desc *desc)
{
	if (desc->code.run)
		desc->flags &= ~KT_DESC_DEAR;
}

void kt_desc_generate(struct kt_desc *desc, const struct kt_desc *of, enum kt_code_for what)
{
	const bool is_jump = what == KT_CODE_FOR_TEXT || what == KT_CODE_FOR_TYPED;
	struct kt_hit_code hit;

	BUILD_BUG_ON(sizeof(atomic64_t) != 8 || sizeof(bool) != 1);
	if (what == KT_CODE_FOR_NONE)
		return;
	desc->no_code = desc->plain ? KT_NO_CODE_PLAIN : kt_code_obstacle();
	/* A confined program reads the memory of programs, which generated code does not. */
	if (desc->confined || what == KT_CODE_FOR_RETURN)
		desc->no_code = KT_NO_CODE_METHOD;
	if (desc->confined || desc->plain)
		return;
	if (desc->rings == &kt_prompt_rings && what == KT_CODE_FOR_TEXT && !desc->no_code)
		desc->no_code = KT_NO_CODE_MANY;
	if (desc->path != KT_PATH_SLOW && what == KT_CODE_FOR_TYPED)
		return generate_measured(desc);
	if (desc->rings == &kt_prompt_rings && of == desc && (what == KT_CODE_FOR_TYPED || what == KT_CODE_FOR_EVENT))
		return generate_direct(desc, what == KT_CODE_FOR_EVENT);
	if (!desc->rings->wide)
		return;
	kt_code_make(&desc->code, desc->record, len_of(desc));
	if (of != desc)
		case_is_cheap(desc);
	if (what == KT_CODE_FOR_RETURN || !is_usual(of->flags & ~KT_DESC_CASES) || desc->all_regs)
		return;
	if (desc->flags == (USUAL | KT_DESC_CASES) && !is_jump)
		return generate_cases(desc);
	if (!is_usual(desc->flags))
		return;
	hit = what_of(desc, of, is_jump);
	if (is_jump && kt_arch.all_jumps_direct)
		return kt_code_make_hit(&desc->direct, &hit);
	kt_code_make_hit(&desc->code, &hit);
	desc->has_hit = is_jump && desc->code.hit_bytes;
}
