/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exclude.h - instructions that cannot be compared in user space, and instructions that must never be moved. */
#ifndef FIDELITY_EXCLUDE_H
#define FIDELITY_EXCLUDE_H

#include "trial.h"

#define MAX_EXCLUDED	32

/* The row of the table that excludes one of its instructions; -1: none. The state must be known. */
int exclude_find(const struct trial *trial);
const char *exclude_reason(int row);	/* NULL after the last row */

/* Why one of its instructions must be refused; NULL: none must be. */
const char *exclude_never(const struct trial *trial);

#endif
