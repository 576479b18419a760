/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch.h - print a text to a stream, and get it as a string.  open_memstream(3) does that, too, but it takes and clears 8 KB
 * for each text, and a recording has thousands of short ones: all these texts use one stream.  For the main thread only.
 */
#ifndef KTRACE_SCRATCH_H
#define KTRACE_SCRATCH_H

#include <stddef.h>
#include <stdio.h>

/* Begin a text: print it to the stream that is returned.  Call scratch_close() before the next scratch_open(). */
FILE *scratch_open(void);
/* The text, as a string of *len bytes; len may be NULL.  The caller frees it. */
char *scratch_close(size_t *len);

#endif
