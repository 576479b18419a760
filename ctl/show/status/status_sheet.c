// SPDX-License-Identifier: GPL-2.0-or-later
/* status_sheet.c - the state of the module, as sentences for people and as figures for programs. */
#include <inttypes.h>
#include <string.h>

#include "ctl/base/device/site.h"
#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/frozen.h"
#include "ctl/show/status/status.h"

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* "4 MiB", "8 KiB".  Returns buf. */
static const char *room_text(uint64_t bytes, char buf[DURATION_SIZE])
{
	const bool mega = bytes >= 1 << 20 && !(bytes % (1 << 20));

	snprintf(buf, DURATION_SIZE, "%" PRIu64 " %s", bytes >> (mega ? 20 : 10), mega ? "MiB" : "KiB");
	return buf;
}

char *status_buffer(const struct kt_hello *hello)
{
	char room[DURATION_SIZE];

	return mem_printf("%s for each of %u CPU%s; %s", room_text((uint64_t)hello->subbuf_bytes * hello->nr_subbufs, room),
			  hello->nr_cpus, plural(hello->nr_cpus),
			  hello->features & KT_FEATURE_OVERWRITE ? "new records overwrite old ones" : "a full buffer discards new records");
}

static void add_recording(struct sheet *sheet, struct session *s, const struct kt_status *module)
{
	AUTO_FREE char *name = frozen_by(s, module), *since = frozen_since(s, module);
	const int64_t ns = frozen_wall_ns(s, module);

	if (module->frozen)
		cell_format(sheet, NULL, "recording", "frozen%s%s: 'unfreeze' restarts it", *since ? " " : "", since);
	else if (module->late)
		cell_format(sheet, NULL, "recording", "on, freezes after %llu more record%s", module->late, plural(module->late));
	else
		cell_text(sheet, NULL, "recording", "on");
	cell_boolean(sheet, "frozen", NULL, module->frozen);
	cell_digits(sheet, "frozen_time_ns", NULL, ns)->known = ns;
	cell_text(sheet, "frozen_by", NULL, name);
	cell_number(sheet, "latefreeze", NULL, module->late);
}

static void add_tracepoints(struct sheet *sheet, const struct kt_hello *hello, const struct kt_status *module)
{
	cell_format(sheet, NULL, "tracepoints", "%u set, at most %u; %u of %u slots in use, in %u of %u areas", module->nr_sites,
		    hello->max_sites, module->nr_slots, module->max_slots, module->nr_areas, module->max_areas);
	cell_number(sheet, "tracepoints", NULL, module->nr_sites);
	cell_number(sheet, "max_tracepoints", NULL, hello->max_sites);
	cell_number(sheet, "slots", NULL, module->nr_slots);
	cell_number(sheet, "max_slots", NULL, module->max_slots);
	cell_number(sheet, "areas", NULL, module->nr_areas);
	cell_number(sheet, "max_areas", NULL, module->max_areas);
	cell_number(sheet, "descriptors", NULL, module->nr_descs);
	cell_counter(sheet, "stray", NULL, module->stray);
}

static void say_brake(struct sheet *sheet, const struct kt_status *module)
{
	AUTO_FREE char *now = !module->brake_cpus ? mem_strdup("") :
		mem_printf("on: %u CPU%s turn%s hits away; ", module->brake_cpus, plural(module->brake_cpus), module->brake_cpus == 1 ? "s" : "");
	AUTO_FREE char *before = !module->brakes ? mem_strdup("") :
		mem_printf(", as happened %llu time%s", module->brakes, plural(module->brakes));
	AUTO_FREE char *off = !module->brake_off ? mem_strdup("") :
		mem_printf("; %u tracepoint%s off by it: 'list -v' marks what is off, 'trace' sets it again", module->brake_off,
			   module->brake_off == 1 ? " is" : "s are");

	if (module->brake_percent)
		cell_format(sheet, NULL, "brake", "%shits are turned away where they take more than %u %% of a CPU%s%s", now,
			    module->brake_percent, before, off);
	else
		cell_text(sheet, NULL, "brake", "off: the CPU time of tracepoints has no limit");
}

