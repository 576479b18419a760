// SPDX-License-Identifier: GPL-2.0-or-later
/* call_names.c - the names of system calls by their numbers, as the C library's headers have them. */
#include <asm/unistd.h>

#include "ctl/base/memory.h"
#include "ctl/events/calls.h"

#define CALL(name)	[__NR_##name] = #name,

static const char *const names[] = {
#include "call_names.h"
};

const char *call_name(unsigned int number)
{
	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}
