/* SPDX-License-Identifier: GPL-2.0-or-later */
/* execute.h - execute a trial, in place and displaced. */
#ifndef FIDELITY_EXECUTE_H
#define FIDELITY_EXECUTE_H

#include "displace.h"
#include "window.h"

struct result {
	struct outcome outcome;
	bool changed;			/* of the window; if false, `memory` is unused */
	u8 vectors[VECTOR_BYTES];
	u8 memory[WINDOW_BYTES];
};

/* Write the instructions and their pads to the text; remove them. */
void execute_stand(const struct trial *trial);
void execute_clear(const struct trial *trial, const struct displaced *displaced);

/*
 * A kernel has no red zone, so a method may use memory below the stack pointer. Put what it leaves there, for
 * the execution in place, too.
 */
void execute_leftovers(const struct trial *trial, const struct displaced *displaced);

void execute_in_place(const struct trial *trial, struct result *result);

/* Addresses in the displaced code are reported as those of the instructions that they carry out. */
void execute_displaced(const struct trial *trial, const struct displaced *displaced, struct result *result);

#endif
