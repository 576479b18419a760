/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - run a capture program here, on the memory that is looked at, in place of in a hit.
 *
 * The verifier and the interpreter are those of the module (core/capture.c, core/capture_run.c).  There are no
 * registers, no call and no stack; of the task only its address is known.
 */
#ifndef KTRACE_MACHINE_H
#define KTRACE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"
#include "ctl/base/error.h"

struct memory;

struct machine {
	const struct memory *memory;
	/* The address of the task that `current` means.  False: err is set. */
	bool (*task)(void *arg, uint64_t *addr, struct error *err);
	void *arg;
	uint64_t current;	/* found by task(); 0: not asked for yet */
};

/*
 * Run a program that has no filter.  out has room for KT_MAX_PAYLOAD bytes; returns the bytes that it emitted, -1: err is
 * set, for instance because the program needs what exists only at a tracepoint.
 */
int machine_run(struct machine *machine, const struct kt_insn *prog, size_t len, void *out, struct error *err);

#endif
