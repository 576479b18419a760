/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * generate.h - machine code for capture programs, and for whole hits of static tracepoints and of jumps.  See kmod/text/code.h.
 *
 * Each function writes the code to out[room]; CPUs execute it at the address `at`.  It returns the bytes of the code, also if
 * there is not so much room: then `out` is not complete.  -EOPNOTSUPP: no code for this program, or none at this address; -ENOMEM.
 * Sleepable.
 */
#ifndef KTRACE_GENERATE_H
#define KTRACE_GENERATE_H

#include "core/capture.h"

struct kt_hit_code;

/* The code of a verified program, from `insns` to KT_OP_END. */
int kt_generate(const struct kt_insn *insns, u32 len, u8 *out, u32 room, unsigned long at);

/* The code of a hit. */
int kt_generate_hit(const struct kt_hit_code *what, u8 *out, u32 room, unsigned long at);
/* The code of a hit that chooses one of hits[nr] by the number of the system call.  There are kt_hits_room(nr). */
int kt_generate_cases(const struct kt_hit_code *what, void *const *hits, u32 nr, u8 *out, u32 room, unsigned long at);

#endif
