// SPDX-License-Identifier: GPL-2.0-or-later
/* comm.c - see comm.h. */
#include "ctl/base/comm.h"

#include <stdio.h>
#include <string.h>

#include "ctl/base/memory.h"

bool comm_read(int pid, char name[KT_COMM_BYTES])
{
	AUTO_FREE char *path = mem_printf("/proc/%d/comm", pid);
	AUTO_CLOSE FILE *in = fopen(path, "re");

	*name = '\0';
	if (!in || !fgets(name, KT_COMM_BYTES, in))
		return false;
	name[strcspn(name, "\n")] = '\0';
	return true;
}