static void add_brake(struct sheet *sheet, const struct kt_status *module)
{
	struct sheet brake = { .key = "brake", .form = SHEET_OBJECT };

	say_brake(sheet, module);
	sheet_row(&brake);
	cell_number(&brake, "percent", NULL, module->brake_percent);
	cell_number(&brake, "cpus", NULL, module->brake_cpus);
	cell_counter(&brake, "times", NULL, module->brakes);
	cell_number(&brake, "tracepoints_off", NULL, module->brake_off);
	cell_sheet(sheet, &brake);
}

/* People read of windows only if there was one. */
static void add_windows(struct sheet *sheet, const struct kt_status *module)
{
	struct sheet windows = { .key = "windows", .form = SHEET_OBJECT };

	cell_format(sheet, NULL, "windows", "tracepoints were disarmed %u time%s, while a CPU started or the machine slept%s",
		    module->windows, plural(module->windows),
		    module->window_open ? "; they still are: a CPU that was started has not come up" : "")
		->absent = !module->windows && !module->window_open;
	sheet_row(&windows);
	cell_counter(&windows, "times", NULL, module->windows);
	cell_boolean(&windows, "open", NULL, module->window_open);
	cell_sheet(sheet, &windows);
}

static void say_left_out(struct sheet *sheet, struct session *s, const struct status *status)
{
	const size_t n = status->nr_left_out;
	AUTO_FREE char *names = mem_strdup("");

	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *before = names;

		names = mem_printf("%s%s%s (%d)", before, !i ? "" : i + 1 < n ? ", " : " and ", status->left_out[i].name,
				   status->left_out[i].pid);
	}
	cell_format(sheet, NULL, "left out", "%s%s%s; SELF records them", names, n > 1 ? " at the other end of its terminal" : "",
		    !s->terminal.is_unknown ? "" : n > 1 ? "; who is behind that is not known" :
		    "; who is at the other end of its terminal is not known");
}

static void add_left_out(struct sheet *sheet, struct session *s, const struct status *status)
{
	struct sheet left_out = { .key = "left_out" };

	for (size_t i = 0; i < status->nr_left_out; i++) {
		sheet_row(&left_out);
		cell_id(&left_out, "pid", NULL, (uint64_t)status->left_out[i].pid);
		cell_text(&left_out, "name", NULL, status->left_out[i].name);
	}
	say_left_out(sheet, s, status);
	cell_sheet(sheet, &left_out);
	cell_boolean(sheet, "terminal_known", NULL, !s->terminal.is_unknown);
}

/* The recordings of other programs: for people a line each. */
static void add_recordings(struct sheet *sheet, const struct status *status)
{
	struct sheet recordings = { .key = "recordings" };

	for (size_t i = 0; i < status->nr_recordings; i++) {
		const struct kt_recording_entry *r = &status->recordings[i];
		AUTO_FREE char *name = mem_strndup(r->name, sizeof(r->name));
		AUTO_FREE char *pid = r->pid ? mem_printf(", pid %d", r->pid) : mem_strdup("");
		char room[DURATION_SIZE];

		cell_format(sheet, NULL, i ? "" : "recordings", "%s: %s for each CPU, %llu record%s, %llu discarded%s%s", name,
			    room_text(r->bytes, room), r->recorded, plural(r->recorded), r->discarded, pid, r->frozen ? "; frozen" : "");
		sheet_row(&recordings);
		cell_text(&recordings, "name", NULL, name);
		cell_id(&recordings, "pid", NULL, r->pid);
		cell_bytes(&recordings, "buffer_bytes", NULL, r->bytes);
		cell_boolean(&recordings, "overwrite", NULL, r->mode == KT_MODE_OVERWRITE);
		cell_counter(&recordings, "recorded", NULL, r->recorded);
		cell_counter(&recordings, "discarded", NULL, r->discarded);
		cell_boolean(&recordings, "frozen", NULL, r->frozen);
	}
	cell_sheet(sheet, &recordings);
}

/* People read of processes only if there was one. */
static void add_processes(struct sheet *sheet, const struct status *status)
{
	struct sheet processes = { .key = "processes", .form = SHEET_OBJECT };
	AUTO_FREE char *refused = !status->refused ? mem_strdup("") :
		mem_printf(", %" PRIu64 " refused by quotas: see dmesg", status->refused);

	cell_format(sheet, NULL, "libktrace", "%" PRIu64 " process%s registered, %" PRIu64 " recorded%s", status->registered,
		    status->registered == 1 ? "" : "es", status->recorded, refused)->absent = !status->registered && !status->refused;
	sheet_row(&processes);
	cell_number(&processes, "registered", NULL, status->registered);
	cell_number(&processes, "being_recorded", NULL, status->recorded);
	cell_counter(&processes, "refused", NULL, status->refused);
	cell_sheet(sheet, &processes);
}

