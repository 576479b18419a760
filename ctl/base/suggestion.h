/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suggestion.h - what may have been meant by a misspelt word. */
#ifndef KTRACE_SUGGESTION_H
#define KTRACE_SUGGESTION_H

#include <stddef.h>

#define SUGGESTIONS_MAX 3

/* Keeps the best SUGGESTIONS_MAX of the names shown to suggestion_offer(). */
struct suggestions {
	const char *word;
	const char *names[SUGGESTIONS_MAX];
	size_t costs[SUGGESTIONS_MAX];
	size_t n;
};

void suggestion_offer(struct suggestions *similar, const char *name);

/* "did you mean A, B or C?", or otherwise when there are none; into buf. */
const char *suggestion_say(const char *const *names, size_t n, const char *otherwise, char *buf,
			   size_t size);

#endif
