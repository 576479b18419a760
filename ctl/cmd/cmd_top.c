// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_top.c - top: where the time goes now, interval by interval. */
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "ctl/trace/analysis/ring_feed.h"
#include "ctl/base/duration.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/base/number.h"
#include "ctl/base/screen.h"
#include "ctl/cmd/command.h"
#include "ctl/live/recorder/record_events.h"
#include "ctl/base/device/clockmap.h"
#include "ctl/show/report/top_frame.h"
#include "ctl/live/session/trace.h"

/* Longest sleep: a signal just before a sleep is noticed only after it. */
#define MAX_SLEEP_MS	250
#define USUAL_DELAY_MS	1000
#define LEAST_DELAY_MS	100
#define MOST_DELAY_MS	86400000
/* Take the records of a ring when that many of its packets are complete. */
#define DRAIN_AT(dev)	((dev)->hello.nr_subbufs / 4)

struct order {
	const char *events, *by;
	uint64_t count, pid, buffer;
	int64_t delay_ms;
};

struct top {
	struct order order;
	struct record_events events;
	struct ring_feed *feed;
	struct top_frame frame;
	struct top_view view;
	bool on_screen, helps, quits;
	uint64_t shown;		/* intervals */
	struct utsname system;
};

/* ------------------------------------------------------------------- options */

static bool set_delay(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	double ms;

	if (!duration_parse(arg, &ms))
		return error_set(err, STATUS_USAGE, "--delay %s: not a time: give seconds, or a unit: 2, 500ms", arg);
	if (ms < LEAST_DELAY_MS || ms > MOST_DELAY_MS)
		return error_set(err, STATUS_USAGE, "--delay %s: out of range: from 0.1 seconds to a day", arg);
	*(int64_t *)to = (int64_t)ms;
	return true;
}

static bool set_buffer(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	uint64_t *bytes = to;
	bool unit;

	if (!number_bytes(arg, bytes, &unit) || !unit)
		return error_set(err, STATUS_USAGE, "--buffer %s: not a size: give a number with its unit, such as 512K or 16M", arg);
	return (*bytes >= KT_BUFFER_MIN && *bytes <= KT_BUFFER_MAX) ||
	       error_set(err, STATUS_USAGE, "--buffer %s: out of range: from 8K to 1G for each CPU", arg);
}

#define AT(member)	offsetof(struct order, member)

static const struct flag rows[] = {
	{ "--by", "KEY", 1, flag_set_choice, AT(by), .summary = "by thread, cpu, syscall ...; otherwise by process",
	  .values = "process thread command cpu syscall process-syscall irq file disk network event" },
	{ "--delay", "TIME", 1, set_delay, AT(delay_ms), .summary = "from one to the next: 5, 500ms; otherwise 1 second" },
	{ "--count", "N", 1, flag_set_number, AT(count), .summary = "end after N intervals", .most = INT64_MAX },
	{ "--pid", "PID", 1, flag_set_number, AT(pid), .summary = "only the rows of that process", .most = INT32_MAX,
	  .values = FLAG_PROCESSES },
	{ "--events", "SETS", 1, flag_set_text, AT(events), .values = FLAG_EVENTS, .summary = "sets of events, with commas: core,net,-mm_fault_exit" },
	{ "--buffer", "SIZE", 1, set_buffer, AT(buffer), .summary = "for each CPU: 512K, 16M; otherwise 4M" },
	{ "--json", NULL, 1, flag_set_format, .summary = "print one JSON object for each interval" },
	{ .name = NULL },
};

const struct flags top_flags = { rows, 1 };

static bool refuse_word(void *to, const char *word, struct error *err)
{
	return error_set(err, STATUS_USAGE, "top: unexpected '%s': the time of an interval is --delay 5", word);
}

/* The tables whose rows belong to a process. */
static bool has_pid(enum report_by by)
{
	return by == BY_PROCESS || by == BY_THREAD || by == BY_PROCESS_SYSCALL;
}

static bool check(const struct session *s, struct top *top, struct error *err)
{
	top->view.by = top->order.by ? report_by_named(top->order.by) : BY_PROCESS;
	if (top->order.pid && !has_pid(top->view.by))
		return error_set(err, STATUS_USAGE, "top: --pid: figures by %s are of all processes: use --by process, thread or process-syscall",
				 report_bys[top->view.by]);
	if (s->format == PRINT_CSV)
		return error_set(err, STATUS_USAGE, "top: cannot print CSV: use --json");
	return true;
}

/* Where all tables can be asked for, record what they need; else no more than one needs. */
static const char *usual_events(const struct session *s, const struct top *top)
{
	static const char *const sets[NR_BYS] = {
		[BY_IRQ] = "sched,process,irq,softirq", [BY_DISK] = "sched,process,block",
		[BY_NETWORK] = "sched,process,net", [BY_EVENT] = RECORD_USUAL_EVENTS ",net",
	};

	if (top->on_screen || (s->format == PRINT_JSON && !top->order.by))
		return RECORD_USUAL_EVENTS ",net";
	return sets[top->view.by] ? sets[top->view.by] : RECORD_USUAL_EVENTS;
}

