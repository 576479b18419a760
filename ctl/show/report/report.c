// SPDX-License-Identifier: GPL-2.0-or-later
/* report.c - see report.h. */
#include "ctl/show/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/bar.h"
#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/live/measure/condition.h"
#include "ctl/live/measure/reach.h"
#include "ctl/show/report/report_int.h"

static const char *const verbs[] = {
	[MEASURE_CALL] = "latency", [MEASURE_INTERVAL] = "latency", [MEASURE_ACROSS] = "latency --across",
	[MEASURE_KEYED] = "latency",
	[MEASURE_LINES] = "lines", [MEASURE_LINE_COUNTS] = "lines --counts", [MEASURE_RECORDS] = "run",
};

char *report_title(const struct report *r)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return mem_strdup("");
	fprintf(out, "%s %s", verbs[r->m->kind], r->m->name);
	if (r->m->key)
		fprintf(out, " by %s", r->m->key);
	if (r->m->only_if)
		fprintf(out, " --if '%s'", r->m->only_if);
	if (r->m->off_cpu)
		fputs(" --off-cpu", out);
	if (r->o && r->o->pid)
		fprintf(out, " --pid %llu", (unsigned long long)r->o->pid);
	if (r->o && r->o->command)
		fputs(" --", out);
	for (char **word = r->o ? r->o->command : NULL; word && *word; word++)
		fprintf(out, " %s", *word);
	fclose(out);
	return text;
}

/* -------------------------------------------------------- what formats share */

static uint64_t get_overflow(const struct measurement *m)
{
	return m->overflow;
}

static uint64_t get_abandoned(const struct measurement *m)
{
	return m->abandoned;
}

static uint64_t get_open(const struct measurement *m)
{
	return m->open;
}

static uint64_t get_braked(const struct measurement *m)
{
	return m->braked;
}

static uint64_t get_spanned(const struct measurement *m)
{
	return m->spanned;
}

static uint64_t get_unreadable(const struct measurement *m)
{
	return m->unreadable[0] + m->unreadable[1];
}

static uint64_t get_unmatched(const struct measurement *m)
{
	return m->unmatched;
}

const struct unpaired_cause unpaired_causes[] = {
	{ "unmatched", get_unmatched, "ended, but began before the measurement",
	  "ended, and no begin with their key was open" },
	{ "open", get_open, "were still open at the end", NULL },
	{ "abandoned", get_abandoned, "abandoned: their end was not seen, and their thread began another call or ended", NULL },
	{ "braked", get_braked, "open when the brake began: their end may have been turned away", NULL },
	{ "spanned", get_spanned, "open when their tracepoints were disarmed: a CPU started, or the machine slept", NULL },
	{ "overflow", get_overflow, "found no room in the table of open calls", NULL },
	{ "unreadable", get_unreadable, "had a key that could not be read", NULL },
	{ .key = NULL },
};

const char *unpaired_text(const struct unpaired_cause *cause, const struct measurement *m)
{
	return m->kind == MEASURE_KEYED && cause->keyed ? cause->keyed : cause->text;
}

const char *lost_text(const struct measurement *m)
{
	return m->kind == MEASURE_KEYED ? "records lost, so pairs may be wrong: enlarge the buffer ('buffer 16M'), or trace less"
					: "hits lost, inside ktrace's own code";
}

struct measurement measure_view(const struct measurement *m, const struct samples *s)
{
	return (struct measurement){ .kind = MEASURE_CALL, .ns_per_tick = m->ns_per_tick, .all = *s };
}

bool report_has_few(const struct measurement *m)
{
	const struct measure_field *p99 = measure_field_find("p99");
	struct measurement view = measure_view(m, &m->others);

	if (measure_few(m, measure_field_find("p99.9")) || (m->nr_groups && measure_few(&view, p99)))
		return true;
	for (size_t i = 0; i < m->nr_groups; i++) {
		view = measure_view(m, &m->groups[i].samples);
		if (measure_few(&view, p99))
			return true;
	}
	return false;
}

static char *usual_correction_text(const struct measurement *m)
{
	char cost[DURATION_SIZE], low[DURATION_SIZE], high[DURATION_SIZE], mean[DURATION_SIZE], off[DURATION_SIZE];
	AUTO_FREE char *spread = NULL;
	double each;

	if (m->kind == MEASURE_RECORDS || m->kind == MEASURE_LINE_COUNTS)
		return NULL;
	if (m->raw)
		return mem_printf("not corrected (--raw): the times include the cost of the tracepoints");
	if (!m->correction.known)
		return mem_printf("not corrected: %s", m->correction.why);
	if (!m->all.count)
		return NULL;
	each = (double)m->all.taken_off / m->all.count;
	duration_text(measure_ns(m, each), off);
	duration_text(measure_ns(m, m->correction.cost), cost);
	duration_text(measure_ns(m, samples_raw_mean(&m->all)), mean);
	spread = mem_printf("%s to %s when calibrated", duration_text(measure_ns(m, m->correction.low), low),
			    duration_text(measure_ns(m, m->correction.high), high));
	if (m->kind == MEASURE_LINES)
		return mem_printf("corrected by %s a call, the cost of the tracepoints: %s for each tracepoint hit (%s); uncorrected mean %s",
				  off, cost, spread, mean);
	if (strcmp(off, cost))
		return mem_printf("corrected by %s a call on average, the cost of the tracepoints: %s for the two ends of a call (%s), and the same for calls within it; uncorrected mean %s",
				  off, cost, spread, mean);
	return mem_printf("corrected by %s a call, the cost of the tracepoints (%s); uncorrected mean %s", cost, spread, mean);
}

