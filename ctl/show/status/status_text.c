// SPDX-License-Identifier: GPL-2.0-or-later
/* status_text.c - the state of the module as text. */
#include <inttypes.h>
#include <string.h>

#include "ctl/base/device/site.h"
#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/fit.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/base/table.h"
#include "ctl/live/session/frozen.h"
#include "ctl/show/status/status.h"

#define LABEL_WIDTH	13

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static FILE *label(struct session *s, const char *name)
{
	style_put(s->out, s->colour, STYLE_DIM, name, LABEL_WIDTH);
	return s->out;
}

static void say_frozen(struct session *s, const struct status *status, FILE *out)
{
	AUTO_FREE char *since = frozen_since(s, &status->module);

	fprintf(out, "frozen%s%s: 'unfreeze' restarts it\n", *since ? " " : "", since);
}

static void say_recording(struct session *s, const struct status *status)
{
	FILE *out = label(s, "recording");

	if (status->module.frozen)
		say_frozen(s, status, out);
	else if (status->module.late)
		fprintf(out, "on, freezes after %llu more record%s\n", status->module.late,
			plural(status->module.late));
	else
		fputs("on\n", out);
}

static void say_tracepoints(struct session *s, const struct status *status)
{
	const struct kt_status *module = &status->module;

	fprintf(label(s, "tracepoints"), "%u set, at most %u; %u of %u slots in use, in %u of %u areas\n",
		module->nr_sites, s->dev.hello.max_sites, module->nr_slots, module->max_slots,
		module->nr_areas, module->max_areas);
}

static void say_brake(struct session *s, const struct status *status)
{
	const struct kt_status *module = &status->module;
	FILE *out = label(s, "brake");

	if (!module->brake_percent) {
		fputs("off: the CPU time of tracepoints has no limit\n", out);
		return;
	}
	if (module->brake_cpus)
		fprintf(out, "on: %u CPU%s turn%s hits away; ", module->brake_cpus, plural(module->brake_cpus),
			module->brake_cpus == 1 ? "s" : "");
	fprintf(out, "hits are turned away where they take more than %u %% of a CPU", module->brake_percent);
	if (module->brakes)
		fprintf(out, ", as happened %llu time%s", module->brakes, plural(module->brakes));
	if (module->brake_off)
		fprintf(out, "; %u tracepoint%s off by it: 'list -v' marks what is off, 'trace' sets it again", module->brake_off,
			module->brake_off == 1 ? " is" : "s are");
	fputc('\n', out);
}

/* Nothing if there was none. */
static void say_windows(struct session *s, const struct status *status)
{
	const struct kt_status *module = &status->module;
	FILE *out;

	if (!module->windows && !module->window_open)
		return;
	out = label(s, "windows");
	fprintf(out, "tracepoints were disarmed %u time%s, while a CPU started or the machine slept", module->windows,
		plural(module->windows));
	if (module->window_open)
		fputs("; they still are: a CPU that was started has not come up", out);
	fputc('\n', out);
}

static void put_bytes(uint64_t bytes, FILE *out)
{
	const bool mega = bytes >= 1 << 20 && !(bytes % (1 << 20));

	fprintf(out, "%" PRIu64 " %s", bytes >> (mega ? 20 : 10), mega ? "MiB" : "KiB");
}

void status_buffer(const struct kt_hello *hello, FILE *out)
{
	put_bytes((uint64_t)hello->subbuf_bytes * hello->nr_subbufs, out);
	fprintf(out, " for each of %u CPU%s; ", hello->nr_cpus,
		hello->nr_cpus == 1 ? "" : "s");
	fputs(hello->features & KT_FEATURE_OVERWRITE ? "new records overwrite old ones\n"
						     : "a full buffer discards new records\n", out);
}

static void say_buffer(struct session *s)
{
	status_buffer(&s->dev.hello, label(s, "buffer"));
}