static void add_symbols(struct sheet *sheet, struct session *s)
{
	struct debug_error why;
	struct error err;
	const bool known = session_symbols(s, &err);
	const char *debug_path = status_debug(s, &why);

	if (known)
		cell_format(sheet, NULL, "symbols", "%s, %zu of them", s->kallsyms, symtab_count(s->tab));
	else
		cell_format(sheet, NULL, "symbols", "none: %s", err.text);
	cell_text(sheet, "symbols", NULL, known ? s->kallsyms : "");
	cell_text(sheet, NULL, "debug info", debug_path ? debug_path : why.text);
	cell_text(sheet, "debug_info", NULL, debug_path ? debug_path : "");
}

static void add_versions(struct sheet *sheet, struct session *s, const struct status *status)
{
	const struct kt_hello *hello = &s->dev.hello;
	AUTO_FREE char *clock = mem_strndup(status->clock.name, sizeof(status->clock.name));
	AUTO_FREE char *version = mem_strndup(hello->version, sizeof(hello->version));

	cell_boolean(sheet, "overwrite", NULL, !!(hello->features & KT_FEATURE_OVERWRITE));
	cell_format(sheet, NULL, "clock", "%s, resolution %.3f ns", clock, status->tick_ns);
	cell_text(sheet, "clock", NULL, clock);
	cell_real(sheet, "resolution_ns", NULL, status->tick_ns);
	add_symbols(sheet, s);
	cell_format(sheet, NULL, "module", "ktrace %s, control ABI %u, trace format %u", version, hello->abi, hello->format);
	cell_text(sheet, "module", NULL, version);
	cell_id(sheet, "abi", NULL, hello->abi);
	cell_id(sheet, "format", NULL, hello->format);
}

static void add_cost(struct sheet *sheet, const struct status *status, size_t method)
{
	const struct correction *c = status_cost(status, method);
	struct sheet cost = { .key = site_method(method), .form = SHEET_OBJECT };

	sheet_row(&cost);
	cell_real(&cost, "cost_ns", NULL, c->cost * status->tick_ns);
	cell_real(&cost, "cost_low_ns", NULL, c->low * status->tick_ns);
	cell_real(&cost, "cost_high_ns", NULL, c->high * status->tick_ns);
	cell_sheet(sheet, &cost)->known = !status->why_not.text[0] && c->known;
}

static char *cost_text(const struct status *status, size_t method)
{
	const struct correction *c = status_cost(status, method);
	char cost[DURATION_SIZE], low[DURATION_SIZE], high[DURATION_SIZE];

	if (!c->known)
		return mem_printf("%s none in time, ", site_method(method));
	return mem_printf("%s %s (%s to %s), ", site_method(method), duration_text(c->cost * status->tick_ns, cost),
			  duration_text(c->low * status->tick_ns, low), duration_text(c->high * status->tick_ns, high));
}

static void add_calibration(struct sheet *sheet, const struct status *status)
{
	struct sheet calibration = { .key = "calibration", .form = SHEET_OBJECT };
	const char *why_not = status->why_not.text;
	AUTO_FREE char *jump = cost_text(status, KT_METHOD_JUMP), *breakpoint = cost_text(status, KT_METHOD_BREAKPOINT);

	if (*why_not)
		cell_format(sheet, NULL, "calibration", "none: %s", why_not);
	else
		cell_format(sheet, NULL, "calibration", "%s%sentry and return of a call together", jump, breakpoint);
	sheet_row(&calibration);
	cell_text(&calibration, "why_not", NULL, *why_not ? why_not : NULL);
	cell_number(&calibration, "calls", NULL, *why_not ? 0 : status->calibration.calls);
	add_cost(&calibration, status, KT_METHOD_JUMP);
	add_cost(&calibration, status, KT_METHOD_BREAKPOINT);
	cell_sheet(sheet, &calibration);
}

/* ---------------------------------------------------------------------- counts */

