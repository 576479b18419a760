// SPDX-License-Identifier: GPL-2.0-or-later
/* off_cpu_run.c - see off_cpu_run.h. */
#include "ctl/live/measure/off_cpu_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/resolve/debuginfo.h"
#include "ctl/ask/resolve/frames.h"
#include "ctl/ask/resolve/function_lines.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/session_target.h"
#include "ctl/live/session/trace.h"
#include "ctl/trace/reader/pick.h"

#define DEPTH		"40"	/* callers that are recorded */
#define DEAD		0x30	/* prev_state of a thread that ends */

enum { OFF_CPU_SWITCH, OFF_CPU_WAKING, NR_OFF_CPU_EVENTS };

static const struct {
	const char *address, *only_in;		/* only_in: of the process that --pid names */
	const char *options[5];
	const char *fields[4];			/* that its records must have */
} events[] = {
	[OFF_CPU_SWITCH] = { "event:sched:sched_switch", "prev->tgid == %" PRIu64 " || next->tgid == %" PRIu64,
			     { "ARGS" }, { "prev_comm", "prev_tid", "prev_state", "next_tid" } },
	[OFF_CPU_WAKING] = { "event:sched:sched_waking", "p->tgid == %" PRIu64, { "PID", "COMM", "ARGS" }, { "pid", "comm", "tid" } },
};

/* ---------------------------------------------------------------------- plan */

static bool has_field(const struct desc *desc, const char *name)
{
	for (size_t i = 0; i < desc->nr_fields; i++)
		if (!strcmp(desc->fields[i].name, name))
			return true;
	return false;
}

static bool check_fields(const struct off_cpu_run *run, unsigned int event, struct error *err)
{
	for (size_t i = 0; i < sizeof(events[event].fields) / sizeof(*events[event].fields) && events[event].fields[i]; i++)
		if (!has_field(run->plans.v[event].desc, events[event].fields[i]))
			return error_set(err, STATUS_FAILURE, "--off-cpu: the fields of %s are not known: it needs the kernel's types (BTF or debug information)",
					 events[event].address);
	return true;
}

static bool plan_event(struct session *s, const struct oneshot *o, struct off_cpu_run *run, unsigned int event, struct error *err)
{
	AUTO_REQUESTS struct requests one = { .v = mem_zalloc(1, sizeof(*one.v)), .n = 1 };
	char only_in[128];

	one.v[0].address = events[event].address;
	one.v[0].is_hidden = true;
	for (const char *const *option = events[event].options; *option; option++)
		request_use(&one.v[0], *option, NULL);
	request_use(&one.v[0], "BACKTRACE", mem_strdup(DEPTH));
	/* A switch or a wake-up in ktrace itself may concern a thread that is measured. */
	request_use(&one.v[0], "SELF", NULL);
	if (o->pid) {
		snprintf(only_in, sizeof(only_in), events[event].only_in, o->pid, o->pid);
		request_use(&one.v[0], "IF", mem_strdup(only_in));
	}
	return trace_plan(s, &one, &run->plans, err) && check_fields(run, event, err);
}

bool off_cpu_plan(struct session *s, const struct oneshot *o, struct off_cpu_run *run, struct error *err)
{
	if (s->format == PRINT_CSV)
		return error_set(err, STATUS_USAGE, "--csv: not with --off-cpu: choose --json");
	for (unsigned int event = 0; event < NR_OFF_CPU_EVENTS; event++)
		if (!plan_event(s, o, run, event, err))
			return false;
	if (oneshot_follows(o) && !s->dry_run)
		plans_flag(&run->plans, KT_DESC_TASKS | KT_DESC_ABOUT);
	return true;
}

/* -------------------------------------------------------------------- fields */

static void take_comm(const struct picked *from, char out[OFF_CPU_COMM])
{
	memset(out, 0, OFF_CPU_COMM);
	if (from->text)
		memcpy(out, from->text, from->length < OFF_CPU_COMM ? from->length : OFF_CPU_COMM - 1);
}

struct stack {
	uint64_t v[64];
	size_t n;
	bool is_cut;		/* there may be more */
};

/* The bytes of a field of a record, and their number.  NULL: it has none. */
static const uint8_t *bytes_of(const struct record *record, const struct field *field, size_t *len)
{
	size_t at = desc_mask(record->desc);

	for (const struct field *f = record->desc->fields; at <= record->payload_len; f++) {
		*len = field_length(f, record->payload + at, record->payload_len - at);
		if (f == field)
			return *len ? record->payload + at : NULL;
		at += *len;
	}
	return NULL;
}

static const struct field *field_of(const struct desc *desc, enum field_kind kind)
{
	for (size_t i = 0; i < desc->nr_fields; i++)
		if (desc->fields[i].kind == kind)
			return &desc->fields[i];
	return NULL;
}

