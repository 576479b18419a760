/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modprobe.h - load the module when it is installed. */
#ifndef KTRACE_MODPROBE_H
#define KTRACE_MODPROBE_H

#include <stdbool.h>
#include <stddef.h>

/* True when modprobe succeeded; else why holds the first line it said, or "". */
bool modprobe(const char *module, char *why, size_t size);

#endif
