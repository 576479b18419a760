/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compile_int.h - shared by compile.c and compile_expr.c only. */
#ifndef KTRACE_COMPILE_INT_H
#define KTRACE_COMPILE_INT_H

#include "ctl/lang/compile.h"
#include "ctl/lang/expr.h"

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

bool expr_can_fault(const struct expr *e);

#endif
