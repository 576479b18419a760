// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_report.c - report: where the time of a recording went. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "ctl/trace/analysis/feed.h"
#include "ctl/base/duration.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/cmd/command.h"
#include "ctl/base/device/clockmap.h"
#include "ctl/trace/saved/saved.h"
#include "ctl/show/report/trace_report.h"

struct order {
	const char *dir, *by, *html;
	double from_ns, to_ns;		/* to_ns < 0: to the end */
	bool tree;
	uint64_t flow, critical;	/* tid; 0: none */
};

static bool set_time(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	struct quantity quantity;
	const char *end;

	if (!quantity_parse(arg, "", &quantity, &end) || (quantity.value && !*quantity.unit))
		return error_set(err, STATUS_USAGE, "report: %s %s: not a time: give one with a unit, such as 1.5s",
				 flag->name, arg);
	*(double *)to = quantity.ns;
	return true;
}

static const struct flag rows[] = {
	{ "--by", "KEY", 1, flag_set_choice, offsetof(struct order, by),
	  .summary = "all figures by process, thread, cpu, syscall, file ...",
	  .values = "process thread command cpu syscall process-syscall irq file disk network event" },
	{ "--from", "TIME", 1, set_time, offsetof(struct order, from_ns), .summary = "leave out what was before: 2s, 250ms" },
	{ "--to", "TIME", 1, set_time, offsetof(struct order, to_ns), .summary = "leave out what was later" },
	{ "--tree", NULL, 1, flag_set_true, offsetof(struct order, tree), .summary = "which process has started which" },
	{ "--flow", "PID", 1, flag_set_number, offsetof(struct order, flow), .most = INT32_MAX,
	  .summary = "each change of control of a thread" },
	{ "--critical", "PID", 1, flag_set_number, offsetof(struct order, critical), .most = INT32_MAX,
	  .summary = "what a thread waited for" },
	{ "--html", "FILE", 1, flag_set_page, offsetof(struct order, html), .summary = "also write an HTML page",
	  .values = FLAG_FILES },
	{ "--json", NULL, 1, flag_set_format, .summary = "print one JSON object" },
	{ "--csv", NULL, 1, flag_set_format, .summary = "print comma-separated values" },
	{ .name = NULL },
};

const struct flags report_flags = { rows, 1 };

static bool take_word(void *to, const char *word, struct error *err)
{
	struct order *order = to;

	if (*word == '-' || order->dir)
		return error_set(err, STATUS_USAGE, "report: unexpected '%s': give one directory: see 'help report'", word);
	order->dir = word;
	return true;
}

static bool check(const struct order *order, enum report_by *by, struct error *err)
{
	if (!order->dir)
		return error_set(err, STATUS_USAGE, "report: give the directory of a recording: report DIR");
	if (order->to_ns >= 0 && order->to_ns <= order->from_ns)
		return error_set(err, STATUS_USAGE, "report: --to is not behind --from: choose a later time");
	if (!!order->by + order->tree + !!order->flow + !!order->critical > 1)
		return error_set(err, STATUS_USAGE, "report: --by, --tree, --flow and --critical are different reports: choose one");
	if (order->flow && order->html)
		return error_set(err, STATUS_USAGE, "report: --flow is a listing, not a page: leave out --html");
	*by = order->tree ? BY_TREE : order->by ? report_by_named(order->by) : BY_NOTHING;
	return true;
}

/* --------------------------------------------------------------------- report */

static bool write_page(const struct trace_report *r, const char *path, struct error *err)
{
	AUTO_CLOSE FILE *out = fopen(path, "we");

	if (out) {
		trace_report_html(r, out);
		if (!fflush(out) && !ferror(out))
			return true;
	}
	return error_set(err, STATUS_FAILURE, "%s: %s: choose another file for --html", path, strerror(errno));
}

/* A table of CSV has no room for it. */
static void say_empty(struct session *s, const struct trace_report *r)
{
	const enum report_by by = r->by ? r->by : BY_PROCESS;
	AUTO_FREE char *text = trace_lacks(r, by) ? trace_empty(r, by, 0) : NULL;

	if (text)
		session_warn(s, "%s", text);
}

static bool show(struct session *s, const struct order *order, struct trace_report *r, const struct trace_info *info,
		 struct error *err)
{
	static void (*const formats[])(const struct trace_report *r, FILE *out) = {
		[PRINT_TEXT] = trace_report_text, [PRINT_JSON] = trace_report_json, [PRINT_CSV] = trace_report_csv,
	};
	struct clockmap *map = trace_clockmap(info);

	r->began = clockmap_wall_ns(map, r->a->from) / 1e9;
	clockmap_free(map);
	formats[s->format](r, s->out);
	if (s->format == PRINT_CSV)
		say_empty(s, r);
	return session_flush(s, err) && (!order->html || write_page(r, order->html, err));
}

