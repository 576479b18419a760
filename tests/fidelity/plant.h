/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plant.h - faults planted in the displaced code, which the harness has to find. */
#ifndef FIDELITY_PLANT_H
#define FIDELITY_PLANT_H

#include "displace.h"

struct plant {
	const char *what;
	u8 method;		/* METHOD_*, in whose code */
	/* One of three: what is executed in front of the right code, .. */
	u8 before[MAX_INSN_SIZE], n;
	/* .. bytes that are in the code and what they become, .. */
	u8 these[8], those[8], width;
	/* .. or a function that changes the code; false: does not apply. */
	bool (*spoil)(const struct trial *trial, u8 *code);
};

extern const struct plant plants[];
extern const unsigned int nr_plants;

/* False: it does not apply to this trial. */
bool plant_spoil(const struct plant *plant, const struct trial *trial, struct displaced *displaced);

#endif
