/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entry.h - replaces the module's header: the copy of entry.S that trampolines reach. */
#ifndef SHIM_ENTRY_H
#define SHIM_ENTRY_H

#include "machine.h"

#define kt_x86_jump_special	machine_special(0)
#define kt_x86_direct_enter	machine_direct_enter()
#define kt_x86_calls_plainly()	false
#define kt_x86_thunk_of(jump)	((unsigned long)(jump))

#endif
