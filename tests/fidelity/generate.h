/* SPDX-License-Identifier: GPL-2.0-or-later */
/* generate.h - random instructions. */
#ifndef FIDELITY_GENERATE_H
#define FIDELITY_GENERATE_H

#include "trial.h"

/* Random bytes in the form prefixes, opcode, ModRM ..: bytes[MAX_INSN_SIZE]. */
void generate_any(struct rng *rng, u8 *bytes);

/* The same for branches, calls and returns. */
void generate_branch(struct rng *rng, u8 *bytes);

#endif
