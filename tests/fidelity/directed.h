/* SPDX-License-Identifier: GPL-2.0-or-later */
/* directed.h - instructions that are in every run. */
#ifndef FIDELITY_DIRECTED_H
#define FIDELITY_DIRECTED_H

#include <linux/types.h>

enum expect {
	EXPECT_MOVED,	/* it can be executed elsewhere */
	EXPECT_REFUSED,
	EXPECT_EITHER,	/* refused, or moved and the same */
};

struct directed {
	const char *bytes;	/* hexadecimal; branch distances are chosen for each trial */
	const char *what;
	enum expect expect;
	u8 vary, span;		/* byte `vary` takes `span` values from the one given on */
	bool counts;		/* rcx is to be `count` */
	bool itself;		/* a branch to the instruction itself */
	bool stack_good;	/* rsp in the window and aligned */
	s64 count;
};

/* The table with every span written out. */
unsigned int directed_nr(void);

/* bytes[MAX_INSN_SIZE] gets number `number`, int3 behind it. */
const struct directed *directed_get(unsigned int number, u8 *bytes);

#endif
