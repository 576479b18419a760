/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.h - the inside of `explain`: one function, its instructions and its variables. */
#ifndef KTRACE_EXPLAIN_H
#define KTRACE_EXPLAIN_H

#include "ctl/resolve/debuginfo.h"
#include "ctl/session/session.h"

struct explain_insn {
	struct arch_insn insn;
	uint64_t addr;
	const char *file;	/* "" where no line is known */
	uint32_t line;
	const char *method;	/* "jump", "breakpoint", NULL: refused or not known */
	const char *reason;	/* of a refusal; NULL without one */
	bool leaves;		/* it makes a tail call */
};

struct explain {
	struct session *s;
	struct target target;
	const char *sources;	/* directory, NULL: no text of lines */
	struct probe_point point;	/* what was asked for */
	bool is_whole;		/* a function, not one instruction of it */
	uint64_t start;		/* of the function */
	uint8_t *code;
	size_t len;
	bool is_live;		/* code is what runs, methods are those of the kernel */
	struct explain_insn *insns;
	size_t nr_insns;
	struct addr_info info;	/* of the place; ix NULL: nothing is known */
	struct scope *scope;	/* of the function, NULL likewise */
	struct error no_debug;	/* why */
};

/* explain_code.c: code, insns and how each would be traced. */
bool explain_code(struct explain *e, struct error *err);
/* explain_text.c */
void explain_text(const struct explain *e);
/* explain_json.c */
void explain_json(const struct explain *e);

/* Variables of a scope and those around it, the innermost first: each with the scope it is in. */
struct explain_var {
	const struct scope *scope;
	const struct var *var;
};

/* *n of them; to be freed.  all: also those of scopes inside, wherever they hold. */
struct explain_var *explain_vars(const struct explain *e, bool all, size_t *n);
/* "fs/read_write.c:590" from the parts; "" without. */
const char *explain_line(const char *file, uint32_t line, char *buf, size_t size);
/* Of the inlined copies around a place: "rw_verify_area in vfs_write", "" where there are none. */
const char *explain_inlined(const struct explain *e, char *buf, size_t size);
/* The text of a line of the sources without its indentation; "" where it is not to be had.  To be freed. */
char *explain_source(const struct explain *e, const char *file, uint32_t line);

#endif
