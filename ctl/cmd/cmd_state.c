// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_state.c - freeze, unfreeze and status. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/base/table.h"
#include "ctl/cmd/command.h"
#include "ctl/device/site.h"
#include "ctl/measure/calibration.h"
#include "ctl/session/session_target.h"

#define LABEL_WIDTH	13

/* Say what does not stop: the recordings of `record`, which have rings of their own. */
static bool say_what_goes_on(struct session *s, struct error *err)
{
	AUTO_FREE struct kt_recording_entry *entries = NULL;
	AUTO_FREE char *names = mem_strdup("");
	size_t n;

	if (!device_recordings(&s->dev, &entries, &n, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		char *longer = mem_printf("%s%s%.*s", names, i ? ", " : "", (int)sizeof(entries[i].name), entries[i].name);

		free(names);
		names = longer;
	}
	if (n)
		session_note(s, "the records of the prompt are frozen; %s on: %s ('record --stop NAME' ends one)",
			     n == 1 ? "a recording goes" : "recordings go", names);
	return true;
}

bool cmd_freeze(struct session *s, const struct words *words, struct error *err)
{
	return device_recording(&s->dev, KT_RECORDING_FREEZE, err) && say_what_goes_on(s, err);
}

bool cmd_unfreeze(struct session *s, const struct words *words, struct error *err)
{
	return device_recording(&s->dev, KT_RECORDING_UNFREEZE, err);
}

/* ----------------------------------------------------------------- counts */

/* The columns of the table of counts, ordered so that the sums are easy to check. */
static const struct count {
	const char *name;
	size_t offset;
} counts[] = {
	{ "recorded", offsetof(struct kt_cpu_status, recorded) },
	{ "cleared", offsetof(struct kt_cpu_status, cleared) },
	{ "pending", offsetof(struct kt_cpu_status, pending) },
	{ "lost", offsetof(struct kt_cpu_status, lost) },
	{ "discarded", offsetof(struct kt_cpu_status, discarded) },
	{ "recursed", offsetof(struct kt_cpu_status, recursed) },
	{ "filtered", offsetof(struct kt_cpu_status, filtered) },
	{ "frozen", offsetof(struct kt_cpu_status, frozen) },
	{ "braked", offsetof(struct kt_cpu_status, braked) },
	{ "measured", offsetof(struct kt_cpu_status, measured) },
};

struct state {
	struct kt_status status;
	struct kt_cpu_status *cpus;
	struct kt_cpu_status all;
	struct kt_clock clock;
	double tick_ns;
	struct calibration calibration;
	struct error why_not;		/* "": calibration succeeded */
	struct kt_recording_entry *recordings;
	size_t nr_recordings;
};

static uint64_t *count_in(struct kt_cpu_status *cpu, const struct count *count)
{
	return (uint64_t *)((char *)cpu + count->offset);
}

static uint64_t count_of(const struct kt_cpu_status *cpu, const struct count *count)
{
	return *(const uint64_t *)((const char *)cpu + count->offset);
}

static void add_up(struct state *state)
{
	for (size_t cpu = 0; cpu < state->status.nr_cpus; cpu++)
		for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
			*count_in(&state->all, &counts[i]) +=
				count_of(&state->cpus[cpu], &counts[i]);
}

static bool state_load(struct session *s, struct state *state, struct error *err)
{
	AUTO_FREE struct kt_anchor *anchors = NULL;
	struct kt_buffer buf = { 0 };

	*state = (struct state){ 0 };
	if (!device_clock(&s->dev, &state->clock, &anchors, err) ||
	    !device_buffer(&s->dev, &buf, err) ||
	    !device_status(&s->dev, &state->status, &state->cpus, err))
		return false;
	if (!device_recordings(&s->dev, &state->recordings, &state->nr_recordings, err)) {
		free(state->cpus);
		return false;
	}
	if (state->clock.ns_den)
		state->tick_ns = (double)state->clock.ns_num / state->clock.ns_den;
	add_up(state);
	/* Calibrate after reading the counts, so that its hits are not among them. */
	if (calibration_now(s, &state->calibration, &state->why_not))
		state->why_not.text[0] = '\0';
	return true;
}

/* ------------------------------------------------------------------- text */

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static FILE *label(struct session *s, const char *name)
{
	style_put(s->out, s->colour, STYLE_DIM, name, LABEL_WIDTH);
	return s->out;
}

static void say_recording(struct session *s, const struct state *state)
{
	FILE *out = label(s, "recording");

	if (state->status.frozen)
		fputs("frozen: 'unfreeze' restarts it\n", out);
	else if (state->status.late)
		fprintf(out, "on, freezes after %llu more record%s\n", state->status.late,
			plural(state->status.late));
	else
		fputs("on\n", out);
}

static void say_tracepoints(struct session *s, const struct state *state)
{
	const struct kt_status *status = &state->status;

	fprintf(label(s, "tracepoints"), "%u set, at most %u; %u of %u slots in use, in %u of %u areas\n",
		status->nr_sites, s->dev.hello.max_sites, status->nr_slots, status->max_slots,
		status->nr_areas, status->max_areas);
}

static void say_brake(struct session *s, const struct state *state)
{
	const struct kt_status *status = &state->status;
	FILE *out = label(s, "brake");

	if (!status->brake_percent) {
		fputs("off: the CPU time of tracepoints has no limit\n", out);
		return;
	}
	if (status->brake_cpus)
		fprintf(out, "on: %u CPU%s turn%s hits away; ", status->brake_cpus, plural(status->brake_cpus),
			status->brake_cpus == 1 ? "s" : "");
	fprintf(out, "hits are turned away where they take more than %u %% of a CPU", status->brake_percent);
	if (status->brakes)
		fprintf(out, ", as happened %llu time%s", status->brakes, plural(status->brakes));
	if (status->brake_off)
		fprintf(out, "; %u tracepoint%s off by it: 'list -v' marks them, 'trace' sets them again", status->brake_off,
			status->brake_off == 1 ? " is" : "s are");
	fputc('\n', out);
}

static void say_buffer(struct session *s)
{
	buffer_say(&s->dev.hello, label(s, "buffer"));
}

/* The recordings of other programs, a line each; nothing if there is none. */
static void say_recordings(struct session *s, const struct state *state)
{
	for (size_t i = 0; i < state->nr_recordings; i++) {
		const struct kt_recording_entry *r = &state->recordings[i];
		FILE *out = label(s, i ? "" : "recordings");

		fprintf(out, "%.*s: ", (int)sizeof(r->name), r->name);
		buffer_say_bytes(r->bytes, out);
		fprintf(out, " for each CPU, %llu record%s, %llu discarded", r->recorded, plural(r->recorded),
			r->discarded);
		if (r->pid)
			fprintf(out, ", pid %d", r->pid);
		fputs(r->frozen ? "; frozen\n" : "\n", out);
	}
}

/* The path of the debug information.  NULL: why says what it would provide and how to get it. */
static const char *debug_state(struct session *s, struct debug_error *why)
{
	struct debug *debug = session_symbols(s, NULL) ? session_debug(s) : NULL;
	struct debug_unit *unit = debug ? debug_unit_casual(debug, "", why) : NULL;

	if (!debug)
		snprintf(why->text, sizeof(why->text), "none is used");
	return unit ? debug_unit_path(unit) : NULL;
}

static void say_debug(struct session *s)
{
	struct debug_error why;
	const char *path = debug_state(s, &why);

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

static void say_versions(struct session *s, const struct state *state)
{
	const struct kt_hello *hello = &s->dev.hello;

	fprintf(label(s, "clock"), "%.*s, resolution %.3f ns\n", (int)sizeof(state->clock.name),
		state->clock.name, state->tick_ns);
	say_symbols(s);
	fprintf(label(s, "module"), "ktrace %.*s, control ABI %u, trace format %u\n",
		(int)sizeof(hello->version), hello->version, hello->abi, hello->format);
}

/* The methods that the ends of a call can have. */
static const uint8_t calibrated[] = { KT_METHOD_JUMP, KT_METHOD_BREAKPOINT };

static const struct correction *cost_by(const struct state *state, size_t method)
{
	return &state->calibration.by[method][method];
}

static void say_cost(const struct state *state, size_t method, FILE *out)
{
	const struct correction *c = cost_by(state, method);
	char cost[DURATION_SIZE], low[DURATION_SIZE], high[DURATION_SIZE];

	if (!c->known)
		fprintf(out, "%s none in time, ", site_method(method));
	else
		fprintf(out, "%s %s (%s to %s), ", site_method(method), duration_text(c->cost * state->tick_ns, cost),
			duration_text(c->low * state->tick_ns, low), duration_text(c->high * state->tick_ns, high));
}

static void say_calibration(struct session *s, const struct state *state)
{
	FILE *out = label(s, "calibration");

	if (state->why_not.text[0]) {
		fprintf(out, "none: %s\n", state->why_not.text);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(calibrated); i++)
		say_cost(state, calibrated[i], out);
	fputs("entry and return of a call together\n", out);
}

static void add_row(struct table *table, const struct kt_cpu_status *cpu)
{
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		table_add(table, "%" PRIu64, count_of(cpu, &counts[i]));
}

static bool is_idle(const struct kt_cpu_status *cpu)
{
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		if (count_of(cpu, &counts[i]))
			return false;
	return true;
}

/* Returns the number of idle CPUs, which are left out. */
static uint32_t add_cpus(struct table *table, const struct state *state)
{
	uint32_t idle = 0;

	for (uint32_t cpu = 0; cpu < state->status.nr_cpus; cpu++) {
		if (is_idle(&state->cpus[cpu])) {
			idle++;
			continue;
		}
		table_add(table, "cpu %u", cpu);
		add_row(table, &state->cpus[cpu]);
	}
	return idle;
}

static void say_counts(struct session *s, const struct state *state)
{
	AUTO_TABLE struct table table = { .align = "lrrrrrrrrrr" };
	uint32_t idle;

	table_add(&table, "records");
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		table_add(&table, "%s", counts[i].name);
	idle = add_cpus(&table, state);
	table_add(&table, "all");
	add_row(&table, &state->all);
	fputc('\n', s->out);
	table_print(&table, true, s->out, s->colour);
	if (idle)
		fprintf(s->out, "%u CPU%s met no tracepoint\n", idle, plural(idle));
}

static void state_text(struct session *s, const struct state *state)
{
	say_recording(s, state);
	say_tracepoints(s, state);
	say_brake(s, state);
	say_buffer(s);
	say_recordings(s, state);
	say_versions(s, state);
	say_calibration(s, state);
	say_counts(s, state);
}

/* ------------------------------------------------------------------- JSON */

static void put_counts(struct json *j, const struct kt_cpu_status *cpu)
{
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		json_number(j, counts[i].name, count_of(cpu, &counts[i]));
}

static void put_all(struct json *j, const struct state *state)
{
	json_open(j, "all");
	put_counts(j, &state->all);
	json_close(j);
	json_open_array(j, "cpus");
	for (uint32_t cpu = 0; cpu < state->status.nr_cpus; cpu++) {
		json_open(j, NULL);
		put_counts(j, &state->cpus[cpu]);
		json_number(j, "cpu", cpu);
		json_close(j);
	}
	json_close(j);
}

static void put_cost(struct json *j, const struct state *state, size_t method)
{
	const struct correction *c = cost_by(state, method);

	if (state->why_not.text[0] || !c->known) {
		json_null(j, site_method(method));
		return;
	}
	json_open(j, site_method(method));
	json_real(j, "cost_ns", c->cost * state->tick_ns);
	json_real(j, "cost_low_ns", c->low * state->tick_ns);
	json_real(j, "cost_high_ns", c->high * state->tick_ns);
	json_close(j);
}

static void put_calibration(struct json *j, const struct state *state)
{
	const char *why_not = state->why_not.text;

	json_open(j, "calibration");
	json_text(j, "why_not", *why_not ? why_not : NULL);
	json_number(j, "calls", *why_not ? 0 : state->calibration.calls);
	for (size_t i = 0; i < ARRAY_SIZE(calibrated); i++)
		put_cost(j, state, calibrated[i]);
	json_close(j);
}

static void put_brake(struct json *j, const struct kt_status *status)
{
	json_open(j, "brake");
	json_number(j, "percent", status->brake_percent);
	json_number(j, "cpus", status->brake_cpus);
	json_number(j, "times", status->brakes);
	json_number(j, "tracepoints_off", status->brake_off);
	json_close(j);
}

static void put_recordings(struct json *j, const struct state *state)
{
	json_open_array(j, "recordings");
	for (size_t i = 0; i < state->nr_recordings; i++) {
		const struct kt_recording_entry *r = &state->recordings[i];
		char name[sizeof(r->name) + 1] = "";

		memcpy(name, r->name, sizeof(r->name));
		json_open(j, NULL);
		json_text(j, "name", name);
		json_number(j, "pid", r->pid);
		json_number(j, "buffer_bytes", r->bytes);
		json_boolean(j, "overwrite", r->mode == KT_MODE_OVERWRITE);
		json_number(j, "recorded", r->recorded);
		json_number(j, "discarded", r->discarded);
		json_boolean(j, "frozen", r->frozen);
		json_close(j);
	}
	json_close(j);
}

static void state_json(struct session *s, const struct state *state)
{
	const struct kt_hello *hello = &s->dev.hello;
	const struct kt_status *status = &state->status;
	struct json j = json_typed(s->out, "status");
	struct debug_error why;
	const char *debug_path = debug_state(s, &why);
	char version[sizeof(hello->version) + 1] = "", clock[sizeof(state->clock.name) + 1] = "";

	memcpy(version, hello->version, sizeof(hello->version));
	memcpy(clock, state->clock.name, sizeof(state->clock.name));
	json_boolean(&j, "frozen", status->frozen);
	json_number(&j, "latefreeze", status->late);
	json_number(&j, "tracepoints", status->nr_sites);
	json_number(&j, "max_tracepoints", hello->max_sites);
	json_number(&j, "slots", status->nr_slots);
	json_number(&j, "max_slots", status->max_slots);
	json_number(&j, "areas", status->nr_areas);
	json_number(&j, "max_areas", status->max_areas);
	json_number(&j, "descriptors", status->nr_descs);
	json_number(&j, "stray", status->stray);
	put_brake(&j, status);
	json_number(&j, "buffer_bytes", (uint64_t)hello->subbuf_bytes * hello->nr_subbufs);
	put_recordings(&j, state);
	json_boolean(&j, "overwrite", !!(hello->features & KT_FEATURE_OVERWRITE));
	json_text(&j, "clock", clock);
	json_real(&j, "resolution_ns", state->tick_ns);
	json_text(&j, "symbols", session_symbols(s, NULL) ? s->kallsyms : "");
	json_text(&j, "debug_info", debug_path ? debug_path : "");
	json_text(&j, "module", version);
	json_number(&j, "abi", hello->abi);
	json_number(&j, "format", hello->format);
	put_calibration(&j, state);
	put_all(&j, state);
	json_end(&j);
}

bool cmd_status(struct session *s, const struct words *words, struct error *err)
{
	struct state state;

	if (!state_load(s, &state, err))
		return false;
	if (s->format == PRINT_JSON)
		state_json(s, &state);
	else
		state_text(s, &state);
	free(state.cpus);
	free(state.recordings);
	return true;
}
