/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.h - internals of `explain`: a function, its instructions and its variables. */
#ifndef KTRACE_EXPLAIN_H
#define KTRACE_EXPLAIN_H

#include "ctl/ask/resolve/debuginfo.h"
#include "ctl/live/session/session.h"

struct explain_insn {
	struct arch_insn insn;
	uint64_t addr;
	const char *file;	/* "": no line is known */
	uint32_t line;
	const char *method;	/* "jump", "breakpoint"; NULL: refused or unknown */
	const char *reason;	/* of a refusal; NULL: none */
	const char *no_jump;	/* why it is no jump; "" or NULL: it is one, or nothing is known */
	bool leaves;		/* it is a tail call */
	bool windowed;		/* a tracepoint there is disarmed in windows (struct kt_status) */
};

struct explain {
	struct session *s;
	struct target target;
	const char *sources;	/* directory of the sources; NULL: do not show source text */
	struct probe_point point;	/* the requested probe point */
	bool is_whole;		/* a whole function, not one instruction */
	bool wants_made;	/* --code */
	uint64_t start;		/* of the function */
	uint8_t *code;
	size_t len;
	bool is_live;		/* code is the running code, and the kernel gave the methods */
	struct explain_insn *insns;
	size_t nr_insns;
	struct addr_info info;	/* of the place; ix NULL: nothing is known */
	struct scope *scope;	/* of the function, or NULL */
	struct error no_debug;	/* why nothing is known */
};

/* explain_code.c: read the code, decode it, and find the method of each instruction. */
bool explain_code(struct explain *e, struct error *err);
/* explain_show.c */
void explain_show(const struct explain *e);
/* explain_made.c: the machine code of the tracepoints that are set there.  False: it cannot be read. */
bool explain_made(const struct explain *e, struct error *err);

/* A variable, and the scope that contains it. */
struct explain_var {
	const struct scope *scope;
	const struct var *var;
};

/*
 * The *n variables of the scopes around the place, the innermost scope first.  all: also those of blocks inside
 * the function.  The caller frees the array.
 */
struct explain_var *explain_vars(const struct explain *e, bool all, size_t *n);
/* "fs/read_write.c:590"; "" without a line.  Returns buf. */
const char *explain_line(const char *file, uint32_t line, char *buf, size_t size);
/* The inlined copies around the place: "rw_verify_area in vfs_write"; "": none.  Returns buf. */
const char *explain_inlined(const struct explain *e, char *buf, size_t size);
/* The text of a source line without indentation; "": not available.  The caller frees it. */
char *explain_source(const struct explain *e, const char *file, uint32_t line);

#endif
