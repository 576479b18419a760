/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine.h - capstone for one architecture, opened when it is first needed.  Its handle and instruction have
 * state; all threads share one of each, under the lock.
 */
#ifndef KTRACE_ARCH_ENGINE_H
#define KTRACE_ARCH_ENGINE_H

#include <capstone/capstone.h>
#include <pthread.h>

#include "arch/arch.h"

/* Functions often begin with the same instructions, and capstone takes ten thousand instructions for each. */
#define ENGINE_KEPT	1024
#define ENGINE_INSN_MAX	15

struct kept_insn {
	uint8_t code[ENGINE_INSN_MAX];
	struct arch_insn insn;	/* len 0: nothing is kept here */
};

struct engine {
	cs_arch arch;
	cs_mode mode;
	cs_opt_value syntax;
	/* Fills in *out from capstone's instruction; NULL: only the text is needed. */
	void (*describe)(csh handle, const cs_insn *insn, struct arch_insn *out);
	pthread_mutex_t lock;
	bool tried;
	csh handle;
	cs_insn *insn;		/* NULL: capstone is not usable */
	struct kept_insn kept[ENGINE_KEPT];
};

/* Decode one instruction.  False: capstone does not know it. */
bool engine_decode(struct engine *engine, const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out);
/* Does the instruction belong to that group, such as CS_GRP_CALL?  Only for describe(), with its own arguments. */
bool engine_in_group(csh handle, const cs_insn *insn, unsigned int group);
/* Close the engine at the end of the program, for leak checkers. */
void engine_close(struct engine *engine);

#endif
