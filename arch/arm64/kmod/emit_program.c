// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit_program.c - the instructions of capture programs.  See kmod/code/code.h.
 *
 * Registers of the code that writes a payload (struct kt_code.run):
 *	x0	the registers of the hit
 *	x1	the payload
 *	x2	the current task
 *	x3	the registers of the system call, if the program reads its arguments
 *	x4 .. x11	registers 0 .. 7 of the program
 *	x12	an address, then the value that a load finds there
 *	x13	scratch, also of loads
 *	x15	the return address, if the code calls functions
 *	x16, x17	where the direct map begins, and its size, if the program loads
 * The code of a whole hit writes its payload in the same way, with other registers: see emit_hit.c.
 *
 * This code is a leaf: it stores no return address in memory, so it needs neither to sign it nor a shadow call stack.
 */
#include "core/capture_run.h"
#include "emit_arm64.h"

enum { REGS, OUT, TASK, SYSCALL, FIRST, RETURN = 15 };

const u8 kt_code_conditions[KT_NR_CMPS] = {
	[KT_CMP_EQ] = IF_EQUAL, [KT_CMP_NE] = IF_NOT_EQUAL, [KT_CMP_LT] = IF_BELOW, [KT_CMP_LE] = IF_NOT_ABOVE,
	[KT_CMP_SLT] = IF_LESS, [KT_CMP_SLE] = IF_NOT_GREATER, [KT_CMP_GT] = IF_ABOVE, [KT_CMP_GE] = IF_NOT_BELOW,
	[KT_CMP_SGT] = IF_GREATER, [KT_CMP_SGE] = IF_NOT_LESS,
};

/* --------------------------------------------------------------------- registers */

void kt_code_begin(struct code *c)
{
	c->a.scratch = SCRATCH;
}

void kt_code_end(struct code *c)
{
	c->a.scratch = TEMP2;
}

/* Values are in their registers at once. */
void kt_code_settle(struct code *c)
{
}

void kt_code_meet(struct code *c)
{
}

void kt_code_forget(struct code *c, u8 reg)
{
}

bool kt_code_is_good(const struct code *c)
{
	return !c->a.too_far && !c->a.lacks;
}

u8 kt_code_reads(struct code *c, u8 reg)
{
	return c->a.first + reg;
}

u8 kt_code_sets(struct code *c, u8 reg)
{
	c->a.used |= BIT_OF(c->a.first + reg);
	return c->a.first + reg;
}

u8 kt_code_changes(struct code *c, u8 reg)
{
	return kt_code_sets(c, reg);
}

struct address kt_code_address(struct code *c, u8 reg, s32 offset)
{
	return (struct address){ c->a.first + reg, offset };
}

/* A register of the hit, by its offset in struct pt_regs: where the machine has it; or in `to`, if it is only in memory. */
static u8 source(struct code *c, u8 to, s32 offset)
{
	const u32 n = offset / sizeof(u64);

	c->a.read |= n < 64 ? 1ULL << n : 0;
	if (n < SP && c->a.live & BIT_OF(n))
		return n;
	if (c->regs_at == SP && n == SP)
		put_sum(c, to, SP, KT_FRAME_BYTES);
	else
		put_load(c, to, c->regs_at, offset, 8);
	c->a.lacks |= c->regs_at == SP && n != SP && (n >= 64 || !(c->a.in_memory >> n & 1));
	return to;
}

u8 kt_code_source(struct code *c, s32 offset)
{
	return source(c, VALUE, offset);
}

void kt_code_reg(struct code *c, u8 reg, s32 offset)
{
	const u8 to = kt_code_sets(c, reg);

	put_move(c, to, source(c, to, offset));
}

/* ------------------------------------------------------------------------ loads */

static const struct {
	const char *load;
	u32 extend;		/* the instruction that extends the sign; 0: the load does it */
	u8 bits;
} sizes[KT_NR_SIZES] = {
	[KT_SIZE_U8] = { kt_arm64_code_load8, 0, 8 }, [KT_SIZE_U16] = { kt_arm64_code_load16, 0, 16 },
	[KT_SIZE_U32] = { kt_arm64_code_load32, 0, 32 }, [KT_SIZE_U64] = { kt_arm64_code_load64, 0, 64 },
	[KT_SIZE_S8] = { kt_arm64_code_load8, SBFM, 8 }, [KT_SIZE_S16] = { kt_arm64_code_load16, SBFM, 16 },
	[KT_SIZE_S32] = { kt_arm64_code_load32, SBFM, 32 },
};

