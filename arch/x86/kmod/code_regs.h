/* SPDX-License-Identifier: GPL-2.0-only */
/* code_regs.h - where generated code has the registers of a program.  For generate.c. */
#ifndef KTRACE_X86_CODE_REGS_H
#define KTRACE_X86_CODE_REGS_H

#include "code_put.h"

/* The machine register for a register of the program, whatever it has. */
static inline u8 machine_reg(struct code *c, u8 reg)
{
	if (c->regs[reg] == NO_REG && c->pool) {
		c->regs[reg] = __builtin_ctz(c->pool & ~c->preserved ?: c->pool);
		c->pool &= ~BIT_OF(c->regs[reg]);
		c->saved |= c->preserved & BIT_OF(c->regs[reg]);
	}
	c->lacks_regs |= c->regs[reg] == NO_REG;
	return c->regs[reg] == NO_REG ? AX : c->regs[reg];
}

/* The same, for an instruction that reads it. */
static inline u8 reg_of(struct code *c, u8 reg)
{
	struct pointer *known = &c->known[reg];
	const u8 to = machine_reg(c, reg);

	if (known->pending && known->offset)
		memory_op(c, true, LEA, to, known->base, known->offset);
	else if (known->pending)
		move(c, known->base, to);
	known->pending = false;
	return to;
}

/* The same, for an instruction that only sets it. */
static inline u8 target_of(struct code *c, u8 reg)
{
	c->known[reg].pending = false;
	return machine_reg(c, reg);
}

/* The machine register of the argument with this offset in the registers of the hit; NO_REG: it is only there. */
static inline u8 argument_at(struct code *c, s32 offset)
{
	u32 i;

	for (i = 0; i < NR_ARGUMENTS; i++) {
		const u8 reg = kt_x86_arguments[i][1];

		if (c->live & BIT_OF(reg) && offset == kt_reg_offset(kt_x86_arguments[i][0]))
			return c->varies ? c->moved[reg] : reg == DX ? c->second : reg;
	}
	return NO_REG;
}

/* The machine register with this offset in the registers of a hit; NO_REG: it is none of the 16. */
static inline u8 machine_at(s32 offset)
{
	static const u8 machine[NO_REG] = { AX, DX, CX, BX, SI, DI, BP, SP, R8, R9, R10, R11, R12, R13, R14, R15 };
	u32 dwarf;

	for (dwarf = 0; dwarf < NO_REG; dwarf++)
		if (kt_reg_offset(dwarf) == offset)
			return machine[dwarf];
	return NO_REG;
}

/* Load a register of the hit. */
static inline void load_register(struct code *c, u8 to, s32 offset)
{
	const u8 reg = c->is_direct ? machine_at(offset) : NO_REG;

	if (!c->is_direct)
		memory_op(c, true, MOV_LOAD, to, c->regs_at, offset);
	else if (reg == NO_REG)
		c->lacks_regs = true;
	else if (reg == SP)
		memory_op(c, true, LEA, to, SP, c->stack_at);
	else if (c->stacked[reg])
		memory_op(c, true, MOV_LOAD, to, SP, c->stacked[reg] - 1);
	else
		move(c, reg, to);
}

/* Where the machine has it; load it to rax if it is only there. */
static inline u8 source(struct code *c, s32 offset)
{
	const u8 argument = argument_at(c, offset), reg = c->is_direct ? machine_at(offset) : NO_REG;

	if (argument != NO_REG)
		return argument;
	if (reg != NO_REG && reg != SP && !c->stacked[reg])
		return reg;
	load_register(c, AX, offset);
	return AX;
}

/* Where a register of the program points to, plus a number. */
static inline struct pointer pointer_of(struct code *c, u8 reg, s32 offset)
{
	struct pointer pointer = c->known[reg];

	if (pointer.base == NO_REG || __builtin_add_overflow(pointer.offset, offset, &pointer.offset))
		return (struct pointer){ .base = reg_of(c, reg), .offset = offset };
	return pointer;
}

/* Other paths come to the end of a jump, or go on from its begin: what is pending must be in registers there. */
static inline void settle(struct code *c)
{
	u8 reg;

	for (reg = 0; reg < KT_NR_REGS; reg++)
		if (c->known[reg].pending)
			reg_of(c, reg);
}

/* Jumps come from other paths. */
static inline void forget(struct code *c)
{
	u32 i;

	for (i = 0; i < KT_NR_REGS; i++)
		c->known[i] = (struct pointer){ .base = NO_REG };
	c->compared = NO_REG;
}

#endif
