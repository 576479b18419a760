// SPDX-License-Identifier: GPL-2.0-or-later
/* status.c - ask the module for its state.  See status.h. */
#include "ctl/show/status/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/device/registered.h"
#include "ctl/base/memory.h"

#define COUNT(name, is_now)	{ #name, offsetof(struct kt_cpu_status, name), is_now }

const struct status_column status_columns[STATUS_COLUMNS] = {
	COUNT(recorded, false), COUNT(cleared, false), COUNT(pending, true), COUNT(lost, false), COUNT(discarded, false),
	COUNT(recursed, false), COUNT(filtered, false), COUNT(frozen, false), COUNT(braked, false), COUNT(measured, false),
};

static uint64_t *count_in(struct kt_cpu_status *cpu, const struct status_column *column)
{
	return (uint64_t *)((char *)cpu + column->offset);
}

uint64_t status_count(const struct kt_cpu_status *cpu, const struct status_column *column)
{
	return *(const uint64_t *)((const char *)cpu + column->offset);
}

static void add_up(struct status *status)
{
	for (size_t cpu = 0; cpu < status->module.nr_cpus; cpu++)
		for (size_t i = 0; i < STATUS_COLUMNS; i++)
			*count_in(&status->all, &status_columns[i]) +=
				status_count(&status->cpus[cpu], &status_columns[i]);
}

static void list_left_out(struct status *status, const struct terminal *terminal)
{
	status->left_out[0] = (struct terminal_holder){ getpid(), "ktrace" };
	memcpy(status->left_out + 1, terminal->holders, terminal->n * sizeof(*terminal->holders));
	status->nr_left_out = 1 + terminal->n;
}

/* Their module may not be loaded; then there are none. */
static void count_processes(struct status *status)
{
	struct registrar r;
	struct registered all;

	if (!registrar_open_loaded(&r))
		return;
	if (registered_list(&r, &all, NULL)) {
		for (size_t i = 0; i < all.n; i++) {
			status->registered += !(all.v[i].flags & KT_USER_ENDED);
			status->recorded += all.v[i].flags & KT_USER_ON;
		}
		status->refused = all.refused;
	}
	free(all.v);
	registrar_close(&r);
}

bool status_load(struct session *s, struct status *status, struct error *err)
{
	AUTO_FREE struct kt_anchor *anchors = NULL;
	struct kt_buffer buf = { 0 };

	*status = (struct status){ 0 };
	if (!device_clock(&s->dev, &status->clock, &anchors, err) ||
	    !device_buffer(&s->dev, &buf, err) ||
	    !device_status(&s->dev, &status->module, &status->cpus, err))
		return false;
	if (!device_recordings(&s->dev, &status->recordings, &status->nr_recordings, err)) {
		free(status->cpus);
		return false;
	}
	if (status->clock.ns_den)
		status->tick_ns = (double)status->clock.ns_num / status->clock.ns_den;
	count_processes(status);
	add_up(status);
	list_left_out(status, &s->terminal);
	/* Calibrate after reading the counts, so that its hits are not among them. */
	if (calibration_now(s, &status->calibration, &status->why_not))
		status->why_not.text[0] = '\0';
	return true;
}

void status_free(struct status *status)
{
	free(status->cpus);
	free(status->recordings);
}

const struct correction *status_cost(const struct status *status, size_t method)
{
	return &status->calibration.by[method][method];
}

const char *status_debug(struct session *s, struct debug_error *why)
{
	struct debug *debug = session_symbols(s, NULL) ? session_debug(s) : NULL;
	struct debug_unit *unit = debug ? debug_unit_casual(debug, "", why) : NULL;

	if (!debug)
		snprintf(why->text, sizeof(why->text), "none is used");
	return unit ? debug_unit_path(unit) : NULL;
}
