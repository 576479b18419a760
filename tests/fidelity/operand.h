/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operand.h - the memory operand of an instruction of a trial: move it to an address. */
#ifndef FIDELITY_OPERAND_H
#define FIDELITY_OPERAND_H

#include "trial.h"

/*
 * Change displacement and registers so that the operand has this linear address, if possible. The caller must
 * decode the subject again.
 */
void operand_aim(struct trial *trial, unsigned int which, u64 linear);

/* The linear address of the operand, with the registers of the trial or with others. */
u64 operand_linear(const struct trial *trial, unsigned int which);
u64 operand_linear_in(const struct trial *trial, unsigned int which, const struct state *state);

/* Does its displacement or absolute address have only 32 bits, or is it addressed by 32-bit registers? */
bool operand_is_low(const struct trial *trial, unsigned int which);

/* Is it locked, by a prefix or implicitly? */
bool operand_is_locked(const struct trial *trial, unsigned int which);

/*
 * Is it locked, and does it perhaps cross a cache line? CPU, kernel or hypervisor may delay that for seconds,
 * on purpose.
 */
bool operand_splits_lock(const struct trial *trial, unsigned int which);

/* The base that the fs or gs prefix adds. */
u64 operand_segment_base(const struct trial *trial, unsigned int which);

#endif