void kt_code_load(struct code *c, u8 base, s32 offset, u8 size)
{
	put_sum(c, VALUE, base, offset);
	put_call(c, sizes[size].load, AND_RETURN);
	put_branch(c, IF_NOT_BELOW, c->part->give_up);
	if (sizes[size].extend)
		put_extend(c, sizes[size].extend, VALUE, VALUE, sizes[size].bits);
}

bool kt_code_chain(struct code *c, const struct kt_insn *in, u8 base)
{
	return false;
}

bool kt_code_sixteen(struct code *c, struct address from)
{
	return false;
}

void kt_arm64_begin_loads(struct code *c)
{
	put_constant(c, DIRECT_START, KT_DIRECT_START);
	put_constant(c, DIRECT_BYTES, KT_DIRECT_BYTES);
}

/* ------------------------------------------------------------------- arithmetic */

static const u32 alus[KT_NR_ALUS] = {
	[KT_ALU_ADD] = ADD, [KT_ALU_SUB] = SUB, [KT_ALU_MUL] = MUL, [KT_ALU_AND] = AND, [KT_ALU_OR] = ORR, [KT_ALU_XOR] = EOR,
	[KT_ALU_SHL] = LSLV, [KT_ALU_SHR] = LSRV, [KT_ALU_SAR] = ASRV,
};

bool kt_code_alu(struct code *c, u8 how, u8 reg, u8 with)
{
	put_op(c, alus[how], reg, reg, with);
	return alus[how];
}

bool kt_code_alu_number(struct code *c, u8 how, u8 reg, s32 number)
{
	put_small(c, SCRATCH, number);
	return kt_code_alu(c, how, reg, SCRATCH);
}

bool kt_code_add(struct code *c, u8 reg, s32 number)
{
	put_add_number(c, kt_code_changes(c, reg), number);
	return true;
}

void kt_code_extend(struct code *c, u8 reg, u8 size)
{
	put_extend(c, sizes[size].extend ?: UBFM, reg, reg, sizes[size].bits);
}

void kt_code_high(struct code *c, u8 reg, s32 number)
{
	put_part(c, MOVK, reg, 2, number);
	put_part(c, MOVK, reg, 3, (u32)number >> 16);
}

/* ----------------------------------------------------------- the code of a payload */

/* x12 = the address of the text, x13 = its most bytes without its 0 */
bool kt_code_text_item(struct code *c, const struct kt_insn *in)
{
	put_sum(c, OUT, OUT, c->offset);
	put_move(c, VALUE, kt_code_reads(c, in->src));
	put_constant(c, SCRATCH, (u32)in->imm - 1);
	put_call(c, kt_arm64_code_text, AND_RETURN);
	put_branch(c, IF_NO_TEXT, c->part->give_up);
	c->offset = 0;
	return true;
}

void kt_code_run_begin(struct code *c, int needs)
{
	c->a.first = FIRST;
	c->a.scratch = SCRATCH;
	c->regs_at = REGS;
	c->out = OUT;
	c->task = TASK;
	c->call = SYSCALL;
	put(c, BTI_C);
	if (needs & (NEEDS_LOADS | NEEDS_CALL))
		put_move(c, RETURN, KT_LR);
	if (needs & NEEDS_LOADS)
		kt_arm64_begin_loads(c);
	if (needs & NEEDS_CALL) {
		put_branch_by(c, CBNZ | SYSCALL, c->n + 3 * KT_INSN_BYTES);
		put_call(c, kt_arm64_code_call, AND_RETURN);
		put_branch_by(c, CBZ | SYSCALL, c->part->give_up);
	}
}

/* A payload that varies ends at x0. */
void kt_code_run_end(struct code *c, int needs)
{
	if (c->varies)
		put_sum_by(c, 0, OUT, c->offset, SCRATCH);
	put(c, RET | (needs & (NEEDS_LOADS | NEEDS_CALL) ? RETURN : KT_LR) << 5);
}

/* kt_capture_rest(insns, regs, out, NULL); or, where the payload varies, return NULL. */
void kt_code_run_rest(struct code *c, int needs)
{
	if (c->varies) {
		put_move(c, 0, KT_ZERO);
		return put(c, RET | RETURN << 5);
	}
	put_move(c, KT_LR, RETURN);
	put_move(c, 2, OUT);
	put_move(c, 1, REGS);
	put_constant(c, 0, (unsigned long)c->part->insns);
	put_move(c, 3, KT_ZERO);
	put_call(c, kt_capture_rest, LEAVE);
}