/* ------------------------------------------------------------------- showing */

static bool describe(const struct session *s, const struct top *top, struct trace_report *r, struct error *err)
{
	AUTO_FREE struct kt_anchor *anchors = NULL;
	struct clockmap *map;
	struct kt_clock clock;
	struct device dev = s->dev;

	if (!device_clock(&dev, &clock, &anchors, err))
		return false;
	*r = (struct trace_report){
		.a = ring_feed_analysis(top->feed), .live = true, .by = top->view.by, .colour = s->colour,
		.pid = top->order.pid, .braked = ring_feed_braked(top->feed),
		.host = top->system.nodename, .kernel = top->system.release,
		.ns_per_tick = clock.ns_den ? (double)clock.ns_num / clock.ns_den : 1,
	};
	map = clockmap_create(&clock, anchors);
	r->began = clockmap_wall_ns(map, r->a->from) / 1e9;
	clockmap_free(map);
	return true;
}

static void print_help(FILE *out)
{
	fputs("Keys\n\n"
	      "  p processes   t threads   c commands   u CPUs   s system calls   a system calls of each process\n"
	      "  i interrupts   f files   d disks   n network interfaces   e events\n\n", out);
	for (const struct top_sort *sort = top_sorts; sort->key; sort++)
		fprintf(out, "  %c sort by %s\n", sort->key, sort->says);
	fputs("\n  h, ? this help   space: end the interval now   q quit\n\n"
	      "run: on a CPU, in % of the interval.  wait: could run, but has no CPU.  i/o: waits for a device.\n"
	      "latency, longest: from the wake-up until it runs.  ?: not known.  -: exactly 0.\n\n", out);
}

/* Draw the frame, or the help with the notes, on the screen. */
static void draw(struct top *top)
{
	AUTO_FREE char *text = NULL;
	size_t len, columns;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	screen_size(&top->view.rows, &columns);
	if (top->helps) {
		print_help(out);
		fputs(top->frame.notes ? top->frame.notes : "", out);
	} else if (top->frame.head) {
		top_frame_print(&top->frame, &top->view, out);
	} else {
		fputs("The first figures come at the end of the first interval.   (h: help, q: quit)\n", out);
	}
	fclose(out);
	screen_draw(text);
}

static void print(struct session *s, struct top *top, struct trace_report *r)
{
	if (s->format == PRINT_JSON) {
		/* Without --by: all tables. */
		r->by = top->order.by ? r->by : BY_NOTHING;
		trace_report_json(r, s->out);
		return;
	}
	fputs(top->shown ? "\n" : "", s->out);
	top_frame_print(&top->frame, &top->view, s->out);
}

static bool show(struct session *s, struct top *top, struct error *err)
{
	struct trace_report r;
	char clock[16];
	struct tm tm;
	time_t now;

	if (!describe(s, top, &r, err))
		return false;
	now = (time_t)(r.began + analysis_length(r.a) * r.ns_per_tick / 1e9);
	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &tm));
	r.dir = clock;
	/* The texts of the frame before are not used any more. */
	top_frame_free(&top->frame);
	analysis_forget_names(ring_feed_analysis(top->feed));
	if (s->format != PRINT_JSON)
		top->frame = top_frame_take(&r, top->on_screen ? BY_NOTHING : top->view.by);
	if (top->on_screen)
		draw(top);
	else
		print(s, top, &r);
	top->shown++;
	return top->on_screen || session_flush(s, err);
}

/* ---------------------------------------------------------------------- keys */

static const struct {
	char key;
	enum report_by by;
} tables[] = {
	{ 'p', BY_PROCESS }, { 't', BY_THREAD }, { 'c', BY_COMMAND }, { 'u', BY_CPU }, { 's', BY_SYSCALL },
	{ 'a', BY_PROCESS_SYSCALL }, { 'i', BY_IRQ }, { 'f', BY_FILE }, { 'd', BY_DISK }, { 'n', BY_NETWORK },
	{ 'e', BY_EVENT },
};

/* Returns true if the interval ends. */
static bool obey(struct top *top, char key)
{
	top->helps = (key == 'h' || key == '?') && !top->helps;
	top->quits |= key == 'q';
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		if (tables[i].key == key)
			top->view.by = tables[i].by;
	for (const struct top_sort *sort = top_sorts; sort->key; sort++)
		if (sort->key == key)
			top->view.sort = key;
	return key == ' ';
}

static bool take_keys(struct top *top)
{
	bool ends = false;
	char key;

	if (screen_changed())
		draw(top);
	while (!top->quits && (key = screen_key())) {
		ends |= obey(top, key);
		draw(top);
	}
	return ends;
}

