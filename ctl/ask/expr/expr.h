/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expr.h - C expressions over registers and memory, for VAR, STR and IF.
 *
 * file->f_path.dentry->d_name.name		variables, members
 * next_tid, next_pid				fields of an event, by ARGS's and tracefs's names
 * *(u64*)($REG+0x18), ((u8*)$REG)[3]		memory behind what a register points at
 * ((struct file *)$REG)->f_flags		the same by its type
 * $pid, current				properties of the task (property.h), the task itself
 * this_cpu(name), per_cpu(name, 1)		a per-CPU variable of this CPU, of CPU 1
 * &name, &this_cpu(name)			the address of a variable
 * name[2..5]					elements 2 to 5; only to record them
 * sizeof(struct file), sizeof(file->f_pos)	bytes of a type, of a value
 * offsetof(struct file, f_pos)			where a member begins
 * container_of(node, struct file, f_pos)	the object whose member the pointer points at
 * ELAPSED > 1.5ms				at a return; units ns, us, ms, s
 * current->comm == "dd"			a text: == != and, with a pattern of * and ?, =~ !~
 *
 * a ? b : c as in C, but both are numbers or both are pointers.
 *
 * Operators, precedence, integer promotions and pointer arithmetic are those of C.  A number is decimal,
 * hexadecimal with 0x, or octal with 0.  expr.c parses the text to a tree, expr_name.c and expr_type.c resolve
 * names and types, and compile_expr.c compiles the tree.
 */
#ifndef KTRACE_EXPR_H
#define KTRACE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "core/ktrace_abi.h"
#include "ctl/base/error.h"
#include "symbols/index/scope.h"
#include "symbols/symtab/symbols.h"

enum expr_kind {
	EXPR_NUMBER,
	EXPR_DOLLAR,		/* $name: a register or a property of the task */
	EXPR_NAME,		/* a symbol */
	EXPR_THIS_CPU,		/* this_cpu(name) */
	EXPR_PER_CPU,		/* per_cpu(name, a) */
	EXPR_SIZEOF,		/* sizeof(a); a type is a cast without a value */
	EXPR_REG,		/* a resolved EXPR_DOLLAR */
	EXPR_CUR,
	EXPR_SYSARG,		/* argument `value` of the system call that the task is in */
	EXPR_ELAPSED,		/* ticks since the call was entered */
	EXPR_UNARY,		/* - ~ ! of a */
	EXPR_BINARY,
	EXPR_CAST,
	EXPR_LOAD,		/* *a */
	EXPR_ADDRESS,		/* &a */
	EXPR_SLICE,		/* a[first..last]; the two ends are one EXPR_VALUES */
	EXPR_MEMBER,		/* a.name */
	EXPR_ARROW,		/* a->name */
	EXPR_CHOICE,		/* a ? b : c; the two values are one EXPR_VALUES */
	EXPR_VALUES,
	EXPR_TEXT,		/* "name", behind one of == != =~ !~ */
	EXPR_MATCH,		/* the string at address a, of which the first `value` bytes count, matches pattern `name` */
	EXPR_LOCATION,		/* a variable that is not, or not completely, in memory */
};

/* Values of OP_... are also indices of the table of operators. */
enum expr_op {
	OP_NONE,
	OP_LOR, OP_LAND, OP_OR, OP_XOR, OP_AND, OP_EQ, OP_NE, OP_LE, OP_LT, OP_GE, OP_GT, OP_SHL,
	OP_SHR, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD,
	OP_NOT, OP_INVERT, OP_MINUS,
	OP_LIKE, OP_UNLIKE,	/* =~ !~ */
};

enum expr_shape {
	SHAPE_NUMBER,		/* a number or void */
	SHAPE_COMPOSITE,
	SHAPE_ARRAY,
	SHAPE_FUNCTION,
};

struct expr_type {
	/* 1, 2, 4, 8: size of the number at the end of all pointers; 0: void, or not a number */
	uint8_t bytes;
	bool is_signed;
	bool is_char;		/* a char: a pointer to it is a string; an array: its elements are one text */
	bool is_float;		/* a floating-point number of 4 or 8 bytes: its bits are not its value */
	bool is_byte;		/* an unsigned one, but not a bool: an array of them is shown as bytes, not as text */
	uint8_t stars;		/* depth of pointers; 0: not a pointer */
	bool is_time;		/* ELAPSED, or a number with a unit of time, in ns until it is resolved */
	uint8_t bits;		/* of a bit-field; else 0 */
	uint8_t indexed;	/* array dimensions already indexed */
	uint8_t show;		/* enum show: how its values are shown, known from its name */
	const char *flags;	/* SHOW_FLAGS: the type whose flags have names, see flag_table.h; else NULL */
	uint16_t slice;		/* so many elements in memory, each of this type; 0: one value */
	enum expr_shape shape;	/* at the end of all pointers */
	/* the index that has type `number`; NULL: the type is not from debug information */
	const struct dbindex *ix;
	uint32_t number;
};

struct expr {
	enum expr_kind kind;
	enum expr_op op;
	struct expr_type type;
	size_t at;		/* position in the text */
	uint64_t value;		/* EXPR_NUMBER; the address of a name; EXPR_LOCATION: its first bit */
	const struct arch_reg *reg;
	enum kt_cur cur;
	uint8_t match;		/* EXPR_MATCH: KT_MATCH_* */
	char *name;		/* EXPR_DOLLAR, EXPR_NAME, EXPR_THIS_CPU, members; a cast: its type while unresolved */
	struct location *where;	/* EXPR_LOCATION */
	struct expr *a, *b;
};

