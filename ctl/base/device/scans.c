// SPDX-License-Identifier: GPL-2.0-or-later
/* scans.c - lists of the text from which sites were chosen.  See device.h. */
#include <stdlib.h>

#include "ctl/base/device/device.h"
#include "ctl/base/memory.h"

void scans_add(struct scans *scans, struct kt_scan scan)
{
	scans->v = MEM_MORE(scans->v, scans->n);
	scans->v[scans->n++] = scan;
}

void scans_take(struct scans *to, struct scans *from)
{
	for (size_t i = 0; i < from->n; i++)
		scans_add(to, from->v[i]);
	free(from->v);
	*from = (struct scans){ 0 };
}
