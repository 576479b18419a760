// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_state.c - freeze, unfreeze and status. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/command.h"
#include "ctl/json_out.h"
#include "ctl/memory.h"

bool cmd_freeze(struct session *s, const struct words *words, struct error *err)
{
	(void)words;
	return device_gate(&s->dev, KT_GATE_FREEZE, err);
}

bool cmd_unfreeze(struct session *s, const struct words *words, struct error *err)
{
	(void)words;
	return device_gate(&s->dev, KT_GATE_UNFREEZE, err);
}

/* ----------------------------------------------------------------- counts */

/* One column of the table of counts, in the order of the accounts they balance. */
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
};

struct state {
	struct kt_status status;
	struct kt_cpu_status *cpus;
	struct kt_cpu_status all;
	struct kt_clock clock;
	double tick_ns;
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

	*state = (struct state){ 0 };
	if (!device_clock(&s->dev, &state->clock, &anchors, err) ||
	    !device_status(&s->dev, &state->status, &state->cpus, err))
		return false;
	if (state->clock.ns_den)
		state->tick_ns = (double)state->clock.ns_num / state->clock.ns_den;
	add_up(state);
	return true;
}

/* ------------------------------------------------------------------- text */

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void say_bytes(FILE *out, uint64_t bytes)
{
	if (bytes >= 1 << 20 && !(bytes % (1 << 20)))
		fprintf(out, "%" PRIu64 " MiB", bytes >> 20);
	else
		fprintf(out, "%" PRIu64 " KiB", bytes >> 10);
}

static void say_recording(FILE *out, const struct state *state)
{
	fputs("recording    ", out);
	if (state->status.frozen)
		fputs("frozen: 'unfreeze' restarts it\n", out);
	else if (state->status.late)
		fprintf(out, "on, freezes after %llu more record%s\n", state->status.late,
			plural(state->status.late));
	else
		fputs("on\n", out);
}

static void say_tracepoints(FILE *out, const struct state *state, const struct kt_hello *hello)
{
	fprintf(out, "tracepoints  %u of at most %u set; %u of %u slots, %u descriptor%s kept\n",
		state->status.nr_sites, hello->max_sites, state->status.nr_slots,
		state->status.max_slots, state->status.nr_descs,
		plural(state->status.nr_descs));
}

static void say_buffer(FILE *out, const struct kt_hello *hello)
{
	fputs("buffer       ", out);
	say_bytes(out, (uint64_t)hello->subbuf_bytes * hello->nr_subbufs);
	fprintf(out, " for each of %u processor%s; ", hello->nr_cpus, plural(hello->nr_cpus));
	fputs(hello->features & KT_FEATURE_OVERWRITE ? "new records overwrite old ones\n"
						     : "what finds no room is discarded\n", out);
}

static void say_symbols(struct session *s, FILE *out)
{
	struct error err;

	if (session_symbols(s, &err))
		fprintf(out, "symbols      %s, %zu of them\n", s->kallsyms, symtab_count(s->tab));
	else
		fprintf(out, "symbols      none: %s\n", err.text);
	fputs("debug info   none is used\n", out);
}

static void say_module(FILE *out, const struct kt_hello *hello)
{
	fprintf(out, "module       ktrace %.*s, control ABI %u, trace format %u\n",
		(int)sizeof(hello->version), hello->version, hello->abi, hello->format);
}

/* Wide enough for its name and for its sum. */
static int column_width(const struct state *state, const struct count *count)
{
	int name = strlen(count->name);
	int digits = snprintf(NULL, 0, "%" PRIu64, count_of(&state->all, count));

	return digits > name ? digits : name;
}

static void say_row(FILE *out, const struct state *state, const char *name,
		    const struct kt_cpu_status *cpu)
{
	fprintf(out, "%-8s", name);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		fprintf(out, "  %*" PRIu64, column_width(state, &counts[i]),
			count_of(cpu, &counts[i]));
	fputc('\n', out);
}