#define EXPR_MAX_SLICE	512	/* elements */

/*
 * Parse the longest expression at the start of text; *used is its length with trailing blanks.  NULL: err is
 * set; `what` stands before the text in the message.  The caller frees the tree.
 */
struct expr *expr_parse(const char *what, const char *text, size_t *used, struct error *err);
void expr_free(struct expr *e);

struct vars;

/* The environment in which names are resolved. */
struct expr_names {
	const struct arch_ops *arch;
	const struct symtab *tab;	/* NULL: no symbols */
	struct vars *vars;		/* NULL: no variables and types */
	bool takes_slice;		/* the whole expression may be a slice */
	bool in_row;			/* it is itself a field's, see arch/event_row.h: it names no other field */
};

/* Resolve names and types, and fold constants. */
bool expr_resolve(struct expr *e, const char *what, const char *text,
		  const struct expr_names *names, struct error *err);
/* A resolved expression for a variable; `what` stands before the name in messages. */
struct expr *expr_variable(const struct scope *scope, const struct var *var, const char *what,
			   const struct expr_names *names, struct error *err);

enum expr_part {
	PART_END,		/* there are fewer parts */
	PART_OK,
	PART_VARIANT,		/* the same: a number that tells the variant, see expr_variants() */
	PART_OF_VARIANT,	/* the same: a part that is unreadable where the object has another variant */
	PART_NONE,		/* the part is not available */
};

/* The names of the variants of a composite, and what its PART_VARIANT then is. */
void expr_variants(struct expr_type type, void (*each)(const char *name, uint64_t number, void *arg), void *arg);

/*
 * The n-th member of a resolved composite, or element of an array or a slice.  suffix is the text to append to its name:
 * ".len", "[2]", or "" for an unnamed member.
 */
enum expr_part expr_part(const struct expr *e, size_t n, const struct expr_names *names, char *suffix,
			 size_t size, struct expr **out);

/*
 * What a composite of a library stands for, of programs in C++, Rust and Go: a table of their forms is in expr_contents.c.
 * A form that the table does not have is shown by its members.
 */
enum contents_kind {
	CONTENTS_TEXT,		/* `length` characters at `what` */
	CONTENTS_ELEMENTS,	/* `length` elements, the first is what `what` points at */
	CONTENTS_OPTIONAL,	/* the object `what`, if `length` is not 0 */
	CONTENTS_VALUE,		/* `what` alone */
};

struct expr_contents {
	enum contents_kind kind;
	const char *length_name;	/* as the library calls it: "size", "len"; of CONTENTS_OPTIONAL "has_value" */
	struct expr *what, *length;	/* the caller frees them; length may be NULL */
};

/*
 * Of a resolved composite; the text of one that e points at.  False: the table does not have it, or a part is not where the table
 * says.
 */
bool expr_contents(const struct expr *e, const struct expr_names *names, struct expr_contents *out);
/* Element i of CONTENTS_ELEMENTS, unreadable where there are fewer; the object of CONTENTS_OPTIONAL, in any case. */
struct expr *expr_contents_part(const struct expr_contents *contents, size_t i);
void expr_contents_free(struct expr_contents *contents);

/* Where the program's address 0 is in the process: the file tells the rest, or the value is 0. */
struct expr *expr_base(const struct expr_names *names);

/* Size in bytes of a value of the type; is it signed? */
uint8_t expr_bytes(struct expr_type type);
bool expr_is_signed(struct expr_type type);
/* Is it a floating-point number itself, not a pointer to one? */
bool expr_is_float(struct expr_type type);
/*
 * expr_target(): the type that a pointer points at.  expr_element(): the element type of an array.
 * expr_pointer(): a pointer to the type.
 */
struct expr_type expr_target(struct expr_type type);
struct expr_type expr_element(struct expr_type type);
struct expr_type expr_pointer(struct expr_type type);
/* The type with this number in an index. */
struct expr_type expr_type_of(const struct dbindex *ix, uint32_t number);
/* Size of the type in memory; 0: unknown. */
uint64_t expr_size(struct expr_type type);
/* Elements of an array in its first dimension, or of a slice; 0: unknown. */
uint64_t expr_count(struct expr_type type);
bool expr_is_comparison(enum expr_op op);

/* A built-in type by name ("u32", "unsigned long").  False: there is none. */
bool expr_type_named(const char *name, struct expr_type *out);
const char *expr_type_name(size_t i);	/* the i-th suggested name; NULL: after the last */

/*
 * expr_label(): the length of the name in "NAME = EXPRESSION"; 0: there is none.  expr_labelled(): the expression
 * behind a name of that length, and its =.
 */
size_t expr_label(const char *text);
const char *expr_labelled(const char *text, size_t len);

/* The incomplete name at the end of text; "": none. */
const char *expr_last_name(const char *text);

/* Is name RETVAL or ELAPSED, which are options too? */
bool expr_is_word(const char *name);

/* Set err to "WHAT TEXT: at column N: message".  Returns false. */
bool expr_error(struct error *err, const char *what, const char *text, size_t at, const char *fmt,
		...) __attribute__((format(printf, 5, 6)));

static inline void expr_cleanup(struct expr **e)
{
	expr_free(*e);
}

#define AUTO_EXPR __attribute__((cleanup(expr_cleanup)))

#endif
