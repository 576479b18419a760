/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vars.h - variables and types of the source at one probe point.
 *
 * Debug information is opened when a name or type is first needed: an expression over registers needs none.
 */
#ifndef KTRACE_VARS_H
#define KTRACE_VARS_H

#include "ctl/ask/resolve/debuginfo.h"
#include "symbols/index/location.h"
#include "symbols/index/type.h"

struct expr_known;

struct vars {
	const struct target *target;
	const struct probe_point *point;
	bool wants_copy;		/* it means the copy inlined there, not the function around it */
	bool closes;			/* it closes calls of a measurement: ELAPSED is known */
	const struct arch_insn *insn;	/* the instruction there; NULL or of length 0: unknown */
	bool opened;
	struct addr_info info;		/* ix NULL: nothing is known */
	struct scope *scope;		/* of the function */
	const struct scope *inner;	/* the innermost scope that contains the probe point */
	struct error why;		/* why nothing is known, or why the function is not */
	struct expr_known *known;	/* of who made it: what was resolved here (ctl/ask/expr/expr_known.h); NULL: nothing is kept */
};

/* target and place stay the caller's, and must outlive vars. */
void vars_init(struct vars *vars, const struct target *target, const struct probe_point *point);
void vars_free(struct vars *vars);

/* Is anything known?  False: vars->why has the reason. */
bool vars_open(struct vars *vars);

/* Is only BTF known?  Then hint tells how to get full debug information. */
bool vars_lack(const struct vars *vars, char *hint, size_t size);

/* The innermost variable of that name.  NULL: there is none. */
const struct var *vars_local(struct vars *vars, const char *name, const struct scope **scope);
/*
 * The location of a variable at this probe point; in the kernel with live addresses.  False: err has the reason, and where
 * the variable is available.
 */
bool vars_where(struct vars *vars, const struct scope *scope, const struct var *var,
		struct location *out, struct error *err);

struct var_global {
	const struct dbindex *ix;
	uint32_t type;
	uint64_t addr;		/* live address; for a per-CPU variable its offset */
};

/* A global variable of the probe point's own unit, else of the kernel.  sym gives its address; NULL: unknown. */
bool vars_global(struct vars *vars, const char *name, const struct sym *sym, struct var_global *out);

/* Does a variable of that name exist anywhere? */
bool vars_knows(struct vars *vars, const char *name);
/* Is it a variable of a program of which each thread has one? */
bool vars_is_thread_local(struct vars *vars, const char *name);

/* A type by its C spelling without stars: "struct file", "loff_t".  False: err is set. */
bool vars_type(struct vars *vars, const char *spelling, const struct dbindex **ix, uint32_t *number,
	       struct error *err);
/* The value of an enumerator.  False: there is none, or several with different values. */
bool vars_constant(struct vars *vars, const char *name, int64_t *value);
/* Replace a composite that is only declared by its definition. */
bool vars_complete(struct vars *vars, const struct dbindex **ix, uint32_t *number);

/* The function, or the inlined copy with parameters, that the probe point is in.  NULL: unknown. */
const struct scope *vars_function(const struct vars *vars);

#endif
