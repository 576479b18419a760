/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exclude.h - what cannot be compared in user space, and what must never be executed elsewhere. */
#ifndef FIDELITY_EXCLUDE_H
#define FIDELITY_EXCLUDE_H

#include "trial.h"

#define MAX_EXCLUDED	32

/* The row of the table that excludes one of its instructions, -1 when none does. The state is known. */
int exclude_find(const struct trial *trial);
const char *exclude_reason(int row);	/* NULL behind the last */

/* Why one of its instructions has to be refused; NULL when none has to be. */
const char *exclude_never(const struct trial *trial);

#endif
