/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vars.h - the variables and types that the source knows at one place.
 *
 * Nothing is opened before a name or type is asked for: an expression over
 * registers needs no debug information.
 */
#ifndef KTRACE_VARS_H
#define KTRACE_VARS_H

#include "ctl/resolve/debuginfo.h"
#include "symbols/index/location.h"
#include "symbols/index/type.h"

struct vars {
	const struct target *target;
	const struct probe_point *point;
	bool wants_copy;		/* the copy that is inlined at the place is meant, not the function around it */
	bool closes;			/* calls, in a measurement: ELAPSED is known */
	const struct arch_insn *insn;	/* that stands there; NULL or of length 0: not known */
	bool opened;
	struct addr_info info;		/* ix NULL: nothing is known of the place */
	struct scope *scope;		/* of the function */
	const struct scope *inner;	/* the innermost one around the place */
	struct error why;		/* nothing is known, or not the function */
};

/* target and place are the caller's, and must live as long. */
void vars_init(struct vars *vars, const struct target *target, const struct probe_point *point);
void vars_free(struct vars *vars);

/* Is anything known?  False with vars->why set. */
bool vars_open(struct vars *vars);

/* Is BTF all that is known?  Then, how to have the rest. */
bool vars_lack(const struct vars *vars, char *hint, size_t size);

/* A variable of that name, the innermost; NULL where there is none. */
const struct var *vars_local(struct vars *vars, const char *name, const struct scope **scope);
/*
 * Where it is at that place, addresses as they are in memory.  False with err set to
 * why it is not to be had, and where it is.
 */
bool vars_where(struct vars *vars, const struct scope *scope, const struct var *var,
		struct location *out, struct error *err);

struct var_global {
	const struct dbindex *ix;
	uint32_t type;
	uint64_t addr;		/* in memory; of a per-CPU variable its offset */
};

/* Of the place's own unit, else of the kernel.  sym (NULL: none) tells where it lies. */
bool vars_global(struct vars *vars, const char *name, const struct sym *sym, struct var_global *out);

/* Is there a variable of that name, wherever it is? */
bool vars_knows(struct vars *vars, const char *name);

/* A type by its C spelling without stars: "struct file", "loff_t".  False with err set. */
bool vars_type(struct vars *vars, const char *spelling, const struct dbindex **ix, uint32_t *number,
	       struct error *err);
/* The value that enums give that name; false where there is none, or several that differ. */
bool vars_constant(struct vars *vars, const char *name, int64_t *value);
/* The definition of a composite that is only declared where it was met. */
bool vars_complete(struct vars *vars, const struct dbindex **ix, uint32_t *number);

/* The function, or the inlined copy with parameters, that is meant; NULL where it is not known. */
const struct scope *vars_function(const struct vars *vars);

#endif
