/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compile_int.h - internals of compile*.c. */
#ifndef KTRACE_COMPILE_INT_H
#define KTRACE_COMPILE_INT_H

#include "ctl/ask/lang/compile.h"
#include "ctl/ask/expr/expr.h"

/* Does value fit the sign-extended immediate of one instruction? */
static inline bool code_fits(uint64_t value)
{
	return (uint64_t)(int64_t)(int32_t)value == value;
}

void code_put(struct code *code, struct kt_insn insn);
void code_put_const(struct code *code, uint8_t dst, uint64_t value);
/* Load a register, or its named part, into dst. */
void code_put_reg(struct code *code, const struct arch_ops *arch, const struct arch_reg *reg,
		  uint8_t dst);

/* Compute the value of e in register 0. */
bool code_value(struct code *code, const struct arch_ops *arch, const struct expr *e,
		struct error *err);
/* Drop the hit if e is not true. */
bool code_filter(struct code *code, const struct arch_ops *arch, const struct expr *e,
		 struct error *err);
/* Compute the values of a and b in registers 0 and 1. */
bool code_values(struct code *code, const struct arch_ops *arch, const struct expr *a, const struct expr *b, struct error *err);
/* Emit the value of e as one KT_OP_EMITCHAIN.  False: e is not a chain. */
bool code_chain(struct code *code, const struct arch_ops *arch, const struct expr *e);
/* Emit e, which has `bytes` bytes, by one instruction.  False: it is neither a register nor an argument of the system call. */
bool code_direct(struct code *code, const struct arch_ops *arch, const struct expr *e, unsigned int bytes);

enum { VALUE };	/* the register of the capture machine for values of items */

/* Add an instruction; emit VALUE, as 4 or 8 bytes. */
void compile_put(struct compiler *c, struct kt_insn insn);
bool compile_put_emit(struct compiler *c, uint8_t bytes, struct error *err);
/* Add a field, NULL: there are too many, err is set; name it; give it a bit in the mask of what could not be read. */
struct field *compile_add_field(struct compiler *c, enum field_kind kind, uint8_t bytes, struct error *err);
void compile_name_field(struct field *field, const char *name);
void compile_may_fault(struct compiler *c, struct field *field);

/* Record the text at the address in VALUE, by an instruction of KT_OP_EMITSTR's form. */
bool compile_text_at(struct compiler *c, const char *name, uint8_t op, uint16_t bytes, struct error *err);
/* An instruction has emitted so many bytes.  False: the record is too large, err is set. */
bool compile_emitted(struct compiler *c, size_t bytes, struct error *err);

/* Record an array or a slice of bytes, or the first of them. */
bool compile_byte_array(struct compiler *c, const char *name, const struct expr *e, struct error *err);

/* Give a number the names and the form that its type has. */
void compile_names(struct compiler *c, struct field *field, struct expr_type type);

/* Compile the filters of compile_only(): all kinds must match, each by any of its values, and no negated one may. */
bool compile_onlies(struct compiler *c, struct error *err);

/* May the value be unreadable?  in_call: hits are in a system call. */
bool expr_can_fault(const struct expr *e, bool in_call);

/* An item for a number or a pointer. */
bool compile_number(struct compiler *c, const char *name, const struct expr *e, struct error *err);
/* The text in an array, up to the size of the array. */
bool compile_text(struct compiler *c, const char *name, const struct expr *e, struct error *err);

#endif
