/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calling.h - where the caller puts a function's arguments, by the calling convention and the types: that of System V
 * (section 3.2.3 of its supplement), or AAPCS64 (section 6.8).
 *
 * A type that is not classified with certainty makes its parameter and all behind it unknown.
 */
#ifndef KTRACE_CALLING_H
#define KTRACE_CALLING_H

#include "symbols/index/scope.h"

/* What the two conventions differ in.  Registers by DWARF number. */
struct calling {
	const uint16_t *args;		/* for whole numbers and addresses */
	size_t nr_args;
	uint16_t first_vector;		/* for floating-point numbers */
	size_t nr_vectors;
	/*
	 * A composite of more than two words is passed by its address, one of up to four equal floating-point
	 * numbers in as many registers, and the address of a result has a register of its own.
	 */
	bool is_aapcs;
};

enum argument_kind {
	ARGUMENT_UNKNOWN,
	ARGUMENT_NONE,			/* of no size */
	ARGUMENT_IN_REGISTERS,
	ARGUMENT_ON_STACK,
	ARGUMENT_BY_REFERENCE,		/* its address is in a register */
};

#define ARGUMENT_REGISTERS	4
#define ARGUMENT_NO_OFFSET	UINT64_MAX

struct argument {
	enum argument_kind kind;
	uint16_t regs[ARGUMENT_REGISTERS];
	size_t nr;
	uint8_t each;			/* bytes in each register */
	uint64_t offset;		/* on the stack, from the CFA; ARGUMENT_NO_OFFSET: unknown */
};

/*
 * The arguments of a function's parameters, in their order; other variables are ARGUMENT_UNKNOWN.  The caller frees the
 * array of function->nr_vars.  NULL: there is no memory.
 */
struct argument *calling_arguments(const struct dbindex *ix, const struct scope *function, const struct calling *calling);
/* Does the symbol name a copy of a function that the compiler calls with other parameters than the source says? */
bool calling_is_clone(const char *symbol);

#endif
