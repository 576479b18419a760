/* SPDX-License-Identifier: GPL-2.0-or-later */
/* near.h - what may have been meant by a misspelt word. */
#ifndef KTRACE_NEAR_H
#define KTRACE_NEAR_H

#include <stddef.h>

#define NEAR_MAX 3

/* Keeps the best NEAR_MAX of the names shown to near_offer(). */
struct near {
	const char *word;
	const char *names[NEAR_MAX];
	size_t costs[NEAR_MAX];
	size_t n;
};

void near_offer(struct near *near, const char *name);

/* "did you mean A, B or C?", or otherwise when there are none; into buf. */
const char *near_say(const char *const *names, size_t n, const char *otherwise, char *buf,
		     size_t size);

#endif
