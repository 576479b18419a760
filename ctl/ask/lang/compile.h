/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compile.h - compile options to the capture program of ktrace_abi.h.
 *
 * Each call adds one item or filter, in the order of the options.  The program consists of the filters, the
 * mask of unreadable items if an item can be unreadable, and the items.
 */
#ifndef KTRACE_COMPILE_H
#define KTRACE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/error.h"

struct option_row;
struct property;
struct vars;

struct code {
	struct kt_insn *v;
	size_t n;
};

/* Properties that ONLY... and NOT... test.  Of several values of one kind any may match, or none. */
enum compile_only {
	ONLY_CPU, ONLY_PID, ONLY_TGID, ONLY_PGRP, ONLY_UID, ONLY_GID, ONLY_COMM, NR_ONLIES,
};

struct only {
	enum compile_only kind;
	bool is_not;
	uint64_t value[2];	/* ONLY_COMM: the two halves of the name */
};

struct compiler {
	const struct arch_ops *arch;
	struct vars *vars;		/* NULL: variables and types are unknown */
	struct desc *desc;		/* receives the fields and flags; is_packed: make the payload small */
	struct code body, filter;
	size_t nr_emits;
	size_t payload;			/* bytes emitted */
	struct only *onlies;
	size_t nr_onlies;
	bool uses_frame;
	uint8_t method;			/* KT_METHOD_* that was requested */
	bool closes;			/* it closes calls: ELAPSED and saved data are known */
	bool in_call;			/* hits are in a system call, whose arguments are known */
	bool is_readable;		/* no value can be unreadable */
	/* The descriptor of the opening tracepoint, which saves the data of ENTRY.  NULL: none. */
	const struct desc *entry;
	const size_t *entry_ends;	/* for each ENTRY, the index behind its last field */
	size_t nr_entries;		/* ENTRY options compiled so far */
	size_t entry_at;		/* byte of the saved data where the next one begins */
	/* What is counted instead of recorded, see aggregate.h. */
	const struct option_row *counts;	/* COUNT, SUM, ...; NULL: none */
	const char *counted, *by;	/* the arguments of it, and of BY */
	uint32_t room;			/* of KEYS; 0: not given */
	bool wants_base;		/* a pointer of the program is shown by name, see struct field */
	uint64_t point;			/* the address, if it is the first key: a pattern has named it; else 0 */
};

#define COMPILE_STR_BYTES	64	/* bytes of a string, by default */
#define COMPILE_MOST_STR	512	/* at most; one more is recorded, which tells whether the string ends there */

struct expr;
struct expr_contents;
struct vars;

bool compile_current(struct compiler *c, const struct property *property, struct error *err);
bool compile_psr(struct compiler *c, struct error *err);
bool compile_allregs(struct compiler *c, struct error *err);
bool compile_reg(struct compiler *c, const struct arch_reg *reg, struct error *err);
bool compile_const(struct compiler *c, uint64_t value, struct error *err);
/* Record a word at a register + bias + offset; base is the name of register + bias. */
bool compile_relative(struct compiler *c, const char *base, uint16_t dwarf, int32_t bias, int32_t offset,
		      struct error *err);
/* Record a word at a fixed address; name as printed. */
bool compile_fixed(struct compiler *c, const char *name, uint64_t addr, struct error *err);
bool compile_comm(struct compiler *c, struct error *err);
/* op: KT_OP_EMITSTACK or KT_OP_EMITUSTACK, recorded under the name. */
bool compile_stack(struct compiler *c, enum kt_op op, const char *name, uint32_t depth, struct error *err);
/* Record one caller in the user's program: number `depth`, or the first one with from <= address < to. */
bool compile_caller(struct compiler *c, uint32_t depth, struct error *err);
bool compile_caller_in(struct compiler *c, uint64_t from, uint64_t to, struct error *err);
/*
 * Show the number by the names of flags: `of` is a type of the kernel that has such names ("gfp_t"), an enum, or a list of
 * names, that of the lowest bit first ("READ,WRITE,EXEC").
 */
bool compile_flags(struct compiler *c, struct field *field, const char *of, const char *what, struct error *err);
/* An item without a value at this probe point; records show text. */
bool compile_absent(struct compiler *c, const char *name, const char *text, struct error *err);
/*
 * Items for a resolved expression.  compile_value(): its value; for a composite or array its parts.
 * compile_string(): the string that it points at, with its address.  compile_chars(): the text at that address
 * alone.
 */
bool compile_value(struct compiler *c, const char *name, const struct expr *e, struct error *err);
bool compile_string(struct compiler *c, const char *name, const struct expr *e, uint16_t bytes,
		    struct error *err);
bool compile_chars(struct compiler *c, const char *name, const struct expr *e, uint16_t bytes, struct error *err);
/*
 * Record the contents of e, which are a CONTENTS_TEXT, up to so many bytes, with the pointer to them, or that to the object where e
 * is one.
 */
bool compile_contents_text(struct compiler *c, const char *name, const struct expr *e, const struct expr_contents *contents,
			   uint16_t bytes, struct error *err);

/*
 * Record bytes in memory to show them in such a form: those of an array, a struct or a slice, or those that a pointer
 * points at.  `what` stands before messages.
 */
/* Is it an address of IPv6: sixteen bytes, or a struct of that size, or a pointer to one? */
bool compile_is_ip6(const struct expr *e);
bool compile_bytes(struct compiler *c, const char *name, const struct expr *e, enum show show, const char *what,
		   struct error *err);

/* Record what the form says of the kernel's object that e points at. */
bool compile_object(struct compiler *c, const char *name, const struct expr *e, enum show show, const char *what,
		    struct error *err);

/* Is it an array or a slice in memory that is recorded as one item: a text, or bytes? */
bool compile_is_row(const struct expr *e);

/* As compile_value(); of a pointer to characters only the text is recorded, under that name. */
bool compile_labelled(struct compiler *c, const char *name, const struct expr *e, struct error *err);

/*
 * In a tracepoint that closes calls: record the duration in ticks, then all items that the opening tracepoint
 * recorded with descriptor `from`, and the measurement saved.
 */
bool compile_saved(struct compiler *c, const struct desc *from, struct error *err);

/* In a tracepoint that closes calls: the duration, shown with its unit; the items of the next ENTRY. */
bool compile_elapsed(struct compiler *c, struct error *err);
bool compile_entry(struct compiler *c, struct error *err);

bool compile_if(struct compiler *c, const struct expr *e, struct error *err);
void compile_only(struct compiler *c, enum compile_only kind, bool is_not, const uint64_t value[2]);

/*
 * compile_finish(): store the program in the descriptor and release the compiler's data.  compile_drop(): only
 * release it.
 */
bool compile_finish(struct compiler *c, struct error *err);
void compile_drop(struct compiler *c);

#endif
