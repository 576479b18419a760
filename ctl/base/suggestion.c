// SPDX-License-Identifier: GPL-2.0-or-later
/* suggestion.c - suggestions for a misspelt word.  See suggestion.h. */
#include "ctl/base/suggestion.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LONGEST 31

/* Costs: of a word that lacks its last letter, of one that lacks more, and of each other edit. */
enum { ALMOST = 1, BEGUN, EDIT };

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * Edit distance without regard to case, where two letters that have changed places are one edit (Wagner and Fischer; Damerau).  Row i
 * has the distances from the first i letters of a to the beginnings of b; three of them are needed.
 */
static size_t distance(const char *a, const char *b)
{
	const size_t na = strlen(a), nb = strlen(b);
	size_t rows[3][LONGEST + 1];

	if (na > LONGEST || nb > LONGEST)
		return LONGEST;
	for (size_t i = 0; i <= na; i++) {
		size_t *row = rows[i % 3];
		const size_t *up = rows[(i + 2) % 3], *above = rows[(i + 1) % 3];

		for (size_t j = 0; j <= nb; j++) {
			row[j] = i ? up[j] + 1 : j;
			if (!i || !j)
				continue;
			row[j] = lesser(row[j], row[j - 1] + 1);
			row[j] = lesser(row[j], up[j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				row[j] = lesser(row[j], above[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

void suggestion_add(struct suggestions *similar, const char *name)
{
	if (similar->n == SUGGESTIONS_MAX)
		return;
	similar->names[similar->n] = name;
	similar->costs[similar->n++] = 0;
}

void suggestion_offer(struct suggestions *similar, const char *name)
{
	/* The dashes of an option are no letters in which it could be similar. */
	const size_t len = strlen(similar->word + strspn(similar->word, "-")), edits = distance(similar->word, name);
	size_t cost = edits * EDIT, i;

	if (len > 1 && !strncasecmp(similar->word, name, strlen(similar->word)))
		cost = edits <= 1 ? ALMOST : BEGUN;
	if (cost > (len < 5 ? 1 : len / 3 + 1) * EDIT)
		return;
	for (i = similar->n; i > 0 && similar->costs[i - 1] > cost; i--) {
		if (i == SUGGESTIONS_MAX)
			continue;
		similar->names[i] = similar->names[i - 1];
		similar->costs[i] = similar->costs[i - 1];
	}
	if (i == SUGGESTIONS_MAX)
		return;
	similar->names[i] = name;
	similar->costs[i] = cost;
	similar->n += similar->n < SUGGESTIONS_MAX;
}

const char *suggestion_say(const char *const *names, size_t n, const char *otherwise, char *buf,
			   size_t size)
{
	size_t at = 0;

	if (!n)
		return otherwise;
	at += snprintf(buf, size, "did you mean ");
	for (size_t i = 0; i < n && at < size; i++)
		at += snprintf(buf + at, size - at, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ",
			       names[i]);
	if (at < size)
		snprintf(buf + at, size - at, "?");
	return buf;
}
