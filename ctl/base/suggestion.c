// SPDX-License-Identifier: GPL-2.0-or-later
/* suggestion.c - suggestions for a misspelt word.  See suggestion.h. */
#include "ctl/base/suggestion.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <ctype.h>

#define LONGEST 31

static size_t least(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edit distance without regard to case (Wagner and Fischer, one row at a time). */
static size_t distance(const char *a, const char *b)
{
	size_t row[LONGEST + 1], na = strlen(a), nb = strlen(b);

	if (na > LONGEST || nb > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t up = row[j];
			int differ = tolower((unsigned char)a[i - 1]) !=
				     tolower((unsigned char)b[j - 1]);

			row[j] = least(row[j - 1] + 1, up + 1, diagonal + differ);
			diagonal = up;
		}
	}
	return row[nb];
}

void suggestion_offer(struct suggestions *similar, const char *name)
{
	/* The dashes of an option are no letters in which it could be similar. */
	size_t len = strlen(similar->word + strspn(similar->word, "-")), cost = distance(similar->word, name), i;

	if (len > 1 && !strncasecmp(similar->word, name, strlen(similar->word)))
		cost = 1;
	if (cost > (len < 5 ? 1 : len / 3 + 1))
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
