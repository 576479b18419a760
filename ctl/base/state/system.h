/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system.h - what /proc and /sys tell about the state of the system.
 *
 * A file that does not exist has no objects.  False, with err filled in: a file cannot be read, or the sink has failed.
 */
#ifndef KTRACE_STATE_SYSTEM_H
#define KTRACE_STATE_SYSTEM_H

#include "ctl/base/state/state.h"

/* Where to read, for whom, and the time of the objects. */
struct system_source {
	const char *root;
	const struct state_sink *sink;
	uint64_t time;
};

bool system_online_cpus(const struct system_source *from, struct error *err);
bool system_interrupts(const struct system_source *from, struct error *err);
bool system_modules(const struct system_source *from, struct error *err);
bool system_block_devices(const struct system_source *from, struct error *err);
bool system_interfaces(const struct system_source *from, struct error *err);

/* The command line of a process.  A process that has ended, or has none, is left out. */
bool system_cmdline(const struct system_source *from, int pid, struct error *err);

#endif
