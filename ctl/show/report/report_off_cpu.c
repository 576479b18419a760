// SPDX-License-Identifier: GPL-2.0-or-later
/* report_off_cpu.c - the part of a report that `latency --off-cpu` adds: where calls left the CPU, and who woke them. */
#include <inttypes.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
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

static struct sheet rows_of(const struct measurement *m)
{
	static const char *const whys[NR_OFF_CPU_WHYS] = {
		[WOKEN_UNSEEN] = "unseen", [WOKEN_BY_THREAD] = "thread", [WOKEN_BY_INTERRUPT] = "interrupt",
		[WOKEN_SOMEWHERE] = "unknown", [PREEMPTED] = "preempted",
	};
	struct sheet sheet = { .key = "rows" };

	for (size_t i = 0; i < m->off_cpu->nr_rows; i++) {
		const struct off_cpu_row *row = &m->off_cpu->rows[i];

		sheet_row(&sheet);
		cell_number(&sheet, "times", "times", row->times);
		cell_time(&sheet, "total_ns", "off CPU", measure_ns(m, row->total));
		cell_time(&sheet, NULL, "mean", measure_ns(m, row->total / row->times));
		cell_time(&sheet, "max_ns", "max", measure_ns(m, row->most));
		cell_text(&sheet, "at", "left the CPU at", row->where);
		cell_text(&sheet, "woken", NULL, whys[row->waker.why]);
		cell_text(&sheet, "comm", NULL, *row->waker.comm ? row->waker.comm : NULL);
		cell_id(&sheet, "tid", NULL, row->waker.tid)->known = row->waker.tid;
		cell_text(&sheet, "by", "woken by", row->by);
	}
	return sheet;
}

static void print_rows(const struct report *r, FILE *out)
{
	AUTO_SHEET struct sheet sheet = rows_of(r->m);
	size_t left;

	if (!sheet_rows(&sheet))
		return;
	fputc('\n', out);
	left = sheet_print(&sheet, SHOWN, out, r->colour);
	if (left)
		fprintf(out, "and %zu rows more, which --json shows\n", left);
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

static struct sheet flights_of(const struct measurement *m)
{
	struct sheet sheet = { .key = "not_ended" };

	for (size_t i = 0; i < m->off_cpu->nr_flights; i++) {
		const struct off_cpu_flight *flight = &m->off_cpu->flights[i];

		sheet_row(&sheet);
		cell_time(&sheet, "off_ns", NULL, measure_ns(m, m->ended - flight->since));
		cell_text(&sheet, "state", NULL, state_of(flight));
		cell_text(&sheet, "at", NULL, flight->where);
		cell_text(&sheet, "comm", NULL, flight->comm);
		cell_id(&sheet, "tid", NULL, flight->tid);
	}
	return sheet;
}

static void fill_off_cpu(struct sheet *sheet, const struct measurement *m)
{
	const struct off_cpu *off = m->off_cpu;
	struct sheet rows = rows_of(m), flights = flights_of(m);

	cell_number(sheet, "slept", NULL, off->slept);
	cell_number(sheet, "ran", NULL, off->ran);
	cell_number(sheet, "unknown", NULL, off->unknown);
	cell_time(sheet, "total_ns", NULL, measure_ns(m, off->total));
	cell_time(sheet, "asleep_ns", NULL, measure_ns(m, off->asleep));
	cell_time(sheet, "ready_ns", NULL, measure_ns(m, off->waited));
	cell_time(sheet, "unseen_ns", NULL, measure_ns(m, off->unseen));
	cell_number(sheet, "lost", NULL, off->lost);
	cell_number(sheet, "missed", NULL, off->missed);
	cell_sheet(sheet, &rows);
	cell_sheet(sheet, &flights);
}

void add_off_cpu(struct sheet *sheet, const struct measurement *m)
{
	struct sheet part = { .key = "off_cpu", .form = SHEET_OBJECT };

	sheet_row(&part);
	if (m->off_cpu)
		fill_off_cpu(&part, m);
	cell_sheet(sheet, &part)->known = m->off_cpu;
}
