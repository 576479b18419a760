/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request.h - parse the words after `trace`: addresses, each with its options. */
#ifndef KTRACE_REQUEST_H
#define KTRACE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/ask/lang/option.h"
#include "ctl/base/error.h"
#include "ctl/base/lex.h"

struct desc;

struct use {
	const struct option_row *option;
	const char *arg;	/* NULL: the option takes no argument */
	char *owned;		/* memory of arg, if arg was joined from several words; else NULL */
};

struct request_case;

struct request {
	const char *address;
	char *owned;		/* memory of address, if it was not typed; else NULL */
	const char *typed;	/* the address with the name of its program; NULL: it is in the kernel */
	uint32_t process;	/* the only one that its filters let pass; 0: any */
	const char *name;	/* of its records; NULL: that of the probe point */
	struct use *uses;
	size_t nr_uses;
	/* At a tracepoint that closes a call and records the slowest: data saved at the open comes first. */
	const struct desc *saved;
	bool is_measured;	/* another part pairs its calls */
	bool is_packed;		/* for a recording: small records */
	bool is_hidden;		/* its records belong to a measurement and are not printed */
	bool by_point;		/* COUNT ...: the address of the probe point is the first key */
	bool in_call;		/* hits are in a system call, whose arguments are known */
	bool is_readable;	/* no value of its records can be unreadable */
	/* Each hit records under one of these, which its own uses choose: see struct kt_case. */
	struct request_case *cases;
	size_t nr_cases;
};

struct request_case {
	uint32_t number;
	char *name;		/* the request's `name` */
	struct request request;	/* its address is that of the whole */
};

struct requests {
	struct request *v;
	size_t n;
};

/* Parse the words from `first` on.  The requests point to the words. */
bool requests_parse(const struct words *words, size_t first, struct requests *out,
		    struct error *err);
void requests_free(struct requests *requests);
/* Move the requests of `more` behind those of `to`; they still point to their words. */
void requests_append(struct requests *to, struct requests *more);
/* Add a case.  The request takes the name.  The result is valid until the next call. */
struct request *request_case(struct request *request, uint32_t number, char *name);
/* Add an option by its name.  arg: NULL if it takes none; freed with the request. */
void request_use(struct request *request, const char *option, char *arg);

/* The options in one line, as they can be typed again.  The caller frees it. */
char *request_options(const struct request *request);

#define AUTO_REQUESTS __attribute__((cleanup(requests_free)))

#endif
