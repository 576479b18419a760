/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu.h - execute code in a given CPU state, and observe how it ends. */
#ifndef FIDELITY_CPU_H
#define FIDELITY_CPU_H

#include <signal.h>

#include "rng.h"
#include "state.h"

#define CPU_NR_VECTORS	64
#define CPU_NO_END	SIGVTALRM	/* the signal for an execution that does not end */

/* Call once in each process. Returns NULL, or what the CPU or the kernel lacks. */
const char *cpu_init(void);

/* Random x87, SSE, AVX and AVX-512 states; the same for the same seed. */
void cpu_fill_vectors(u64 seed);
const u8 *cpu_vector(unsigned int number);

/*
 * Execute from state->rip to a pad, a signal, or the time limit. vector_out[VECTOR_BYTES] gets the x87 and
 * vector state, with components in their initial state written out.
 */
void cpu_run(const struct state *state, const u8 *vectors, struct outcome *out, u8 *vector_out);

#endif
