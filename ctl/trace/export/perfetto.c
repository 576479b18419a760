// SPDX-License-Identifier: GPL-2.0-or-later
/* perfetto.c - write recordings as one trace of Perfetto.  See perfetto.h. */
#include "ctl/trace/export/perfetto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/trace/export/perfetto_int.h"
#include "ctl/trace/reader/pick.h"
#include "ctl/trace/export/schema.h"
#include "ctl/trace/saved/saved.h"

/* Packets are written to the file when they have so many bytes. */
#define WRITE_BYTES	(1U << 20)

uint64_t perfetto_ns(const struct perfetto *p, uint64_t ticks)
{
	return clockmap_delta_ns(p->map, 0, ticks);
}

struct cpu_out *perfetto_cpu(struct perfetto *p, uint32_t cpu)
{
	while (cpu >= p->nr_cpus) {
		p->cpus = MEM_MORE(p->cpus, p->nr_cpus);
		p->cpus[p->nr_cpus++] = (struct cpu_out){ .current = NOBODY, .next = NOBODY };
	}
	return &p->cpus[cpu];
}

/* ------------------------------------------------------------------------- packets */

size_t packet_open(struct perfetto *p, uint32_t sequence, uint32_t flags)
{
	const size_t at = pb_open(&p->pb, TRACE_PACKET);

	pb_number(&p->pb, PACKET_SEQUENCE_ID, sequence);
	if (flags)
		pb_number(&p->pb, PACKET_SEQUENCE_FLAGS, flags);
	return at;
}

static void write_out(struct perfetto *p)
{
	p->totals.bytes += fwrite(p->pb.bytes, 1, p->pb.len, p->out);
	p->pb.len = 0;
}

void packet_close(struct perfetto *p, size_t at)
{
	pb_close(&p->pb, at);
	if (p->pb.len >= WRITE_BYTES)
		write_out(p);
}

static void begin_sequence(struct perfetto *p, uint32_t sequence)
{
	const size_t at = packet_open(p, sequence, FLAG_CLEARED);

	pb_number(&p->pb, PACKET_FIRST_ON_SEQUENCE, 1);
	packet_close(p, at);
}

/* ------------------------------------------------------------------ the running thread */

/*
 * From the switch that ends its time: who ran on each CPU when each record was written.  Before the first switch of the
 * recording nobody is known, because there may have been others before sched_switch was recorded.
 */
static int32_t *find_runners(struct perfetto *p, const struct snapshot *snap)
{
	static const char *const prev[] = { "prev_tid" };
	const size_t n = snapshot_count(snap);
	int32_t *runners = mem_zalloc(n + 1, sizeof(*runners));
	size_t first = p->knows_switch ? 0 : n;
	struct picked v;

	for (uint32_t cpu = 0; cpu < p->nr_cpus; cpu++)
		p->cpus[cpu].next = NOBODY;
	for (size_t i = n; i--;) {
		const struct record *record = snapshot_at(snap, i);
		struct cpu_out *cpu = perfetto_cpu(p, record->cpu);

		if (record->type == RECORD_LOST) {
			cpu->next = NOBODY;
		} else if (perfetto_plan(p, record->desc)->learn == learn_switch) {
			pick(record, prev, 1, &v);
			cpu->next = v.is_known ? (int32_t)v.number : NOBODY;
			first = p->knows_switch ? first : i;
		}
		runners[i] = cpu->next;
	}
	for (size_t i = 0; i < first; i++)
		runners[i] = NOBODY;
	p->knows_switch = first < n || p->knows_switch;
	return runners;
}

/* Who ran before and after agree, unless not all switches are recorded. */
static int32_t runner(const struct cpu_out *cpu, int32_t next)
{
	if (cpu->current == NOBODY || next == NOBODY)
		return cpu->current == NOBODY ? next : cpu->current;
	return cpu->current == next ? next : NOBODY;
}

/* ------------------------------------------------------------------------- records */

static void give_hit(struct perfetto *p, const struct record *record, int32_t next)
{
	const struct plan *plan = perfetto_plan(p, record->desc);
	int32_t tid = runner(perfetto_cpu(p, record->cpu), next);

	if (plan->learn == learn_switch)
		tid = next;
	p->totals.events += !record->desc->is_state;
	if (plan->kind == PLAN_CALL_ENTRY || plan->kind == PLAN_CALL_EXIT)
		track_call(p, plan, record, tid);
	else if (plan->kind == PLAN_FTRACE && tid != NOBODY)
		ftrace_event(p, plan, record, tid);
	else
		track_instant(p, plan, record, tid);
	if (plan->learn)
		plan->learn(p, record, tid);
}

