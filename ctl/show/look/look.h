/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look.h - values and types of the running kernel, without a tracepoint: what `show` shows. */
#ifndef KTRACE_LOOK_H
#define KTRACE_LOOK_H

#include "ctl/ask/resolve/vars.h"
#include "ctl/live/session/session.h"
#include "ctl/show/look/machine.h"
#include "ctl/trace/reader/reader.h"

struct look {
	struct session *s;
	struct device dev;		/* a copy of the session's; it need not be open */
	struct target target;
	struct probe_point nowhere;
	struct vars vars;		/* types and global variables */
	struct memory *memory;
	struct machine machine;
	uint64_t pid;			/* whose task is `current`; 0: ktrace's */
};

/* The caller has symbols.  look does not move afterwards; memory is opened when a value is needed. */
void look_open(struct look *look, struct session *s, uint64_t pid);
void look_close(struct look *look);

/* Values as a record, for the functions of print_int.h. */
struct looked {
	struct desc *desc;
	struct record record;
	uint8_t payload[KT_MAX_PAYLOAD];
};

/* An expression, and the name that its value gets. */
struct look_item {
	const char *name, *text;
};

/* Evaluate VAR's expressions: with one item also a label and a form (`:x`).  The caller frees out with looked_free(). */
bool look_values(struct look *look, const struct look_item *items, size_t n, struct looked *out, struct error *err);
void looked_free(struct looked *looked);

/* Has the task of look->pid still that number?  False: err is set; what was read of it may be another's. */
bool look_same_task(struct look *look, struct error *err);

/*
 * The address of an object: of the composite that the expression names, or that it points at.  *ix and *number are its
 * type, spelled in `spelling`.
 */
bool look_object(struct look *look, const char *text, uint64_t *addr, const struct dbindex **ix, uint32_t *number,
		 char *spelling, size_t size, struct error *err);

/* The types of "struct file", and of "file" if there is no such typedef.  spelling gets its name. */
bool look_type(struct look *look, const char *name, const struct dbindex **ix, uint32_t *number, char *spelling, size_t size,
	       struct error *err);

/* look_type.c: a type with its members, their offsets, and holes. */
void look_show_type(struct session *s, const struct dbindex *ix, uint32_t number, const char *spelling);

struct look_list {
	const char *head, *next;
	char **members;
	size_t nr_members;
	uint64_t most;		/* elements */
};

/* look_list.c: walk a list and show members of its elements. */
bool look_show_list(struct look *look, const struct look_list *list, struct error *err);

#endif