static void stack_of(const struct record *record, struct stack *out)
{
	const struct field *field = field_of(record->desc, FIELD_BACKTRACE);
	const uint8_t *at;
	size_t len;

	*out = (struct stack){ .n = 0 };
	at = field ? bytes_of(record, field, &len) : NULL;
	if (at)
		memcpy(out->v, at, len < sizeof(out->v) ? len : sizeof(out->v));
	while (at && out->n < len / sizeof(*out->v) && out->v[out->n])
		out->n++;
	out->is_cut = !at || out->n == len / sizeof(*out->v);
}

/* ------------------------------------------------------------------- records */

/* What a round takes the records for. */
struct taking {
	struct session *s;
	struct off_cpu_run *run;
	const struct live *live;
	size_t first_end;
	const struct symtab *tab;
	bool is_weighed;	/* see weigh() */
};

/* The idle threads of all CPUs have the id 0. */
static uint64_t thread_of(const struct record *record, const struct picked *tid)
{
	const uint32_t id = tid->number;

	return id ? id : (uint64_t)(record->cpu + 1) << 32;
}

static void take_call(struct off_cpu_run *run, const struct record *record, bool ends)
{
	enum { THREAD, SP, NR };
	const char *const names[NR] = { [THREAD] = "pid", [SP] = arch_reg_name(&arch_native, arch_native.dwarf_sp) };
	struct picked values[NR];

	pick(record, names, NR, values);
	(ends ? off_cpu_end : off_cpu_begin)(run->off, thread_of(record, &values[THREAD]), values[SP].number);
}

static void take_switch(const struct taking *t, const struct record *record)
{
	enum { PREV, NEXT, STATE, PREV_COMM, NR };
	static const char *const names[NR] = {
		[PREV] = "prev_tid", [NEXT] = "next_tid", [STATE] = "prev_state", [PREV_COMM] = "prev_comm",
	};
	struct picked values[NR];
	struct off_cpu_stop stop = { 0 };
	char comm[OFF_CPU_COMM];
	struct stack stack;
	uint64_t prev;

	pick(record, names, NR, values);
	prev = thread_of(record, &values[PREV]);
	off_cpu_in(t->run->off, thread_of(record, &values[NEXT]), record->ticks);
	if (!off_cpu_has(t->run->off, prev))
		return;
	if (values[STATE].number & DEAD) {
		off_cpu_gone(t->run->off, prev);
		return;
	}
	stack_of(record, &stack);
	take_comm(&values[PREV_COMM], comm);
	stop.at = frames_of(t->tab, stack.v, stack.n, t->live->plans.v[0].point.sym);
	stop.in = frames_telling(t->tab, stack.v, stack.n);
	if (stop.in == stop.at)
		stop.in = 0;
	off_cpu_out(t->run->off, prev, record->ticks, !(uint32_t)values[STATE].number, &stop, comm);
}

static void take_waking(const struct taking *t, const struct record *record)
{
	enum { WOKEN, BY, BY_COMM, NR };
	static const char *const names[NR] = { [WOKEN] = "tid", [BY] = "pid", [BY_COMM] = "comm" };
	struct picked values[NR];
	struct off_cpu_waker waker = { 0 };
	struct stack stack;
	uint64_t thread;

	pick(record, names, NR, values);
	thread = (uint32_t)values[WOKEN].number;
	if (!off_cpu_has(t->run->off, thread))
		return;
	stack_of(record, &stack);
	waker.at = frames_telling(t->tab, stack.v, stack.n);
	waker.why = frames_interrupt(t->tab, stack.v, stack.n) ? WOKEN_BY_INTERRUPT : stack.is_cut ? WOKEN_SOMEWHERE : WOKEN_BY_THREAD;
	if (waker.why == WOKEN_BY_THREAD) {
		waker.tid = values[BY].number;
		take_comm(&values[BY_COMM], waker.comm);
	}
	off_cpu_woken(t->run->off, thread, record->ticks, &waker);
}

/* Hits that were not recorded though nothing was lost: recording was stopped, or the brake turned them away. */
static bool count_missed(struct session *s, uint64_t *out, struct error *err)
{
	struct kt_cpu_status sums;
	struct kt_status status;

	if (!device_totals(&s->dev, &status, &sums, err))
		return false;
	*out = sums.frozen + sums.braked;
	return true;
}

/*
 * Is the round complete?  It has the records since the one before.  Hits that were not recorded in this time were counted
 * after missed_before was read, and before the first record of the round is taken.
 */
static bool weigh(struct taking *t, struct error *err)
{
	uint64_t missed;

	if (t->is_weighed)
		return true;
	t->is_weighed = true;
	if (!count_missed(t->s, &missed, err))
		return false;
	off_cpu_doubt(t->run->off, missed != t->run->missed_before);
	return true;
}

static bool take(const struct record *record, void *arg, struct error *err)
{
	struct taking *t = arg;
	uint32_t call, event;

	if (!weigh(t, err))
		return false;
	if (record->type == RECORD_LOST) {
		off_cpu_lost(t->run->off, record->lost);
		return true;
	}
	call = plan_ids_find(&t->run->calls, record->desc->id);
	event = plan_ids_find(&t->run->ids, record->desc->id);
	if (call != PLAN_NONE)
		take_call(t->run, record, call >= t->first_end);
	else if (event == OFF_CPU_SWITCH)
		take_switch(t, record);
	else if (event == OFF_CPU_WAKING)
		take_waking(t, record);
	return true;
}

