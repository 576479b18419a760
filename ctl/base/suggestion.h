/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suggestion.h - suggestions for a misspelt word. */
#ifndef KTRACE_SUGGESTION_H
#define KTRACE_SUGGESTION_H

#include <stddef.h>

#define SUGGESTIONS_MAX 3

/* The best SUGGESTIONS_MAX of the names passed to suggestion_offer().  The names stay the caller's. */
struct suggestions {
	const char *word;
	const char *names[SUGGESTIONS_MAX];
	size_t costs[SUGGESTIONS_MAX];
	size_t n;
};

/* A name that is meant, however it is spelt: suggested before all others. */
void suggestion_add(struct suggestions *similar, const char *name);
void suggestion_offer(struct suggestions *similar, const char *name);

/* Returns "did you mean A, B or C?" in buf, or otherwise if there are no names. */
const char *suggestion_say(const char *const *names, size_t n, const char *otherwise, char *buf,
			   size_t size);

#endif
