/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.h - print a finding for people. */
#ifndef FIDELITY_REPORT_H
#define FIDELITY_REPORT_H

#include <stdio.h>

#include "compare.h"

/* The instruction in place and, if there is one, the displaced code. */
void report_code(FILE *to, const struct trial *trial, const struct displaced *displaced);

/* Both outcomes, and the state before. */
void report_states(FILE *to, const struct trial *trial, const struct result *in_place,
		   const struct result *displaced, const struct differences *differences);

#endif
