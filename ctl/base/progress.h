/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - what lasts: a line that is rewritten on a terminal.  Elsewhere a line says once what is being done, when that has
 * taken a second.
 */
#ifndef KTRACE_PROGRESS_H
#define KTRACE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum progress_form {
	PROGRESS_NONE,		/* quiet, or another program writes there */
	PROGRESS_ONCE,		/* no terminal */
	PROGRESS_REWRITTEN,
};

struct progress_line {
	FILE *out;
	enum progress_form form;
	bool any;		/* the line was written */
	uint64_t hits;		/* hits at the last update; of a change: tracepoints done at the first one */
	int64_t at_ms;		/* time of that update */
	/* Of a piece of work: its begin, what was done at the last look, and when it will end as far as that tells. */
	int64_t began_ms, ends_ms;
	uint64_t done;
};

/* busy: a command that writes to our standard output is running. */
struct progress_line progress_open(FILE *out, bool quiet, bool busy);
/* Show progress of a measurement at at_ms, on a terminal alone.  for_ms: how long it takes in all; -1: unknown. */
void progress_show(struct progress_line *line, int64_t began_ms, int64_t at_ms, int64_t for_ms, uint64_t hits,
		   uint64_t lost);
/* Show progress of tracepoints that are being set or deleted ("what"): `done` of `of`, and the time left. */
void progress_change(struct progress_line *line, const char *what, uint32_t done, uint32_t of);
/* Show how much of a piece of work ("saving") is done, and the time left; nothing in its first second. */
void progress_part(struct progress_line *line, const char *what, uint64_t done, uint64_t of);
/* Say what is being waited for, once it has taken a second. */
void progress_wait(struct progress_line *line, const char *what);
/* A message follows: erase the line, if this is a terminal. */
void progress_erase(FILE *out);
/* Erase the line; another piece of work may begin. */
void progress_close(struct progress_line *line);

#endif