static void give_gap(struct perfetto *p, const struct record *notice)
{
	perfetto_cpu(p, notice->cpu)->current = NOBODY;
	p->totals.lost += notice->lost;
	ftrace_gap(p, notice);
	track_gap(p, notice);
}

static void give_snapshot(struct perfetto *p, const struct snapshot *snap)
{
	AUTO_FREE int32_t *runners = find_runners(p, snap);

	for (size_t i = 0; i < snapshot_count(snap); i++) {
		const struct record *record = snapshot_at(snap, i);

		if (record->type == RECORD_LOST)
			give_gap(p, record);
		else if (!record->desc->is_hidden && !overlap_has(p, record))
			give_hit(p, record, runners[i]);
	}
	for (uint32_t cpu = 0; cpu < p->nr_cpus; cpu++)
		ftrace_flush(p, cpu);
	perfetto_plans_drop(p);
}

static bool check_out(const struct perfetto *p, struct error *err)
{
	return !ferror(p->out) || error_set(err, STATUS_FAILURE, "cannot write: %s", strerror(errno));
}

static bool give_all(struct perfetto *p, struct saved *saved, struct error *err)
{
	struct snapshot *snap;

	saved_rewind(saved);
	for (;;) {
		if (interrupt_pending())
			return error_set(err, STATUS_FAILURE, "interrupted");
		if (!saved_next(saved, &snap, err))
			return false;
		if (!snap)
			return true;
		give_snapshot(p, snap);
		snapshot_free(snap);
		if (!check_out(p, err))
			return false;
	}
}

/* ------------------------------------------------------------------------ the course */

struct perfetto *perfetto_create(FILE *out, bool is_series)
{
	struct perfetto *p = mem_zalloc(1, sizeof(*p));

	p->out = out;
	p->printer = printer_create(out, PRINT_TEXT, false);
	if (is_series)
		overlap_begin(p);
	return p;
}

/* All parts of a series have one clock: with the ratio of the first part no time jumps between them. */
static void begin(struct perfetto *p, const struct trace_info *info)
{
	p->map = clockmap_create(&info->clock, info->anchors);
	printer_clock(p->printer, p->map);
	if (info->complete)
		p->complete_ns = perfetto_ns(p, info->complete);
	begin_sequence(p, SEQ_SYSTEM);
	begin_sequence(p, SEQ_TRACKS);
	perfetto_clocks(p, info);
	perfetto_system(p, info);
}

/* The rings of another part are others: what is known of a CPU ends. */
static void next_part(struct perfetto *p, const struct trace_info *info)
{
	for (uint32_t cpu = 0; cpu < p->nr_cpus; cpu++)
		p->cpus[cpu].current = NOBODY;
	p->knows_switch = false;
	perfetto_clocks(p, info);
}

bool perfetto_add(struct perfetto *p, struct saved *saved, struct saved *next, const struct symtab *tab,
		  struct error *err)
{
	const struct trace_info *info = saved_info(saved);

	printer_symbols(p->printer, tab);
	if (p->map)
		next_part(p, info);
	else
		begin(p, info);
	if (p->overlap && !overlap_next(p, next, err))
		return false;
	return perfetto_first(p, saved, err) && give_all(p, saved, err);
}

bool perfetto_finish(struct perfetto *p, struct perfetto_totals *totals, struct error *err)
{
	bool ok;

	perfetto_losses(p);
	write_out(p);
	fflush(p->out);
	ok = check_out(p, err);
	*totals = p->totals;
	perfetto_free(p);
	return ok;
}

void perfetto_free(struct perfetto *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nr_cpus; i++)
		pb_free(&p->cpus[i].events);
	perfetto_plans_drop(p);
	overlap_free(p);
	threads_free(&p->threads);
	names_free(&p->names);
	keymap_free(&p->functions);
	clockmap_free(p->map);
	printer_free(p->printer);
	pb_free(&p->pb);
	free(p->cpus);
	free(p->sent);
	free(p);
}