static bool is_idle(const struct kt_cpu_status *cpu)
{
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		if (count_of(cpu, &counts[i]))
			return false;
	return true;
}

static void say_counts(FILE *out, const struct state *state)
{
	uint32_t idle = 0;

	fprintf(out, "\n%-8s", "records");
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		fprintf(out, "  %*s", column_width(state, &counts[i]), counts[i].name);
	fputc('\n', out);
	for (uint32_t cpu = 0; cpu < state->status.nr_cpus; cpu++) {
		char name[16];

		snprintf(name, sizeof(name), "cpu %u", cpu);
		if (is_idle(&state->cpus[cpu]))
			idle++;
		else
			say_row(out, state, name, &state->cpus[cpu]);
	}
	say_row(out, state, "all", &state->all);
	if (idle)
		fprintf(out, "%u processor%s met no tracepoint\n", idle, plural(idle));
}

static void state_text(struct session *s, const struct state *state)
{
	say_recording(s->out, state);
	say_tracepoints(s->out, state, &s->dev.hello);
	say_buffer(s->out, &s->dev.hello);
	fprintf(s->out, "clock        %.*s, resolution %.3f ns\n", (int)sizeof(state->clock.name),
		state->clock.name, state->tick_ns);
	say_symbols(s, s->out);
	say_module(s->out, &s->dev.hello);
	say_counts(s->out, state);
}

/* ------------------------------------------------------------------- JSON */

static struct json_object *json_counts(const struct kt_cpu_status *cpu)
{
	struct json_object *o = json_object_new_object();

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		json_put_number(o, counts[i].name, count_of(cpu, &counts[i]));
	return o;
}

static struct json_object *json_cpus(const struct state *state)
{
	struct json_object *cpus = json_object_new_array();

	for (uint32_t cpu = 0; cpu < state->status.nr_cpus; cpu++) {
		struct json_object *o = json_counts(&state->cpus[cpu]);

		json_put_number(o, "cpu", cpu);
		json_object_array_add(cpus, o);
	}
	return cpus;
}

static void state_json(struct session *s, const struct state *state)
{
	const struct kt_hello *hello = &s->dev.hello;
	const struct kt_status *status = &state->status;
	struct json_object *o = json_typed("status");
	char version[sizeof(hello->version) + 1] = "", clock[sizeof(state->clock.name) + 1] = "";

	memcpy(version, hello->version, sizeof(hello->version));
	memcpy(clock, state->clock.name, sizeof(state->clock.name));
	json_put_bool(o, "frozen", status->frozen);
	json_put_number(o, "latefreeze", status->late);
	json_put_number(o, "tracepoints", status->nr_sites);
	json_put_number(o, "max_tracepoints", hello->max_sites);
	json_put_number(o, "slots", status->nr_slots);
	json_put_number(o, "max_slots", status->max_slots);
	json_put_number(o, "descriptors", status->nr_descs);
	json_put_number(o, "stray", status->stray);
	json_put_number(o, "buffer_bytes", (uint64_t)hello->subbuf_bytes * hello->nr_subbufs);
	json_put_bool(o, "overwrite", !!(hello->features & KT_FEATURE_OVERWRITE));
	json_put_text(o, "clock", clock);
	json_object_object_add(o, "resolution_ns", json_object_new_double(state->tick_ns));
	json_put_text(o, "symbols", session_symbols(s, NULL) ? s->kallsyms : "");
	json_put_text(o, "module", version);
	json_put_number(o, "abi", hello->abi);
	json_put_number(o, "format", hello->format);
	json_object_object_add(o, "all", json_counts(&state->all));
	json_object_object_add(o, "cpus", json_cpus(state));
	json_line(o, s->out);
}

bool cmd_status(struct session *s, const struct words *words, struct error *err)
{
	struct state state;

	(void)words;
	if (!state_load(s, &state, err))
		return false;
	if (s->format == PRINT_JSON)
		state_json(s, &state);
	else
		state_text(s, &state);
	free(state.cpus);
	return true;
}
