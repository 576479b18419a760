/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - the state of the system before a recording starts: what exists, and what it does.
 *
 * Tasks, open files and mappings come from the module (core/abi_state.h), everything else from /proc and /sys.
 */
#ifndef KTRACE_STATE_DUMP_H
#define KTRACE_STATE_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"
#include "ctl/base/error.h"

struct device;

/* In all structs: `time` is in ticks of the records' clock; the object was read then or a little later. */

/* The command line of a user process. */
struct state_cmdline {
	uint64_t time;
	int32_t pid;
	const char *args;	/* each argument ends with a 0, but the last one may be cut off */
	size_t len;		/* bytes, at most STATE_MAX_CMDLINE */
};

#define STATE_MAX_CMDLINE 4096

struct state_module {
	uint64_t time;
	const char *name;
	const char *status;	/* "Live", "Loading" or "Unloading" */
	uint64_t bytes;
	uint64_t address;	/* 0: the kernel hides it */
};

/* An interrupt, once for each of its handlers. */
struct state_interrupt {
	uint64_t time;
	const char *label;	/* the first column of /proc/interrupts: "24", "NMI" */
	int number;		/* -1: the label is not a number */
	const char *chip;	/* "": not known */
	const char *action;	/* the name of the handler, or what the interrupt is for; "": none */
	uint64_t count;		/* how often it happened, on all CPUs */
};

/* A disk or a partition. */
struct state_block_device {
	uint64_t time;
	const char *name;
	uint32_t dev;		/* major << 20 | minor */
	uint64_t bytes;
};

/* A network interface of ktrace's own network namespace. */
struct state_interface {
	uint64_t time;
	const char *name;
	int index;
	const char *address;	/* of the hardware, as text; "": none */
};

struct state_online_cpu {
	uint64_t time;
	uint32_t cpu;
};

/*
 * Who gets the objects.  The functions are called in this order, each function for all objects of its kind; all may be
 * NULL.  Objects and their strings are valid during the call.  False with err filled in: the dump ends.
 */
struct state_sink {
	void *data;
	bool (*start)(void *data, uint64_t time, struct error *err);
	bool (*online_cpu)(void *data, const struct state_online_cpu *cpu, struct error *err);
	bool (*interrupt)(void *data, const struct state_interrupt *interrupt, struct error *err);
	bool (*module)(void *data, const struct state_module *module, struct error *err);
	bool (*block_device)(void *data, const struct state_block_device *device, struct error *err);
	bool (*interface)(void *data, const struct state_interface *interface, struct error *err);
	bool (*task)(void *data, const struct kt_state_task *task, struct error *err);
	bool (*pids)(void *data, const struct kt_state_pids *pids, struct error *err);
	bool (*file)(void *data, const struct kt_state_file *file, struct error *err);
	bool (*map)(void *data, const struct kt_state_map *map, struct error *err);
	bool (*cmdline)(void *data, const struct state_cmdline *cmdline, struct error *err);
	bool (*cpu)(void *data, const struct kt_state_cpu *cpu, struct error *err);
	/* If scheduling events are recorded, the state of every task is known from this time on. */
	bool (*end)(void *data, uint64_t time, struct error *err);
};

/*
 * Read the whole state.  It takes some milliseconds for each hundred processes.  root is a directory that has proc and
 * sys, "" for the system's own.  False: the module or a file of the system cannot be read, the sink has failed, or a
 * signal came (interrupt_pending()); the sink has got a part of the state then.
 */
bool state_dump(struct device *dev, const char *root, const struct state_sink *sink, struct error *err);

#endif