static uint64_t to_ticks(const struct trace_report *r, double ns)
{
	const double ticks = ns / r->ns_per_tick;

	return ns < 0 || ticks >= 1e19 ? UINT64_MAX : (uint64_t)ticks;
}

static bool check_events(const struct order *order, const struct analysis *a, struct error *err)
{
	if (a->events)
		return true;
	if (!a->begun || a->now < a->zero || (order->from_ns <= 0 && order->to_ns < 0))
		return error_set(err, STATUS_FAILURE, "%s: no events were recorded: there is nothing to report", order->dir);
	return error_set(err, STATUS_FAILURE, "%s: no events between --from and --to: choose other times", order->dir);
}

static bool no_thread(const struct order *order, uint64_t tid, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: thread %llu was not there: 'report %s --by thread' lists the threads",
			 order->dir, (unsigned long long)tid, order->dir);
}

/* Print the changes of control while the recording is read. */
static bool show_flow(struct session *s, const struct order *order, const struct trace_report *r, struct analysis *a,
		      struct saved *saved, struct error *err)
{
	struct flow_printer printer = { .r = r, .format = s->format, .out = s->out };
	struct flow *flow = flow_create(a, order->flow, flow_print, &printer);
	const bool ok = feed_saved(a, saved, flow_event, flow, err);

	flow_finish(flow);
	if (!ok || !check_events(order, a, err))
		return false;
	return printer.begun ? session_flush(s, err) : no_thread(order, order->flow, err);
}

/* Of several threads that had this tid, the last one in the window. */
static const struct task *find_task(const struct analysis *a, uint64_t tid)
{
	for (size_t i = a->nr_tasks; i--;)
		if ((uint64_t)a->tasks[i]->tid == tid && analysis_lifetime(a, a->tasks[i]))
			return a->tasks[i];
	return NULL;
}

/* Give the recording to the analysis; on a terminal it is shown how much is done. */
static bool read_all(struct session *s, struct analysis *a, struct saved *saved, feed_fn *each, void *arg, struct error *err)
{
	struct progress_line line = progress_open(s->messages, s->quiet, false);
	bool ok;

	saved_show(saved, &(struct saved_progress){ &line, "reading", 0, 1 });
	ok = feed_saved(a, saved, each, arg, err);
	saved_show(saved, &(struct saved_progress){ .line = NULL });
	progress_close(&line);
	return ok;
}

static bool show_critical(struct session *s, const struct order *order, struct trace_report *r, struct analysis *a,
			  struct saved *saved, struct error *err)
{
	struct critical *critical = critical_create(a, err);
	bool ok = critical && read_all(s, a, saved, critical_event, critical, err) && check_events(order, a, err);

	r->by = BY_CRITICAL;
	r->waiter = ok ? find_task(a, order->critical) : NULL;
	if (ok && !r->waiter)
		ok = no_thread(order, order->critical, err);
	ok = ok && critical_find(critical, r->waiter, &r->parts, &r->nr_parts, err) &&
	     show(s, order, r, saved_info(saved), err);
	critical_free(critical);
	return ok;
}

static bool report(struct session *s, const struct order *order, enum report_by by, struct saved *saved,
		   struct error *err)
{
	const struct trace_info *info = saved_info(saved);
	struct trace_report r = {
		.dir = order->dir, .host = info->host, .tasks = info->tasks, .kernel = info->kernel, .by = by, .colour = s->colour, .typed = s->typed,
		.recorded = saved_events(saved), .braked = info->braked, .off = info->off, .open = info->is_open,
		.ns_per_tick = info->clock.ns_den ? (double)info->clock.ns_num / info->clock.ns_den : 1,
	};
	struct analysis *a = analysis_create(to_ticks(&r, order->from_ns), to_ticks(&r, order->to_ns));
	bool ok;

	r.a = a;
	if (order->flow)
		ok = show_flow(s, order, &r, a, saved, err);
	else if (order->critical)
		ok = show_critical(s, order, &r, a, saved, err);
	else
		ok = read_all(s, a, saved, NULL, NULL, err) && check_events(order, a, err) &&
		     show(s, order, &r, info, err);
	analysis_free(a);
	return ok;
}

bool cmd_report(struct session *s, const struct words *words, struct error *err)
{
	struct order order = { .to_ns = -1 };
	struct saved *saved;
	enum report_by by = BY_NOTHING;
	bool ok;

	if (!flags_parse(s, words, &report_flags, &order, take_word, NULL, err))
		return false;
	if (!session_one_dir(s, "report", &order.dir, err) || !check(&order, &by, err))
		return false;
	/* Figures of which a part is missing would be false. */
	saved = saved_open(order.dir, err);
	if (!saved)
		return false;
	interrupt_catch();
	ok = report(s, &order, by, saved, err);
	interrupt_release();
	saved_close(saved);
	return ok;
}