char *correction_text(const struct measurement *m)
{
	char *usual = usual_correction_text(m), *mixed;

	if (!usual || m->raw || !m->correction.is_mixed)
		return usual;
	mixed = mem_printf("%s\nother tracepoints were set or removed at the same addresses meanwhile, which changes the cost: this does not fit all calls",
			   usual);
	free(usual);
	return mixed;
}

const char *measure_subject(const struct measurement *m)
{
	static const char *const subjects[] = {
		[MEASURE_CALL] = "time of a call", [MEASURE_INTERVAL] = "time from one to the other",
		[MEASURE_ACROSS] = "time from one to the other", [MEASURE_KEYED] = "time from one to the other",
		[MEASURE_LINES] = "time of a call", [MEASURE_LINE_COUNTS] = "calls",
		[MEASURE_RECORDS] = "time between records",
	};

	return subjects[m->kind];
}

double line_share(const struct measurement *m, const struct line *line)
{
	uint64_t all = 0;

	for (size_t i = 0; i < m->nr_lines; i++)
		all += m->lines[i].samples.sum;
	return all ? (double)line->samples.sum / all : 0;
}

/* ---------------------------------------------------------------- verdict */

bool report_never(const struct measurement *m, const struct oneshot *o, struct error *verdict)
{
	AUTO_FREE char *measured = oneshot_measured(o);
	const char *by = measured ? measured : "anybody";

	if (m->reach && reach_explain(m->reach, m->name, o, verdict))
		return true;
	if (m->entered || m->returned)
		return !error_set(verdict, STATUS_NEVER, "%s: no call was seen from its beginning to its end (%llu begun, %llu ended): measure longer",
				 m->name, (unsigned long long)m->entered, (unsigned long long)m->returned);
	if (m->turned_away)
		return !error_set(verdict, STATUS_NEVER, "%s: no call was measured: all hits were turned away by the brake ('man ktrace' tells how to change it)",
				 m->name);
	if (m->unmeasured)
		return !error_set(verdict, STATUS_NEVER, "%s: no call was measured: its tracepoints were disarmed, because a CPU started or the machine slept: try again",
				 m->name);
	if (m->filtered_by_task)
		return !error_set(verdict, STATUS_NEVER, "%s was never reached by %s, but %llu times by %s to measure them",
				 m->name, by, (unsigned long long)m->filtered_by_task,
				 measured ? "other tasks: leave out the filter" : "tasks that are left out: leave out the filter, or add SELF,");
	return !error_set(verdict, STATUS_NEVER, "%s was never reached by %s: is it the right function? 'explain' shows what calls are inlined",
			 m->name, by);
}

bool report_condition(const struct measurement *m, const struct oneshot *o, struct error *verdict)
{
	char figures[256];

	return o->fail_if && condition_holds(o->fail_if, m, figures, sizeof(figures)) &&
	       !error_set(verdict, STATUS_CONDITION, "%s: %s: --fail-if '%s' holds", m->name, figures,
			  condition_text(o->fail_if));
}

/* Is there a verdict? */
static bool judge(const struct measurement *m, const struct oneshot *o, struct error *verdict)
{
	return report_condition(m, o, verdict) || (!measure_count(m) && !m->counted && report_never(m, o, verdict));
}

/* Warn that a condition on an unknown figure decides nothing. */
static void tell_unknown(struct session *s, const struct measurement *m, const struct condition *c)
{
	uint64_t least;
	const char *name = condition_unknown(c, m, &least);

	if (name && measure_count(m))
		session_warn(s, "warning: --fail-if '%s': %s needs %llu calls, there are only %llu", condition_text(c), name,
			     (unsigned long long)least, (unsigned long long)m->all.count);
}

/* `run` with a command ends with the command's status, as without ktrace. */
static bool only_said(const struct report *r, const struct error *verdict)
{
	return verdict->status == STATUS_NEVER && r->m->kind == MEASURE_RECORDS && r->o->command;
}

/* -------------------------------------------------------------------- show */

static bool write_page(const struct report *r, const char *path, struct error *err)
{
	AUTO_CLOSE FILE *out = fopen(path, "we");

	if (out) {
		report_html(r, out);
		if (!fflush(out) && !ferror(out))
			return true;
	}
	return error_set(err, STATUS_FAILURE, "%s: %s: choose another file for --html", path, strerror(errno));
}

bool report_show(struct session *s, const struct oneshot *o, const struct measurement *m,
		 const struct timeline *timeline, struct error *err)
{
	static void (*const formats[])(const struct report *r, FILE *out) = {
		[PRINT_TEXT] = report_text, [PRINT_JSON] = report_json, [PRINT_CSV] = report_csv,
		[PRINT_METRICS] = report_metrics,
	};
	const struct report r = { .m = m, .o = o, .timeline = timeline, .colour = s->colour, .ascii = !bar_is_utf8(),
				  .typed = s->typed };
	struct error verdict;
	bool any;

	formats[s->format](&r, s->out);
	if (!session_flush(s, err) || (o->html && !write_page(&r, o->html, err)))
		return false;
	any = judge(m, o, &verdict);
	if (o->fail_if && !any)
		tell_unknown(s, m, o->fail_if);
	if (any && only_said(&r, &verdict)) {
		session_complain(s, NULL, &verdict);
		any = false;
	}
	return oneshot_conclude(s, o, any ? &verdict : NULL, err);
}
