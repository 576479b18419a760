/* SPDX-License-Identifier: GPL-2.0-or-later */
/* location_frame.h - places that a function itself writes, and from where on they hold their variables. */
#ifndef KTRACE_LOCATION_FRAME_H
#define KTRACE_LOCATION_FRAME_H

#include "symbols/index/location.h"

#define LOC_FRAME_BYTES	8

struct loc_frame {
	uint32_t ready;		/* from here on the frame is set up, and has the parameters */
	bool is_by_register;	/* the frame base is reg, once the frame is set up */
	uint16_t reg;
	bool is_known;		/* how far the frame base is from the CFA */
	int32_t from_cfa;	/* frame base - CFA */
	uint8_t by_cfa[LOC_FRAME_BYTES];	/* an expression: the frame base by the CFA */
};

struct loc_frame location_frame(const struct dbindex *ix, const struct scope *function);

/* A place in the stack frame. */
enum loc_slot {
	SLOT_NONE,		/* it is none */
	SLOT_OWN,		/* of the function's own frame: garbage until the function writes it */
	SLOT_CALLERS,		/* where the caller put an argument */
};

/* The slot with which an expression begins. */
enum loc_slot location_slot(const struct loc_frame *frame, const uint8_t *expr, uint32_t len);
/* Does an expression begin with a slot, or is it a register and nothing else?  Such a place can hold for a whole function. */
bool location_is_home(const uint8_t *expr, uint32_t len);

/* The line of its declaration if the function has not reached it at addr; else 0. */
uint32_t location_undeclared(const struct dbindex *ix, const struct scope *scope, const struct var *var, uint32_t addr);
/* The first address from which such a variable may have been written; 0: unknown. */
uint32_t location_declared(const struct dbindex *ix, const struct scope *scope, const struct var *var);

#endif
