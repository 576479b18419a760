/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top_frame.h - what `top` shows of an interval.  A frame has copies of all its figures, so that it can be shown again
 * in other ways after the analysis has gone on; but the texts of the analysis must still be there.
 */
#ifndef KTRACE_TOP_FRAME_H
#define KTRACE_TOP_FRAME_H

#include <stddef.h>
#include <stdio.h>

#include "ctl/show/report/trace_report.h"

struct top_frame {
	char *head, *notes;
	size_t head_rows;
	bool few;		/* the head has "-" in place of a percentile */
	struct sheet sheets[NR_BYS];		/* without rows: not taken */
	struct sheet_column *columns[NR_BYS];
};

/* How it is shown. */
struct top_view {
	enum report_by by;
	char sort;		/* one of the keys of top_sorts[]; 0: as the report sorts */
	size_t rows;		/* the most lines of all; 0: no limit, and with the notes */
	bool colour;
};

/* A key, the column that it sorts by, and what it is for people; the last key is 0. */
struct top_sort {
	char key;
	const char *column, *says;
};

extern const struct top_sort top_sorts[];

/* Take the figures by one key; BY_NOTHING: by all.  analysis_finish() was called.  Free it with top_frame_free(). */
struct top_frame top_frame_take(const struct trace_report *r, enum report_by by);
void top_frame_free(struct top_frame *frame);
void top_frame_print(struct top_frame *frame, const struct top_view *view, FILE *out);

#endif
