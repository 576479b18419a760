/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process_modes.h - what the recorded processes of test_process.c do. */
#ifndef KTRACE_PROCESS_MODES_H
#define KTRACE_PROCESS_MODES_H

#include "recorded.h"

#define STORM	2000	/* threads of the mode "storm" */
#define LOADS	300	/* of the library in "libraries": more than there are short ids */
#define SITES	12	/* that each process of "many_forks" hits */
#define ROUNDS	60	/* of "many_forks" in one directory */

extern const struct recorded_mode process_modes[];
extern const size_t nr_process_modes;

#endif
