/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * location.h - the location of a variable at one place of a function, as a few steps that a capture program can follow:
 * begin with a register or a constant, then add, load, mask ...
 *
 * Expressions that need more are refused with the reason: branches, two registers in one expression, or the
 * entry value of a register that has changed since.
 */
#ifndef KTRACE_LOCATION_H
#define KTRACE_LOCATION_H

#include "symbols/index/scope.h"

#define LOC_STEPS	12
#define LOC_PIECES	8

enum loc_op {
	LOC_ADD,
	LOC_LOAD,		/* n bytes from the address so far, zero-extended */
	LOC_AND, LOC_OR, LOC_XOR,
	LOC_SHL, LOC_SHR, LOC_SHRA,
	LOC_MUL,
	LOC_NEG, LOC_NOT,
};

struct loc_value {
	bool has_reg;		/* begins with a register; else with 0 */
	bool is_linked;		/* the first step adds a linked address, which moves with the image */
	bool is_cfa;		/* reg + the first step is the CFA; for text output */
	uint16_t reg;		/* DWARF number */
	struct loc_step {
		enum loc_op op;
		int64_t n;
	} steps[LOC_STEPS];
	size_t nr;
};

static inline struct loc_value loc_constant(int64_t n)
{
	return (struct loc_value){ .steps = { { LOC_ADD, n } }, .nr = 1 };
}

enum loc_kind {
	LOC_NOWHERE,		/* this piece was optimised out */
	LOC_REGISTER,		/* the value is in value.reg */
	LOC_MEMORY,		/* value is its address */
	LOC_COMPUTED,		/* value is its value */
	LOC_BYTES,		/* its bytes are constant */
};

struct loc_piece {
	enum loc_kind kind;
	struct loc_value value;
	const uint8_t *bytes;	/* LOC_BYTES */
	uint64_t len;
	uint64_t bits;		/* bits of the variable; 0: all */
	uint64_t from;		/* first bit in the register or memory */
};

struct location {
	struct loc_piece pieces[LOC_PIECES];
	size_t nr;
};

enum loc_status {
	LOC_OK,
	LOC_NONE,		/* optimised out at that place */
	LOC_REFUSED,		/* exists, but cannot be read: see why */
};

struct loc_refusal {
	char why[160];		/* "the value that %REG had at entry is kept nowhere" */
};

/* The name of a register by DWARF number.  NULL: there is none. */
typedef const char *(*loc_reg_name)(uint16_t reg);

struct calling;

/* Where in the code a location is asked for. */
struct loc_at {
	uint32_t addr;			/* offset from the image's base */
	bool is_entry;			/* no instruction of the function has run yet but those that every call begins with */
	bool is_clone;			/* the compiler changed the parameters of the function around it */
	const struct calling *calling;	/* NULL: at the entry, only what the debug information says is used */
	loc_reg_name name;
};

/*
 * The location of var, a variable of scope or of one around it.  At a function's entry a parameter is where the caller
 * put it.  In memory that the function has not written yet a variable is not readable.
 */
enum loc_status location_of(const struct dbindex *ix, const struct scope *scope, const struct var *var,
			    const struct loc_at *at, struct location *out, struct loc_refusal *refusal);

/* "%REG", "memory at %REG+0x20", "the constant 5", "computed: %REG+8". */
const char *location_words(const struct location *location, loc_reg_name name, char *buf, size_t size);

/*
 * All locations of a variable in its function as text, with up to six ranges: "%REG at +0x0..+0x70, %REG
 * at .cold+0x4..+0x28".
 */
const char *location_everywhere(const struct dbindex *ix, const struct scope *scope, const struct var *var,
				const struct loc_at *at, char *buf, size_t size);

/* The environment of one expression; frame may be NULL.  For location_of() and for tests. */
struct loc_context {
	const uint8_t *frame;
	uint32_t frame_len;
	const struct ix_cfa *cfa;	/* NULL: unknown there */
	bool is_entry;			/* no instruction of the function has run yet */
	uint64_t size;			/* of the variable; 0: unknown */
	loc_reg_name name;
};

enum loc_status location_evaluate(const struct loc_context *context, const uint8_t *expr, uint32_t len,
				  struct location *out, struct loc_refusal *refusal);

#endif