/* ------------------------------------------------------------------------ run */

bool off_cpu_arm(struct session *s, struct off_cpu_run *run, struct error *err)
{
	run->reqs = mem_zalloc(run->plans.n, sizeof(*run->reqs));
	run->reader = reading_begin(s, err);
	if (!run->reader || !count_missed(s, &run->missed, err))
		return false;
	run->missed_before = run->missed;
	run->armed = trace_set(s, &run->plans, KT_TRACE_OWNED, run->reqs, err);
	if (run->armed)
		plan_ids_take(&run->ids, run->reqs, run->plans.n);
	return run->armed;
}

bool off_cpu_round(struct session *s, struct off_cpu_run *run, const struct live *live, size_t first_end, struct error *err)
{
	struct taking taking = { s, run, live, first_end, s->tab, false };
	uint64_t missed;

	if (!run->calls.n && live->reqs)
		plan_ids_take(&run->calls, live->reqs, live->plans.n);
	if (!count_missed(s, &missed, err) || !reading_round(run->reader, take, &taking, err) || !weigh(&taking, err))
		return false;
	run->missed_before = missed;
	return true;
}

bool off_cpu_disarm(struct session *s, struct off_cpu_run *run, struct error *err)
{
	uint64_t missed;

	if (!run->armed)
		return true;
	run->armed = false;
	if (!trace_remove(s, &run->plans, run->reqs, err) || !count_missed(s, &missed, err))
		return false;
	run->off->missed = missed - run->missed;
	return true;
}

/* -------------------------------------------------------------------- results */

static char *say_stop(const struct target *target, const struct off_cpu_stop *stop)
{
	char line[256] = "", at[256] = "", in[256] = "";

	if (stop->at) {
		symtab_describe(target->tab, stop->at - 1, at, sizeof(at));
		function_line_at(target, stop->at - 1, line, sizeof(line));
		/* As in a backtrace. */
		symtab_describe(target->tab, stop->at, at, sizeof(at));
	}
	if (stop->in) {
		symtab_describe(target->tab, stop->in - 1, in, sizeof(in));
		in[strcspn(in, "+")] = '\0';
	}
	if (!stop->at)
		return mem_printf("(not known)%s%s", *in ? " in " : "", in);
	return mem_printf("%s%s%s", *line ? line : at, *in ? " in " : "", in);
}

static char *say_waker(const struct target *target, const struct off_cpu_waker *waker)
{
	static const char *const whys[NR_OFF_CPU_WHYS] = {
		[WOKEN_UNSEEN] = "(not seen)", [WOKEN_BY_INTERRUPT] = "an interrupt", [WOKEN_SOMEWHERE] = "(not known)",
		[PREEMPTED] = "(preempted)",
	};
	char at[256] = "", who[64], line[256];

	snprintf(who, sizeof(who), waker->tid ? "%.15s %" PRIu32 : "%.15s", waker->comm, waker->tid);
	if (waker->at) {
		symtab_describe(target->tab, waker->at - 1, at, sizeof(at));
		at[strcspn(at, "+")] = '\0';
		function_line_at(target, waker->at - 1, line, sizeof(line));
	}
	return mem_printf("%s%s%s%s%s", whys[waker->why] ? whys[waker->why] : who, *at ? ": " : "", at, *at && *line ? "  " : "",
			  *at ? line : "");
}

/* An index of a module is soon made, and lines of its functions tell more than offsets.  That of the kernel takes long. */
static void index_module(const struct target *target, const struct sym *function)
{
	struct debug_unit *unit;
	struct error unused;

	if (function && *function->module)
		unit_code_index(target, function->module, &unit, &unused);
}

struct off_cpu *off_cpu_take(struct session *s, struct off_cpu_run *run, const struct sym *function, uint64_t ended, uint64_t until)
{
	const struct target target = session_target(s);
	struct off_cpu *off = run->off;

	run->off = NULL;
	off_cpu_finish(off, ended, until);
	index_module(&target, function);
	for (size_t i = 0; i < off->nr_rows; i++) {
		off->rows[i].where = say_stop(&target, &off->rows[i].stop);
		off->rows[i].by = say_waker(&target, &off->rows[i].waker);
	}
	for (size_t i = 0; i < off->nr_flights; i++)
		off->flights[i].where = say_stop(&target, &off->flights[i].stop);
	return off;
}

void off_cpu_run_free(struct session *s, struct off_cpu_run *run)
{
	if (run->reqs)
		trace_release(s, &run->plans, run->reqs);
	plans_free(&run->plans);
	plan_ids_free(&run->ids);
	plan_ids_free(&run->calls);
	reader_destroy(run->reader);
	off_cpu_free(run->off);
	free(run->reqs);
}