static void say_left_out(struct session *s, const struct status *status)
{
	const size_t n = status->nr_left_out;
	FILE *out = label(s, "left out");

	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%s (%d)", !i ? "" : i + 1 < n ? ", " : " and ", escape_shown(status->left_out[i].name),
			status->left_out[i].pid);
	if (n > 1)
		fputs(" at the other end of its terminal", out);
	if (s->terminal.is_unknown)
		fputs(n > 1 ? "; who is behind that is not known" : "; who is at the other end of its terminal is not known", out);
	fputs("; SELF records them\n", out);
}

/* The recordings of other programs, a line each; nothing if there is none. */
static void say_recordings(struct session *s, const struct status *status)
{
	for (size_t i = 0; i < status->nr_recordings; i++) {
		const struct kt_recording_entry *r = &status->recordings[i];
		FILE *out = label(s, i ? "" : "recordings");

		fprintf(out, "%.*s: ", (int)sizeof(r->name), r->name);
		put_bytes(r->bytes, out);
		fprintf(out, " for each CPU, %llu record%s, %llu discarded", r->recorded, plural(r->recorded),
			r->discarded);
		if (r->pid)
			fprintf(out, ", pid %d", r->pid);
		fputs(r->frozen ? "; frozen\n" : "\n", out);
	}
}

/* Nothing if there was none. */
static void say_processes(struct session *s, const struct status *status)
{
	FILE *out;

	if (!status->registered && !status->refused)
		return;
	out = label(s, "libktrace");
	fprintf(out, "%" PRIu64 " process%s registered, %" PRIu64 " recorded", status->registered,
		status->registered == 1 ? "" : "es", status->recorded);
	if (status->refused)
		fprintf(out, ", %" PRIu64 " refused by quotas: see dmesg", status->refused);
	fputc('\n', out);
}

static void say_debug(struct session *s)
{
	struct debug_error why;
	const char *path = status_debug(s, &why);

	fprintf(label(s, "debug info"), "%s\n", path ? path : why.text);
}

static void say_symbols(struct session *s)
{
	struct error err;

	if (session_symbols(s, &err))
		fprintf(label(s, "symbols"), "%s, %zu of them\n", s->kallsyms,
			symtab_count(s->tab));
	else
		fprintf(label(s, "symbols"), "none: %s\n", err.text);
	say_debug(s);
}

static void say_versions(struct session *s, const struct status *status)
{
	const struct kt_hello *hello = &s->dev.hello;

	fprintf(label(s, "clock"), "%.*s, resolution %.3f ns\n", (int)sizeof(status->clock.name),
		status->clock.name, status->tick_ns);
	say_symbols(s);
	fprintf(label(s, "module"), "ktrace %.*s, control ABI %u, trace format %u\n",
		(int)sizeof(hello->version), hello->version, hello->abi, hello->format);
}

static void say_cost(const struct status *status, size_t method, FILE *out)
{
	const struct correction *c = status_cost(status, method);
	char cost[DURATION_SIZE], low[DURATION_SIZE], high[DURATION_SIZE];

	if (!c->known)
		fprintf(out, "%s none in time, ", site_method(method));
	else
		fprintf(out, "%s %s (%s to %s), ", site_method(method), duration_text(c->cost * status->tick_ns, cost),
			duration_text(c->low * status->tick_ns, low), duration_text(c->high * status->tick_ns, high));
}

static void say_calibration(struct session *s, const struct status *status)
{
	FILE *out = label(s, "calibration");

	if (status->why_not.text[0]) {
		fprintf(out, "none: %s\n", status->why_not.text);
		return;
	}
	for (size_t i = 0; i < STATUS_METHODS; i++)
		say_cost(status, status_methods[i], out);
	fputs("entry and return of a call together\n", out);
}

/* The columns of the table of counts that are shown, or the rest of them. */
struct shown {
	const struct status_column *columns[STATUS_COLUMNS];
	size_t n;
};

