// SPDX-License-Identifier: GPL-2.0-or-later
/* report_off_cpu.c - the part of a report that `latency --off-cpu` adds: where calls left the CPU, and who woke them. */
#include <inttypes.h>

#include "ctl/base/escape.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/base/table.h"
#include "ctl/live/offcpu/off_cpu.h"
#include "ctl/show/report/report_int.h"

#define SHOWN	20	/* rows of a table */

static const char *time_text(const struct measurement *m, uint64_t ticks, char buf[DURATION_SIZE])
{
	return duration_text(measure_ns(m, ticks), buf);
}

/* ---------------------------------------------------------------------- text */

static void print_count(const struct report *r, const char *name, uint64_t n, FILE *out)
{
	char text[DURATION_SIZE];

	style_put(out, r->colour, STYLE_DIM, name, 9);
	fprintf(out, "%10s", count_text(n, text));
}

static void print_part(const struct report *r, const char *what, uint64_t ticks, FILE *out)
{
	char text[DURATION_SIZE];

	if (ticks)
		fprintf(out, ", %s %s", what, time_text(r->m, ticks, text));
}

static void print_totals(const struct report *r, FILE *out)
{
	const struct off_cpu *off = r->m->off_cpu;
	char text[DURATION_SIZE];

	print_count(r, "calls", r->m->all.count, out);
	fprintf(out, "  which took %s\n", time_text(r->m, r->m->all.sum, text));
	print_count(r, "slept", off->slept, out);
	fprintf(out, "  off the CPU for %s", time_text(r->m, off->total, text));
	print_part(r, "asleep", off->asleep, out);
	print_part(r, "ready to run", off->waited, out);
	print_part(r, "woken unseen", off->unseen, out);
	fputc('\n', out);
	print_count(r, "ran", off->ran, out);
	fputs("  never left the CPU\n", out);
	if (off->unknown) {
		print_count(r, "not known", off->unknown, out);
		fputs("  records of them are missing\n", out);
	}
}

static void print_rows(const struct report *r, FILE *out)
{
	static const char *const heads[] = { "times", "off CPU", "mean", "max", "left the CPU at", "woken by" };
	AUTO_TABLE struct table table = { .align = "rrrrll" };
	const struct off_cpu *off = r->m->off_cpu;
	char text[DURATION_SIZE];

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		table_add(&table, "%s", heads[i]);
	for (size_t i = 0; i < off->nr_rows && i < SHOWN; i++) {
		const struct off_cpu_row *row = &off->rows[i];

		table_add(&table, "%s", count_text(row->times, text));
		table_add(&table, "%s", time_text(r->m, row->total, text));
		table_add(&table, "%s", time_text(r->m, row->total / row->times, text));
		table_add(&table, "%s", time_text(r->m, row->most, text));
		table_add(&table, "%s", row->where);
		table_add(&table, "%s", row->by);
	}
	if (!off->nr_rows)
		return;
	fputc('\n', out);
	table_print(&table, true, out, r->colour);
	if (off->nr_rows > SHOWN)
		fprintf(out, "and %zu rows more, which --json shows\n", off->nr_rows - SHOWN);
}

static const char *state_of(const struct off_cpu_flight *flight)
{
	return flight->preempted ? "ready to run" : flight->woken ? "woken, ready to run" : "asleep";
}

static void print_flights(const struct report *r, FILE *out)
{
	const struct off_cpu *off = r->m->off_cpu;
	char text[DURATION_SIZE];

	if (off->nr_flights)
		fputs("\nnot ended, and off the CPU at the end\n", out);
	for (size_t i = 0; i < off->nr_flights && i < SHOWN; i++) {
		const struct off_cpu_flight *flight = &off->flights[i];

		AUTO_FREE char *comm = mem_strndup(flight->comm, OFF_CPU_COMM);

		fprintf(out, "  %10s  %s at %s  %s %" PRIu32 "\n", time_text(r->m, r->m->ended - flight->since, text), state_of(flight),
			escape_shown(flight->where), escape_shown(comm), flight->tid);
	}
	if (off->nr_flights > SHOWN)
		fprintf(out, "and %zu more, which --json shows\n", off->nr_flights - SHOWN);
}

void report_off_cpu(const struct report *r, FILE *out)
{
	const struct off_cpu *off = r->m->off_cpu;
	char text[DURATION_SIZE];

	print_totals(r, out);
	print_rows(r, out);
	print_flights(r, out);
	if (off->lost)
		fprintf(out, "\n%s records were lost: enlarge the buffer ('buffer 16M'), or measure less\n", count_text(off->lost, text));
	if (off->missed)
		fprintf(out, "\n%s hits of tracepoints were not recorded, as recording was stopped or the brake turned them away: the calls of that time are not known\n",
			count_text(off->missed, text));
}

/* ---------------------------------------------------------------------- JSON */

static void put_row(struct json *j, const struct measurement *m, const struct off_cpu_row *row)
{
	static const char *const whys[NR_OFF_CPU_WHYS] = {
		[WOKEN_UNSEEN] = "unseen", [WOKEN_BY_THREAD] = "thread", [WOKEN_BY_INTERRUPT] = "interrupt",
		[WOKEN_SOMEWHERE] = "unknown", [PREEMPTED] = "preempted",
	};

	json_open(j, NULL);
	json_number(j, "times", row->times);
	json_time(j, "total_ns", measure_ns(m, row->total));
	json_time(j, "max_ns", measure_ns(m, row->most));
	json_text(j, "at", row->where);
	json_text(j, "woken", whys[row->waker.why]);
	json_text(j, "comm", *row->waker.comm ? row->waker.comm : NULL);
	if (row->waker.tid)
		json_number(j, "tid", row->waker.tid);
	else
		json_null(j, "tid");
	json_text(j, "by", row->by);
	json_close(j);
}

static void put_flight(struct json *j, const struct measurement *m, const struct off_cpu_flight *flight)
{
	json_open(j, NULL);
	json_time(j, "off_ns", measure_ns(m, m->ended - flight->since));
	json_text(j, "state", state_of(flight));
	json_text(j, "at", flight->where);
	json_text(j, "comm", flight->comm);
	json_number(j, "tid", flight->tid);
	json_close(j);
}

void report_off_cpu_json(struct json *j, const struct measurement *m)
{
	const struct off_cpu *off = m->off_cpu;

	if (!off) {
		json_null(j, "off_cpu");
		return;
	}
	json_open(j, "off_cpu");
	json_number(j, "slept", off->slept);
	json_number(j, "ran", off->ran);
	json_number(j, "unknown", off->unknown);
	json_time(j, "total_ns", measure_ns(m, off->total));
	json_time(j, "asleep_ns", measure_ns(m, off->asleep));
	json_time(j, "ready_ns", measure_ns(m, off->waited));
	json_time(j, "unseen_ns", measure_ns(m, off->unseen));
	json_number(j, "lost", off->lost);
	json_number(j, "missed", off->missed);
	json_open_array(j, "rows");
	for (size_t i = 0; i < off->nr_rows; i++)
		put_row(j, m, &off->rows[i]);
	json_close(j);
	json_open_array(j, "not_ended");
	for (size_t i = 0; i < off->nr_flights; i++)
		put_flight(j, m, &off->flights[i]);
	json_close(j);
	json_close(j);
}
