/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compile.h - from options to the capture program of ktrace_abi.h.
 *
 * Each call adds one item or filter, in the order in which they were asked
 * for.  The program is: the filters; where an item can be unreadable, the
 * mask of those that were; the items.
 */
#ifndef KTRACE_COMPILE_H
#define KTRACE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "ctl/desc.h"
#include "ctl/error.h"

struct compiler {
	const struct arch_ops *arch;
	struct desc *desc;		/* fields and flags go there */
	struct kt_insn *body;
	size_t nr_body;
	size_t nr_emits;
	size_t payload;			/* bytes emitted */
	uint32_t *pids;			/* ONLYPID: any of them */
	size_t nr_pids;
	bool uses_frame;
	uint8_t method;			/* KT_METHOD_* asked for */
};

/* A property of the current task, KT_CUR_*; name as it is printed. */
bool compile_current(struct compiler *c, enum field_kind kind, const char *name,
		     enum kt_cur property, struct error *err);
bool compile_psr(struct compiler *c, struct error *err);
bool compile_allregs(struct compiler *c, struct error *err);
bool compile_reg(struct compiler *c, const struct arch_reg *reg, struct error *err);
bool compile_const(struct compiler *c, uint64_t value, struct error *err);
/* A word at a register and an offset. */
bool compile_relative(struct compiler *c, const char *base, uint16_t dwarf, int32_t offset,
		      struct error *err);
/* A word at a fixed address; name as it is printed. */
bool compile_fixed(struct compiler *c, const char *name, uint64_t addr, struct error *err);
void compile_only_pid(struct compiler *c, uint32_t pid);

/* Puts the program into the descriptor and releases what c holds. */
bool compile_finish(struct compiler *c, struct error *err);
void compile_drop(struct compiler *c);

#endif
