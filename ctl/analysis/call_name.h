/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call_name.h - the names of system calls by their numbers, of the architecture for which this program was built. */
#ifndef KTRACE_CALL_NAME_H
#define KTRACE_CALL_NAME_H

#include <stdint.h>

/* NULL: no system call has this number, or it is newer than this program. */
const char *call_name(int64_t number);

#endif