/* A count that is 0 on each CPU has no column for people, but for the first, which is of all records. */
static bool is_shown(const struct status *status, size_t i)
{
	return !i || status_count(&status->all, &status_columns[i]);
}

static void add_counts(struct sheet *sheet, const struct status *status, const struct kt_cpu_status *cpu)
{
	for (size_t i = 0; i < STATUS_COLUMNS; i++) {
		const struct status_column *column = &status_columns[i];
		const char *heading = is_shown(status, i) ? column->name : NULL;

		if (column->is_now)
			cell_number(sheet, column->name, heading, status_count(cpu, column));
		else
			cell_counter(sheet, column->name, heading, status_count(cpu, column));
	}
}

static void add_cpus(struct sheet *sheet, const struct status *status)
{
	struct sheet all = { .key = "all", .form = SHEET_OBJECT, .is_sum = true }, cpus = { .key = "cpus" };

	sheet_row(&all);
	add_counts(&all, status, &status->all);
	cell_sheet(sheet, &all);
	for (uint32_t cpu = 0; cpu < status->module.nr_cpus; cpu++) {
		sheet_row(&cpus);
		add_counts(&cpus, status, &status->cpus[cpu]);
		cell_id(&cpus, "cpu", NULL, cpu);
	}
	cell_sheet(sheet, &cpus);
}

struct sheet status_sheet(struct session *s, const struct status *status)
{
	const struct kt_hello *hello = &s->dev.hello;
	struct sheet sheet = { .key = "status", .form = SHEET_OBJECT };
	AUTO_FREE char *buffer = status_buffer(hello);

	sheet_row(&sheet);
	add_recording(&sheet, s, &status->module);
	add_tracepoints(&sheet, hello, &status->module);
	add_brake(&sheet, &status->module);
	add_windows(&sheet, &status->module);
	cell_bytes(&sheet, "buffer_bytes", NULL, (uint64_t)hello->subbuf_bytes * hello->nr_subbufs);
	add_left_out(&sheet, s, status);
	cell_text(&sheet, NULL, "buffer", buffer);
	add_recordings(&sheet, status);
	add_processes(&sheet, status);
	add_versions(&sheet, s, status);
	add_calibration(&sheet, status);
	add_cpus(&sheet, status);
	return sheet;
}

static bool is_idle(const struct kt_cpu_status *cpu)
{
	for (size_t i = 0; i < STATUS_COLUMNS; i++)
		if (status_count(cpu, &status_columns[i]))
			return false;
	return true;
}

/* Name the columns that are left out: "none lost, discarded or filtered". */
static void say_none(const struct status *status, FILE *out)
{
	size_t none = 0, said = 0;

	for (size_t i = 0; i < STATUS_COLUMNS; i++)
		none += !is_shown(status, i);
	for (size_t i = 0; i < STATUS_COLUMNS; i++)
		if (!is_shown(status, i))
			fprintf(out, "%s%s", !said++ ? "none " : said < none ? ", " : " or ", status_columns[i].name);
	if (none)
		fputc('\n', out);
}

void status_counts(const struct status *status, FILE *out, bool colour)
{
	AUTO_SHEET struct sheet sheet = { .splits = true };
	uint32_t idle = 0;

	for (uint32_t cpu = 0; cpu < status->module.nr_cpus; cpu++) {
		idle += is_idle(&status->cpus[cpu]);
		if (is_idle(&status->cpus[cpu]))
			continue;
		sheet_row(&sheet);
		cell_format(&sheet, NULL, "records", "cpu %u", cpu);
		add_counts(&sheet, status, &status->cpus[cpu]);
	}
	sheet_row(&sheet);
	cell_text(&sheet, NULL, "records", "all");
	add_counts(&sheet, status, &status->all);
	fputc('\n', out);
	sheet_print(&sheet, SIZE_MAX, out, colour);
	say_none(status, out);
	if (idle)
		fprintf(out, "%u CPU%s met no tracepoint\n", idle, plural(idle));
}

void status_show(struct session *s, const struct status *status)
{
	AUTO_SHEET struct sheet sheet = status_sheet(s, status);

	sheet_write(&sheet, s->format, s->out, s->colour);
	if (s->format == PRINT_TEXT)
		status_counts(status, s->out, s->colour);
}