/* A count that is 0 on each CPU has no column, but for the first, which is of all records. */
static bool has_column(const struct status *status, size_t i)
{
	return !i || status_count(&status->all, &status_columns[i]);
}

static struct shown shown_columns(const struct status *status)
{
	struct shown shown = { .n = 0 };

	for (size_t i = 0; i < STATUS_COLUMNS; i++)
		if (has_column(status, i))
			shown.columns[shown.n++] = &status_columns[i];
	return shown;
}

static void add_row(struct table *table, const struct shown *shown, const struct kt_cpu_status *cpu)
{
	char text[DURATION_SIZE];

	for (size_t i = 0; i < shown->n; i++)
		table_add(table, "%s", count_text(status_count(cpu, shown->columns[i]), text));
}

static bool is_idle(const struct kt_cpu_status *cpu)
{
	for (size_t i = 0; i < STATUS_COLUMNS; i++)
		if (status_count(cpu, &status_columns[i]))
			return false;
	return true;
}

static void fill(struct table *table, const struct shown *shown, const struct status *status)
{
	table_add(table, "records");
	for (size_t i = 0; i < shown->n; i++)
		table_add(table, "%s", shown->columns[i]->name);
	for (uint32_t cpu = 0; cpu < status->module.nr_cpus; cpu++) {
		if (is_idle(&status->cpus[cpu]))
			continue;
		table_add(table, "cpu %u", cpu);
		add_row(table, shown, &status->cpus[cpu]);
	}
	table_add(table, "all");
	add_row(table, shown, &status->all);
}

/* Print the first columns, as many as a line has room for.  Returns how many. */
static size_t print_some(struct session *s, const struct shown *shown, const struct status *status)
{
	static const char align[] = "lrrrrrrrrrr";
	const size_t room = fit_columns(s->out);

	_Static_assert(sizeof(align) == 1 + STATUS_COLUMNS + 1, "the names of the CPUs and each count");
	for (struct shown some = *shown; ; some.n--) {
		char columns[sizeof(align)];
		AUTO_TABLE struct table table = { .align = columns };

		snprintf(columns, sizeof(columns), "%.*s", (int)some.n + 1, align);
		fill(&table, &some, status);
		if (room && table_width(&table) > room && some.n > 1)
			continue;
		fputc('\n', s->out);
		table_print(&table, true, s->out, s->colour);
		return some.n;
	}
}

/* Name the columns that are left out: "none lost, discarded or filtered". */
static void say_none(struct session *s, const struct status *status, size_t none)
{
	size_t said = 0;

	for (size_t i = 0; i < STATUS_COLUMNS; i++)
		if (!has_column(status, i))
			fprintf(s->out, "%s%s", !said++ ? "none " : said < none ? ", " : " or ",
				status_columns[i].name);
	if (none)
		fputc('\n', s->out);
}

static void say_counts(struct session *s, const struct status *status)
{
	struct shown shown = shown_columns(status);
	const size_t none = STATUS_COLUMNS - shown.n;
	uint32_t idle = 0;

	for (size_t n; shown.n; shown.n -= n) {
		n = print_some(s, &shown, status);
		memmove(shown.columns, shown.columns + n, (shown.n - n) * sizeof(shown.columns[0]));
	}
	say_none(s, status, none);
	for (uint32_t cpu = 0; cpu < status->module.nr_cpus; cpu++)
		idle += is_idle(&status->cpus[cpu]);
	if (idle)
		fprintf(s->out, "%u CPU%s met no tracepoint\n", idle, plural(idle));
}

void status_text(struct session *s, const struct status *status)
{
	say_recording(s, status);
	say_tracepoints(s, status);
	say_brake(s, status);
	say_windows(s, status);
	say_left_out(s, status);
	say_buffer(s);
	say_recordings(s, status);
	say_processes(s, status);
	say_versions(s, status);
	say_calibration(s, status);
	say_counts(s, status);
}
