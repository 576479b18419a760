/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compile_int.h - shared by the compile*.c only. */
#ifndef KTRACE_COMPILE_INT_H
#define KTRACE_COMPILE_INT_H

#include "ctl/lang/compile.h"
#include "ctl/lang/expr.h"

/* Is it the immediate of one instruction, which extends its sign? */
static inline bool code_fits(uint64_t value)
{
	return (uint64_t)(int64_t)(int32_t)value == value;
}

void code_put(struct code *code, struct kt_insn insn);
void code_put_const(struct code *code, uint8_t dst, uint64_t value);
/* A register, or the part of one that it is, in dst. */
void code_put_reg(struct code *code, const struct arch_ops *arch, const struct arch_reg *reg,
		  uint8_t dst);

/* The value in register 0. */
bool code_value(struct code *code, const struct arch_ops *arch, const struct expr *e,
		struct error *err);
/* Drops where it is not true. */
bool code_filter(struct code *code, const struct arch_ops *arch, const struct expr *e,
		 struct error *err);
/* The value as one KT_OP_EMITCHAIN; false: it is none. */
bool code_chain(struct code *code, const struct arch_ops *arch, const struct expr *e);

/* The filters of compile_only().  Each kind is one of its own: any of its values, all of the kinds. */
bool compile_onlies(struct compiler *c, struct error *err);

bool expr_can_fault(const struct expr *e);

#endif
