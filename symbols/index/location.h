/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * location.h - where a variable is at one place of a function, as a few steps
 * that a capture can follow: begin with a register or a constant, then add,
 * load, mask ...
 *
 * What needs more (branches, two registers in one expression, the value of a
 * register at an entry that is long past) is refused, by name.
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
	bool has_reg;		/* begins with a register, else with 0 */
	bool is_linked;		/* the first step adds an address as linked: it moves with the image */
	bool is_cfa;		/* reg + the first step is the CFA: for words */
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
	LOC_REGISTER,		/* its bits are those of value.reg */
	LOC_MEMORY,		/* value is its address */
	LOC_COMPUTED,		/* value is its value */
	LOC_BYTES,		/* its bytes are known */
};

struct loc_piece {
	enum loc_kind kind;
	struct loc_value value;
	const uint8_t *bytes;	/* LOC_BYTES */
	uint64_t len;
	uint64_t bits;		/* of the variable; 0: all of it */
	uint64_t from;		/* bit of the register or memory where they begin */
};

struct location {
	struct loc_piece pieces[LOC_PIECES];
	size_t nr;
};

enum loc_status {
	LOC_OK,
	LOC_NONE,		/* not anywhere at that place: optimised out */
	LOC_REFUSED,		/* somewhere, but not readable: see why */
};

struct loc_refusal {
	char why[160];		/* "the value that %REG had at entry is kept nowhere" */
};

/* Names of registers, by DWARF number; NULL where there is none. */
typedef const char *(*loc_reg_name)(uint16_t reg);

/* Where var of scope (or of one around it) is at an address, an offset from the image's base. */
enum loc_status location_of(const struct dbindex *ix, const struct scope *scope, const struct var *var,
			    uint32_t addr, loc_reg_name name, struct location *out, struct loc_refusal *refusal);

/* "%REG", "memory at %REG+0x20", "the constant 5", "computed: %REG+8". */
const char *location_words(const struct location *location, loc_reg_name name, char *buf, size_t size);

/*
 * All that is to be said of a variable's whereabouts in its function, up to
 * LOC_RANGES places: "%REG at +0x0..+0x70, %REG at .cold+0x4..+0x28".
 */
const char *location_everywhere(const struct dbindex *ix, const struct scope *scope, const struct var *var,
				loc_reg_name name, char *buf, size_t size);

/* For one expression; frame may be NULL.  What location_of() is made of, and for tests. */
struct loc_context {
	const uint8_t *frame;
	uint32_t frame_len;
	const struct ix_cfa *cfa;	/* NULL: not known there */
	bool is_entry;			/* nothing of the function was executed yet */
	uint64_t size;			/* of the variable, 0: not known */
	loc_reg_name name;
};

enum loc_status location_evaluate(const struct loc_context *context, const uint8_t *expr, uint32_t len,
				  struct location *out, struct loc_refusal *refusal);

#endif
