/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compile.h - from options to the capture program of ktrace_abi.h.
 *
 * Each call adds one item or filter, in the order in which they were asked
 * for.  The program is: the filters; where an item can be unreadable, the
 * mask of those that were; the items.
 */
#ifndef KTRACE_COMPILE_H
#define KTRACE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "ctl/base/error.h"
#include "ctl/device/desc.h"

struct property;
struct vars;

struct code {
	struct kt_insn *v;
	size_t n;
};

/* What ONLY... may look at.  Given more than once: any of the values. */
enum compile_only {
	ONLY_CPU, ONLY_PID, ONLY_TGID, ONLY_PGRP, ONLY_UID, ONLY_GID, ONLY_COMM, NR_ONLIES,
};

struct only {
	enum compile_only kind;
	uint64_t value[2];	/* ONLY_COMM: both halves of the name */
};

struct compiler {
	const struct arch_ops *arch;
	struct vars *vars;		/* NULL: variables and types are not known */
	struct desc *desc;		/* fields and flags go there */
	struct code body, filter;
	size_t nr_emits;
	size_t payload;			/* bytes emitted */
	struct only *onlies;
	size_t nr_onlies;
	bool uses_frame;
	uint8_t method;			/* KT_METHOD_* asked for */
	bool closes;			/* calls: what is known of them may be asked for */
	/* What the opening tracepoint saves, in the order of ENTRY; NULL without. */
	const struct desc *entry;
	const size_t *entry_ends;	/* for each ENTRY the field behind its last */
	size_t nr_entries;		/* compiled so far */
	size_t entry_at;		/* byte where the next one begins */
};

#define COMPILE_STR_BYTES	64	/* of a string, where nothing else is asked for */

struct expr;
struct vars;

bool compile_current(struct compiler *c, const struct property *property, struct error *err);
bool compile_psr(struct compiler *c, struct error *err);
bool compile_allregs(struct compiler *c, struct error *err);
bool compile_reg(struct compiler *c, const struct arch_reg *reg, struct error *err);
bool compile_const(struct compiler *c, uint64_t value, struct error *err);
/* A word at a register + bias + offset, where base is the name of the first two. */
bool compile_relative(struct compiler *c, const char *base, uint16_t dwarf, int32_t bias, int32_t offset,
		      struct error *err);
/* A word at a fixed address; name as it is printed. */
bool compile_fixed(struct compiler *c, const char *name, uint64_t addr, struct error *err);
bool compile_comm(struct compiler *c, struct error *err);
bool compile_backtrace(struct compiler *c, uint32_t depth, struct error *err);
/* What has no value at that place; text is printed for it. */
bool compile_absent(struct compiler *c, const char *name, const char *text, struct error *err);
/*
 * The value of an expression that is resolved, of a composite or array its parts; the
 * string that it points at, which is recorded with its address; the text there alone.
 */
bool compile_value(struct compiler *c, const char *name, const struct expr *e, struct error *err);
bool compile_string(struct compiler *c, const char *name, const struct expr *e, uint16_t bytes,
		    struct error *err);
bool compile_chars(struct compiler *c, const char *name, const struct expr *e, uint16_t bytes, struct error *err);

/*
 * In a tracepoint that closes calls: how long the call took, in ticks; then all items that another
 * descriptor, which opens them, has recorded: they were saved.
 */
bool compile_saved(struct compiler *c, const struct desc *from, struct error *err);

/* In such a one, too: that time, shown with its unit; and the next of what ENTRY has saved. */
bool compile_elapsed(struct compiler *c, struct error *err);
bool compile_entry(struct compiler *c, struct error *err);

bool compile_if(struct compiler *c, const struct expr *e, struct error *err);
void compile_only(struct compiler *c, enum compile_only kind, const uint64_t value[2]);

/* Puts the program into the descriptor and releases what c holds. */
bool compile_finish(struct compiler *c, struct error *err);
void compile_drop(struct compiler *c);

#endif
