/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch.h - a text that functions print to a stream, as by open_memstream(3).  That takes and clears 8 KB each time, and
 * a recording has thousands of short texts: here one stream is kept.  For the main thread.
 */
#ifndef KTRACE_SCRATCH_H
#define KTRACE_SCRATCH_H

#include <stddef.h>
#include <stdio.h>

/* Begin a text, which ends before the next one begins. */
FILE *scratch_open(void);
/* End it.  A 0 is behind its *len bytes; len may be NULL.  The caller frees it. */
char *scratch_close(size_t *len);

#endif
