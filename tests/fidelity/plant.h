/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plant.h - plant faults in the displaced code, which the harness must find. */
#ifndef FIDELITY_PLANT_H
#define FIDELITY_PLANT_H

#include "displace.h"

struct plant {
	const char *what;
	u8 method;		/* METHOD_*: the method whose code is changed */
	/* One of three: instructions to execute before the right code, .. */
	u8 before[MAX_INSN_SIZE], n;
	/* .. bytes in the code and their replacement, .. */
	u8 these[8], those[8], width;
	/* .. or a function that changes the code; it returns false if it does not apply. */
	bool (*spoil)(const struct trial *trial, u8 *code);
};

extern const struct plant plants[];
extern const unsigned int nr_plants;

/* Returns false if the fault does not apply to this trial. */
bool plant_spoil(const struct plant *plant, const struct trial *trial, struct displaced *displaced);

#endif
