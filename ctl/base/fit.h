/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fit.h - text that fits the width of a terminal.  Columns are counted without escape sequences. */
#ifndef KTRACE_FIT_H
#define KTRACE_FIT_H

#include <stddef.h>
#include <stdio.h>

/*
 * Open a stream that writes to `out`, and breaks lines longer than `columns` at blanks.  The rest of a line is indented
 * to the line's last column that begins in the left half.  A longer word stays whole, and so does what is in single quotes
 * if a line is long enough.  fclose() does not close `out`.  NULL: no memory.
 */
FILE *fit_open(FILE *out, size_t columns);
/* Returns the `columns` with which fit_open() opened the stream; 0: it did not, and lines may have any length. */
size_t fit_columns(const FILE *stream);

/* Print lines, broken in the same way. */
void fit_text(const char *text, size_t columns, FILE *out);
/* Print lines, each cut to `columns` with a mark where it was longer. */
void fit_cut(const char *text, size_t columns, FILE *out);
/* A copy of a text without lines, cut likewise; the caller frees it. */
char *fit_cut_text(const char *text, size_t columns);
/* How many columns a text takes. */
size_t fit_length(const char *text);

#endif