/* ----------------------------------------------------------------- intervals */

static bool is_over(struct session *s, const struct top *top)
{
	return top->quits || interrupt_pending() || (top->order.count && top->shown == top->order.count) ||
	       device_is_stopped(&s->dev);
}

/* Sleep until the rings fill (true), a key is pressed, a signal arrives, or some time has passed. */
static bool rest(struct session *s, const struct top *top, int64_t deadline)
{
	const int64_t left = deadline - now_ms();
	const int ms = left < 0 ? 0 : left > MAX_SLEEP_MS ? MAX_SLEEP_MS : (int)left;
	const int fd = device_wait_for(&s->dev, 0, DRAIN_AT(&s->dev)) ? s->dev.fd : -1;
	struct pollfd fds = { .fd = fd, .events = POLLIN | POLLPRI };

	if (top->on_screen)
		return screen_wait(fd, ms);
	return poll(&fds, 1, ms) > 0 && fds.revents;
}

/* False: an error. */
static bool pass_interval(struct session *s, struct top *top, int64_t deadline, struct error *err)
{
	bool ends = false;

	while (!ends && !is_over(s, top) && now_ms() < deadline) {
		const bool fills = rest(s, top, deadline);

		if (top->on_screen)
			ends = take_keys(top);
		if (fills && !ring_feed_drain(top->feed, err))
			return false;
	}
	return true;
}

static bool go_on(struct session *s, struct top *top, struct error *err)
{
	int64_t deadline = now_ms();

	while (!is_over(s, top)) {
		/* Where an interval took longer, the next ones do not make up for it. */
		deadline += top->order.delay_ms;
		deadline = deadline < now_ms() ? now_ms() : deadline;
		if (!pass_interval(s, top, deadline, err))
			return false;
		if (is_over(s, top))
			return true;
		if (!ring_feed_end_interval(top->feed, err) || !show(s, top, err) ||
		    !ring_feed_next_interval(top->feed, err))
			return false;
	}
	return true;
}

/* -------------------------------------------------------------- the recording */

static bool describe_one(void *feed, uint32_t id, const struct desc *planned, struct error *err)
{
	return ring_feed_describe(feed, id, err);
}

static bool watch(struct session *s, struct top *top, struct error *err)
{
	struct error why;
	bool ok;

	if (!record_events_set(s, &top->events, err) ||
	    !record_events_each(&top->events, describe_one, top->feed, err) ||
	    !ring_feed_begin(top->feed, &why, err))
		return false;
	if (*why.text && !interrupt_pending())
		session_warn(s, "names and states are not known until events tell them: %s", why.text);
	if (top->on_screen) {
		screen_open();
		draw(top);
	}
	ok = go_on(s, top, err);
	screen_close();
	return ok;
}

static bool record(struct session *s, struct top *top, struct error *err)
{
	AUTO_FREE char *name = mem_printf("top-%d", (int)getpid());
	struct error why;
	bool ok;

	if (!device_rings(&s->dev, name, KT_MODE_DISCARD, top->order.buffer, err))
		return false;
	top->feed = ring_feed_create(&s->dev, err);
	if (!top->feed)
		return false;
	interrupt_catch();
	ok = watch(s, top, err);
	if (!record_events_remove(s, &top->events, ok ? err : &why))
		ok = false;
	if (interrupt_by_ctrl_c())
		interrupt_clear();
	interrupt_release();
	top_frame_free(&top->frame);
	ring_feed_free(top->feed);
	return ok;
}

/* The recording has a device of its own: that of the prompt, and what is set there, stay as they are. */
static bool with_device(struct session *s, struct top *top, struct error *err)
{
	struct device own = { .fd = -1 };
	const struct device prompt = s->dev;
	bool ok;

	if (!device_open(&own, err))
		return false;
	s->dev = own;
	ok = record(s, top, err);
	device_close(&s->dev);
	s->dev = prompt;
	return ok;
}

static bool run(struct session *s, struct top *top, struct error *err)
{
	const char *sets = top->order.events ? top->order.events : usual_events(s, top);

	if (!record_events_add(s, sets, NULL, &top->events, err) || !record_events_plan(s, &top->events, 0, err))
		return false;
	return s->dry_run ? trace_try(s, &top->events.plans, err) : with_device(s, top, err);
}

bool cmd_top(struct session *s, const struct words *words, struct error *err)
{
	struct top top = { .order = { .delay_ms = USUAL_DELAY_MS, .buffer = RECORD_USUAL_BUFFER } };
	bool ok;

	if (!flags_parse(s, words, &top_flags, &top.order, refuse_word, NULL, err) || !check(s, &top, err) ||
	    !session_connect(s, err))
		return false;
	uname(&top.system);
	top.view.colour = s->colour;
	top.on_screen = s->format == PRINT_TEXT && screen_is_possible();
	ok = run(s, &top, err);
	record_events_free(&top.events);
	return ok;
}
