/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hit.h - replaces the module's header: a hit calls the harness, at an address that a trampoline reaches. */
#ifndef SHIM_HIT_H
#define SHIM_HIT_H

#include "machine.h"

#define kt_hit_jump	MACHINE_HIT
#define kt_hit_jump_all	MACHINE_HIT

#endif
