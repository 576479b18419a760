/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorded.h - run this test's program again, recorded; and read what it has recorded.
 *
 * A test program begins with recorded_main(): if it was started by recorded_run(), it runs one of `modes` and ends.
 */
#ifndef KTRACE_RECORDED_H
#define KTRACE_RECORDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/trace/user/user_file.h"

struct recorded_mode {
	const char *name;
	int (*run)(void);
};

/* In the program that recorded_run() has started this does not return: it ends the process. */
void recorded_main(int argc, char **argv, const struct recorded_mode *modes, size_t nr);

/*
 * Run a mode with an empty directory as KTRACE_FILE, and these variables, "NAME=VALUE", ended by NULL.  Returns its exit
 * status.  Its standard error is recorded_errors.
 */
int recorded_run(const char *mode, const char *const *variables);
extern char recorded_errors[4096], recorded_dir[64];

/* The event that was read: */
struct recorded {
	uint32_t pid, thread;
	uint64_t ticks;
	const char *name;
	uint32_t first;		/* word of the payload; 0: it has none */
	uint64_t lost;		/* before it, on its ring */
	unsigned int sites;	/* of its process */
};

struct recorded_totals {
	uint64_t events, lost;
	unsigned int files;
};

/* Call each() for all events of all files, ring by ring.  NULL: only count.  Fails the test if a file cannot be read. */
void recorded_read(void (*each)(const struct recorded *event, void *arg), void *arg, struct recorded_totals *totals);

/* What `print` shows of it, without times.  The caller frees it. */
char *recorded_text(void);

/* Remove the directory and the files. */
void recorded_drop(void);

#endif
