/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request.h - what was typed after `trace`: addresses, each with its options. */
#ifndef KTRACE_REQUEST_H
#define KTRACE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/base/error.h"
#include "ctl/lang/lex.h"
#include "ctl/lang/option.h"

struct desc;

struct use {
	const struct option_row *option;
	const char *arg;	/* NULL where the option takes none */
	char *owned;		/* arg, where it is made of several words; else NULL */
};

struct request {
	const char *address;
	struct use *uses;
	size_t nr_uses;
	/* Where a call is closed whose slowest are recorded: what was saved when it was opened comes first. */
	const struct desc *saved;
	bool is_measured;	/* its calls are paired already */
};

struct requests {
	struct request *v;
	size_t n;
};

/* The words from `first` on; the requests point into them. */
bool requests_parse(const struct words *words, size_t first, struct requests *out,
		    struct error *err);
void requests_free(struct requests *requests);

/* The options in one line, as they can be typed again; to be freed. */
char *request_options(const struct request *request);

#define AUTO_REQUESTS __attribute__((cleanup(requests_free)))

#endif
