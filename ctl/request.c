// SPDX-License-Identifier: GPL-2.0-or-later
/* request.c - what was typed after `trace`.  See request.h. */
#include "ctl/request.h"

#include <stdio.h>
#include <stdlib.h>

#include "ctl/memory.h"

static void add_request(struct requests *out, const char *address)
{
	out->v = MEM_MORE(out->v, out->n);
	out->v[out->n++] = (struct request){ .address = address };
}

static void add_use(struct request *request, const struct option_row *option, const char *arg)
{
	request->uses = MEM_MORE(request->uses, request->nr_uses);
	request->uses[request->nr_uses++] = (struct use){ option, arg };
}

static bool no_address(const struct option_row *option, struct error *err)
{
	return error_set(err, STATUS_USAGE,
			 "%s stands before any address: give the address first, then its options",
			 option->name);
}

static bool no_argument(const struct option_row *option, struct error *err)
{
	return error_set(err, STATUS_USAGE, "%s needs its %s: e.g. '%s'", option->name,
			 option->metavar, option->example);
}

/* The option at words[*i], with its argument; *i moves to its last word. */
static bool take_option(const struct words *words, size_t *i, const struct option_row *option,
			struct requests *out, struct error *err)
{
	const char *arg = NULL;

	if (!out->n)
		return no_address(option, err);
	if (option->arg != ARG_NONE) {
		arg = *i + 1 < words->n ? words->v[*i + 1] : NULL;
		if (!arg || !*arg || option_find(arg))
			return no_argument(option, err);
		++*i;
	}
	add_use(&out->v[out->n - 1], option, arg);
	return true;
}

bool requests_parse(const struct words *words, size_t first, struct requests *out,
		    struct error *err)
{
	*out = (struct requests){ 0 };
	for (size_t i = first; i < words->n; i++) {
		const struct option_row *option = option_find(words->v[i]);

		if (!option) {
			add_request(out, words->v[i]);
		} else if (!take_option(words, &i, option, out, err)) {
			requests_free(out);
			return false;
		}
	}
	return true;
}

void requests_free(struct requests *requests)
{
	for (size_t i = 0; i < requests->n; i++)
		free(requests->v[i].uses);
	free(requests->v);
	*requests = (struct requests){ 0 };
}

char *request_options(const struct request *request)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return mem_strdup("");
	for (size_t i = 0; i < request->nr_uses; i++) {
		const struct use *use = &request->uses[i];

		fprintf(out, "%s%s", i ? " " : "", use->option->name);
		if (use->arg)
			fprintf(out, " %s", use->arg);
	}
	fclose(out);
	return text;
}
