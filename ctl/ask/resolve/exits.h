/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exits.h - all exits of a function: its return instructions and tail jumps. */
#ifndef KTRACE_EXITS_H
#define KTRACE_EXITS_H

#include "ctl/ask/resolve/probe_point.h"

/* An instruction by which calls may leave the function. */
struct function_exit {
	uint64_t addr;
	uint64_t target;		/* of a tail call; 0: in a register, or it is a return */
	const struct sym *piece;	/* the function, or its .cold piece */
	bool is_return;
	bool is_sure;			/* whoever reaches it leaves; else a conditional jump */
};

struct exits {
	struct function_exit *v;
	size_t n;
	bool leaves;			/* some are tail calls, perhaps conditional ones */
	struct scans scans;		/* the code in which they were found */
};

/* List the exits of a function.  The caller frees *out, on failure, too. */
bool exits_list(const struct target *target, const struct sym *function, struct exits *out, struct error *err);
void exits_free(struct exits *exits);

/* Find the probe points that stand for its exits; none if it never returns.  On failure the caller still frees *out. */
bool exits_find(const struct target *target, const struct sym *function, struct probe_points *out, struct error *err);
/* Does the function jump to this instruction of itself, its entry?  Then a hit there need not be a call. */
bool exits_reenter(const struct target *target, const struct sym *function, uint64_t entry);
/*
 * Is this instruction of a function a tail call?  It passes control to another function, which returns to the
 * caller of this one.  A conditional branch can be one, too.
 */
bool exits_leave(const struct target *target, const struct sym *function, const struct arch_insn *insn);

#endif
