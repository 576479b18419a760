// SPDX-License-Identifier: GPL-2.0-or-later
/* status_json.c - the state of the module as JSON. */
#include <string.h>

#include "ctl/base/device/site.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/put.h"
#include "ctl/live/session/frozen.h"
#include "ctl/show/status/status.h"

static void put_counts(struct json *j, const struct kt_cpu_status *cpu)
{
	for (size_t i = 0; i < STATUS_COLUMNS; i++)
		json_number(j, status_columns[i].name, status_count(cpu, &status_columns[i]));
}

static void put_all(struct json *j, const struct status *status)
{
	json_open(j, "all");
	put_counts(j, &status->all);
	json_close(j);
	json_open_array(j, "cpus");
	for (uint32_t cpu = 0; cpu < status->module.nr_cpus; cpu++) {
		json_open(j, NULL);
		put_counts(j, &status->cpus[cpu]);
		json_number(j, "cpu", cpu);
		json_close(j);
	}
	json_close(j);
}

static void put_cost(struct json *j, const struct status *status, size_t method)
{
	const struct correction *c = status_cost(status, method);

	if (status->why_not.text[0] || !c->known) {
		json_null(j, site_method(method));
		return;
	}
	json_open(j, site_method(method));
	json_real(j, "cost_ns", c->cost * status->tick_ns);
	json_real(j, "cost_low_ns", c->low * status->tick_ns);
	json_real(j, "cost_high_ns", c->high * status->tick_ns);
	json_close(j);
}

static void put_calibration(struct json *j, const struct status *status)
{
	const char *why_not = status->why_not.text;

	json_open(j, "calibration");
	json_text(j, "why_not", *why_not ? why_not : NULL);
	json_number(j, "calls", *why_not ? 0 : status->calibration.calls);
	for (size_t i = 0; i < STATUS_METHODS; i++)
		put_cost(j, status, status_methods[i]);
	json_close(j);
}

static void put_brake(struct json *j, const struct kt_status *module)
{
	json_open(j, "brake");
	json_number(j, "percent", module->brake_percent);
	json_number(j, "cpus", module->brake_cpus);
	json_number(j, "times", module->brakes);
	json_number(j, "tracepoints_off", module->brake_off);
	json_close(j);
}

static void put_windows(struct json *j, const struct kt_status *module)
{
	json_open(j, "windows");
	json_number(j, "times", module->windows);
	json_boolean(j, "open", module->window_open);
	json_close(j);
}

static void put_left_out(struct json *j, const struct status *status)
{
	json_open_array(j, "left_out");
	for (size_t i = 0; i < status->nr_left_out; i++) {
		json_open(j, NULL);
		json_number(j, "pid", (uint64_t)status->left_out[i].pid);
		json_text(j, "name", status->left_out[i].name);
		json_close(j);
	}
	json_close(j);
}

static void put_recordings(struct json *j, const struct status *status)
{
	json_open_array(j, "recordings");
	for (size_t i = 0; i < status->nr_recordings; i++) {
		const struct kt_recording_entry *r = &status->recordings[i];
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

static void put_frozen(struct json *j, struct session *s, const struct kt_status *module)
{
	AUTO_FREE char *name = frozen_by(s, module);
	const int64_t since = frozen_wall_ns(s, module);
	char ns[PUT_DIGITS];

	put_format_signed(ns, since);
	json_boolean(j, "frozen", module->frozen);
	json_text(j, "frozen_time_ns", since ? ns : NULL);
	json_text(j, "frozen_by", name);
}

void status_json(struct session *s, const struct status *status)
{
	const struct kt_hello *hello = &s->dev.hello;
	const struct kt_status *module = &status->module;
	struct json j = json_typed(s->out, "status");
	struct debug_error why;
	const char *debug_path = status_debug(s, &why);
	char version[sizeof(hello->version) + 1] = "", clock[sizeof(status->clock.name) + 1] = "";

	memcpy(version, hello->version, sizeof(hello->version));
	memcpy(clock, status->clock.name, sizeof(status->clock.name));
	put_frozen(&j, s, module);
	json_number(&j, "latefreeze", module->late);
	json_number(&j, "tracepoints", module->nr_sites);
	json_number(&j, "max_tracepoints", hello->max_sites);
	json_number(&j, "slots", module->nr_slots);
	json_number(&j, "max_slots", module->max_slots);
	json_number(&j, "areas", module->nr_areas);
	json_number(&j, "max_areas", module->max_areas);
	json_number(&j, "descriptors", module->nr_descs);
	json_number(&j, "stray", module->stray);
	put_brake(&j, module);
	put_windows(&j, module);
	json_number(&j, "buffer_bytes", (uint64_t)hello->subbuf_bytes * hello->nr_subbufs);
	put_left_out(&j, status);
	json_boolean(&j, "terminal_known", !s->terminal.is_unknown);
	put_recordings(&j, status);
	json_open(&j, "processes");
	json_number(&j, "registered", status->registered);
	json_number(&j, "being_recorded", status->recorded);
	json_number(&j, "refused", status->refused);
	json_close(&j);
	json_boolean(&j, "overwrite", !!(hello->features & KT_FEATURE_OVERWRITE));
	json_text(&j, "clock", clock);
	json_real(&j, "resolution_ns", status->tick_ns);
	json_text(&j, "symbols", session_symbols(s, NULL) ? s->kallsyms : "");
	json_text(&j, "debug_info", debug_path ? debug_path : "");
	json_text(&j, "module", version);
	json_number(&j, "abi", hello->abi);
	json_number(&j, "format", hello->format);
	put_calibration(&j, status);
	put_all(&j, status);
	json_end(&j);
}
