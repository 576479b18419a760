// SPDX-License-Identifier: GPL-2.0-or-later
/* call_name.c - see call_name.h. */
#include "ctl/analysis/call_name.h"

#include <stddef.h>

#include "call_names.h"	/* of the architecture */

const char *call_name(int64_t number)
{
	return number >= 0 && number < (int64_t)(sizeof(call_names) / sizeof(*call_names)) ? call_names[number] : NULL;
}
