/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operand.h - the memory operand of one of a trial's instructions: aim it at an address. */
#ifndef FIDELITY_OPERAND_H
#define FIDELITY_OPERAND_H

#include "trial.h"

/*
 * Change displacement and registers so that the operand lies at a linear
 * address, where that is possible. The subject has to be decoded again.
 */
void operand_aim(struct trial *trial, unsigned int which, u64 linear);

/* The linear address of the operand, with the trial's registers or others. */
u64 operand_linear(const struct trial *trial, unsigned int which);
u64 operand_linear_in(const struct trial *trial, unsigned int which, const struct state *state);

/* Its displacement or absolute address has 32 bits only, or it is addressed by 32-bit registers. */
bool operand_is_low(const struct trial *trial, unsigned int which);

/* Locked, by a prefix or by itself. */
bool operand_is_locked(const struct trial *trial, unsigned int which);

/*
 * Locked and perhaps across two cache lines: CPU, kernel or hypervisor
 * may hold that up for seconds, on purpose.
 */
bool operand_splits_lock(const struct trial *trial, unsigned int which);

/* The base that an fs or gs prefix adds. */
u64 operand_segment_base(const struct trial *trial, unsigned int which);

#endif
