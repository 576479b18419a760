/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comm.h - the name of a task. */
#ifndef KTRACE_COMM_H
#define KTRACE_COMM_H

#include <stdbool.h>

#include "core/ktrace_abi.h"

/* As the kernel has it: any bytes.  False: there is no such task, and the name is empty. */
bool comm_read(int pid, char name[KT_COMM_BYTES]);

#endif
