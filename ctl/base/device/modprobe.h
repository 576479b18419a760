/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modprobe.h - load the module if it is installed. */
#ifndef KTRACE_MODPROBE_H
#define KTRACE_MODPROBE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if modprobe succeeded.  Else why is the first line of its error output, or "". */
bool modprobe(const char *module, char *why, size_t size);
/* The errno of which that line speaks; 0: of none that the kernel has for modules it does not take. */
int modprobe_errno(const char *why);

#endif
