/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.h - a directory of saved traces that follow one another: DIR/0001, DIR/0002 ... */
#ifndef KTRACE_SERIES_H
#define KTRACE_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/base/error.h"
#include "ctl/trace/saved/disk.h"

struct series;

struct series_totals {
	uint64_t records, lost, bytes;	/* of the parts that are there */
	uint64_t braked;		/* as in struct disk_totals */
	uint32_t off;			/* the most of a part */
	unsigned int parts, removed;
	unsigned int number;		/* of the newest part that series_next() has named */
	const char *newest;		/* directory of the newest part that was added; lives as long as the series */
};

/* Make the directory, which must not exist or be empty.  NULL: err is set. */
struct series *series_create(const char *dir, struct error *err);
/* NULL is allowed.  An empty directory is removed. */
void series_free(struct series *series);

/* The directory of the next part; the caller makes it, and frees the name. */
char *series_next(struct series *series);
/* The last part that was named does not exist. */
void series_undo(struct series *series);
/* The oldest part that was named and not added is complete. */
void series_add(struct series *series, const struct disk_totals *totals);

/*
 * Remove the oldest complete parts until they and `growing` bytes together have at most `most` bytes.  False: `growing`
 * alone has more.
 */
bool series_shrink(struct series *series, uint64_t growing, uint64_t most);

/* The newest part below a directory that is a series; the caller frees the name.  NULL: it is none. */
char *series_newest(const char *dir);

struct series_totals series_totals(const struct series *series);

#endif
