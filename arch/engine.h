/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine.h - capstone for one architecture: opened when it is first needed.
 * It keeps state in its handle and its instruction: one of each for all threads.
 */
#ifndef KTRACE_ARCH_ENGINE_H
#define KTRACE_ARCH_ENGINE_H

#include <capstone/capstone.h>
#include <pthread.h>

#include "arch/arch.h"

struct engine {
	cs_arch arch;
	cs_mode mode;
	cs_opt_value syntax;
	/* From capstone's instruction; NULL: none was needed but the text. */
	void (*describe)(csh handle, const cs_insn *insn, struct arch_insn *out);
	pthread_mutex_t lock;
	bool tried;
	csh handle;
	cs_insn *insn;		/* NULL: capstone cannot be used */
};

/* One instruction; false where capstone knows none. */
bool engine_decode(struct engine *engine, const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out);
/* It lives as long as the program does; it is given back for leak checkers. */
void engine_close(struct engine *engine);

#endif
