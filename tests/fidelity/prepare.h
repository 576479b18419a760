/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prepare.h - give the instruction of a trial a state in which it does something. */
#ifndef FIDELITY_PREPARE_H
#define FIDELITY_PREPARE_H

#include "trial.h"

/*
 * Choose addresses, registers, memory, displacements and branch targets. The bytes may change; the window stays
 * patched until window_unpatch().
 */
void prepare(struct trial *trial);

#endif
