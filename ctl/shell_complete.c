// SPDX-License-Identifier: GPL-2.0-or-later
/* shell_complete.c - see shell_complete.h. */
#include "ctl/shell_complete.h"

#include <stdio.h>
#include <string.h>

#include "ctl/complete.h"
#include "ctl/memory.h"

#define FILES	":files"

/* ktrace's own options; values: what is offered behind them, NULL: it takes none. */
static const struct own_option {
	const char *name;
	const char *values[5];
} own_options[] = {
	{ "-e", { "" } },
	{ "-f", { FILES } },
	{ "-i", { FILES } },
	{ "--input", { FILES } },
	{ "--vmlinux", { FILES } },
	{ "--module", { FILES } },
	{ "--format", { "text", "json", "csv" } },
	{ "--color", { "auto", "always", "never" } },
	{ "--json", { NULL } },
	{ "--csv", { NULL } },
	{ "-n", { NULL } },
	{ "--dry-run", { NULL } },
	{ "-q", { NULL } },
	{ "--quiet", { NULL } },
	{ "--yes", { NULL } },
	{ "--no-rc", { NULL } },
	{ "-V", { NULL } },
	{ "--version", { NULL } },
	{ "-h", { NULL } },
	{ "--help", { NULL } },
};

static const struct own_option *find(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_options); i++)
		if (strlen(own_options[i].name) == len && !strncmp(own_options[i].name, word, len))
			return &own_options[i];
	return NULL;
}

static void offer(const char *name, void *arg)
{
	FILE *out = arg;

	fprintf(out, "%s\n", name);
}

static void offer_if(struct session *s, const char *name, const char *word, const char *prefix)
{
	AUTO_FREE char *whole = mem_printf("%s%s", prefix, name);

	if (!strcmp(name, FILES) || (*name && !strncmp(whole, word, strlen(word))))
		offer(strcmp(name, FILES) ? whole : name, s->out);
}

static void offer_values(struct session *s, const struct own_option *option, const char *word, const char *prefix)
{
	for (size_t i = 0; i < ARRAY_SIZE(option->values) && option->values[i]; i++)
		offer_if(s, option->values[i], word, prefix);
}

static void offer_own(struct session *s, const char *word)
{
	const struct own_option *option = find(word, strcspn(word, "="));

	if (option && strchr(word, '=')) {
		AUTO_FREE char *prefix = mem_printf("%s=", option->name);

		offer_values(s, option, word, prefix);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(own_options); i++)
		offer_if(s, own_options[i].name, word, "");
}

/* As lex.h reads them back. */
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
		const struct own_option *option = find(words[i], strlen(words[i]));

		i += option && option->values[0] ? 2 : 1;
	}
	return i;
}

void shell_complete(struct session *s, char *const *words, size_t n)
{
	const char *word = n ? words[n - 1] : "";
	const struct own_option *before = n > 1 ? find(words[n - 2], strlen(words[n - 2])) : NULL;
	const size_t first = skip_own(words, n);

	if (first + 1 >= n && before && before->values[0]) {
		offer_values(s, before, word, "");
	} else if (first + 1 >= n && *word == '-') {
		offer_own(s, word);
	} else {
		AUTO_FREE char *text = first < n ? joined(words + first, n - 1 - first) : mem_strdup("");

		if (!complete(s, text, word, offer, s->out))
			offer(FILES, s->out);
	}
}
