/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prepare.h - give a trial's instruction a state in which it does something. */
#ifndef FIDELITY_PREPARE_H
#define FIDELITY_PREPARE_H

#include "trial.h"

/*
 * Where it stands and is executed; registers, memory, displacements and branch
 * targets. The bytes may change; the window is patched until window_unpatch().
 */
void prepare(struct trial *trial);

#endif
