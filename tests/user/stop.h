/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stop.h - a hardware breakpoint in a thread that the caller traces, and that is stopped: tests/user/ARCH/stop.c. */
#ifndef KTRACE_STOP_H
#define KTRACE_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The thread stops by SIGTRAP before it executes the instruction there.  False: errno is set; the machine may have none. */
bool stop_set(pid_t pid, uint64_t ip);
bool stop_clear(pid_t pid);

#endif
