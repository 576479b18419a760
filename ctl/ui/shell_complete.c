// SPDX-License-Identifier: GPL-2.0-or-later
/* shell_complete.c - see shell_complete.h. */
#include "ctl/ui/shell_complete.h"

#include <stdio.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/ui/complete.h"
#include "ctl/ui/invocation.h"

static const struct flag *find(const char *word, size_t len)
{
	return flags_find(&own_flags, word, len);
}

static void offer(const char *name, void *arg)
{
	FILE *out = arg;

	fprintf(out, "%s\n", name);
}

/* The part of the word before its value, "--format=", and the output stream. */
struct prefixed {
	const char *prefix;
	FILE *out;
};

static void offer_prefixed(const char *name, void *arg)
{
	const struct prefixed *p = arg;

	fprintf(p->out, "%s%s\n", p->prefix, name);
}

static void offer_values(struct session *s, const struct flag *flag, const char *word, const char *prefix)
{
	struct prefixed p = { prefix, s->out };

	if (!complete_flag(flag, word + strlen(prefix), offer_prefixed, &p))
		offer(FLAG_FILES, s->out);
}

static void offer_own(struct session *s, const char *word)
{
	const struct flag *flag = find(word, strcspn(word, "="));

	if (flag && strchr(word, '=')) {
		AUTO_FREE char *prefix = mem_printf("%s=", flag->name);

		offer_values(s, flag, word, prefix);
		return;
	}
	for (flag = flags_next(&own_flags, NULL); flag; flag = flags_next(&own_flags, flag)) {
		const char letter[] = { '-', flag->letter, '\0' };

		if (flag->summary && !strncmp(flag->name, word, strlen(word)))
			offer(flag->name, s->out);
		if (flag->letter && strcmp(letter, flag->name) && !strncmp(letter, word, strlen(word)))
			offer(letter, s->out);
	}
}

/* Quote words so that lex.h reads them back. */
static char *joined(char *const *words, size_t n)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return mem_strdup("");
	for (size_t i = 0; i < n; i++) {
		for (const char *p = words[i]; *p; p++)
			fprintf(out, "%s%c", strchr("\"'\\; \t\n#", *p) ? "\\" : "", *p);
		fputc(' ', out);
	}
	fclose(out);
	return text;
}

/* The first word that is neither an option nor its value. */
static size_t skip_own(char *const *words, size_t n)
{
	size_t i = 0;

	while (i + 1 < n && words[i][0] == '-') {
		const struct flag *flag = find(words[i], strlen(words[i]));

		i += flag && flag->metavar ? 2 : 1;
	}
	return i;
}

static void offer_in_quotes(struct session *s, const char *text, const char *word, const char *start, const char *last)
{
	AUTO_FREE char *before = mem_printf("%s%.*s", text, (int)(last - start), start);
	AUTO_FREE char *prefix = mem_strndup(word + 1, last - word - 1);
	struct prefixed p = { prefix, s->out };

	if (!complete(s, before, last, offer_prefixed, &p))
		offer(FLAG_FILES, s->out);
}

/*
 * A word that begins with a quote: what is behind its last blank is completed.  start: where it begins to count, behind
 * the quote if that is the shell's alone.
 */
static void offer_quoted(struct session *s, const char *text, const char *word, const char *start)
{
	const char *last = word + 1;

	for (const char *at = last; *at; at++)
		if (strchr(" \t;'\"", *at))
			last = at + 1;
	offer_in_quotes(s, text, word, start, last);
}

void shell_complete(struct session *s, char *const *words, size_t n)
{
	const char *word = n ? words[n - 1] : "";
	const struct flag *before = n > 1 ? find(words[n - 2], strlen(words[n - 2])) : NULL;
	const size_t first = skip_own(words, n);
	const bool is_quoted = *word && strchr("\"'", *word);

	if (is_quoted && first + 1 >= n && before && before->letter == 'e') {
		offer_quoted(s, "", word, word + 1);
	} else if (first + 1 >= n && before && before->metavar) {
		offer_values(s, before, word, "");
	} else if (first + 1 >= n && *word == '-') {
		offer_own(s, word);
	} else {
		AUTO_FREE char *text = first < n ? joined(words + first, n - 1 - first) : mem_strdup("");

		if (is_quoted)
			offer_quoted(s, text, word, word);
		else if (!complete(s, text, word, offer, s->out))
			offer(FLAG_FILES, s->out);
	}
}
