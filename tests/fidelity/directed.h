/* SPDX-License-Identifier: GPL-2.0-or-later */
/* directed.h - instructions that are part of every run. */
#ifndef FIDELITY_DIRECTED_H
#define FIDELITY_DIRECTED_H

#include <linux/types.h>

enum expect {
	EXPECT_MOVED,	/* it can be executed at another address */
	EXPECT_REFUSED,
	EXPECT_EITHER,	/* refused, or moved with the same result */
};

struct directed {
	const char *bytes;	/* hexadecimal; each trial chooses its branch distances */
	const char *what;
	enum expect expect;
	u8 vary, span;		/* byte `vary` takes `span` values, beginning with the given one */
	bool counts;		/* rcx must be `count` */
	bool itself;		/* the branch leads to itself */
	bool stack_good;	/* rsp must be in the window and aligned */
	s64 count;
};

/* The number of rows, with every span expanded. */
unsigned int directed_nr(void);

/* bytes[MAX_INSN_SIZE] gets row `number`, followed by int3. */
const struct directed *directed_get(unsigned int number, u8 *bytes);

#endif
