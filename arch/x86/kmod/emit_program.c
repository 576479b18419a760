// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit_program.c - the instructions of capture programs.  See kmod/code/code.h.
 *
 * Registers of the code that writes a payload (struct kt_code.run):
 *	rdi	the registers of the hit
 *	rsi	the payload
 *	rdx	the current task, if the program uses it
 *	rax	an address, then the value that a load finds there
 *	r11	scratch
 *	r10	the registers of the system call, if the program reads its arguments
 *	rcx	a distance of shifts, the length of texts
 *	r8, r9, and rcx, rdx and r10 if they have no use as above: registers of the program
 * The code of a whole hit writes its payload in the same way, with other registers: see emit_hit.c and emit_text.c.
 */
#include "calls.h"
#include "core/capture_run.h"
#include "emit_x86.h"

const u8 kt_code_conditions[KT_NR_CMPS] = {
	[KT_CMP_EQ] = IF_EQUAL, [KT_CMP_NE] = IF_NOT_EQUAL, [KT_CMP_LT] = IF_BELOW, [KT_CMP_LE] = IF_NOT_ABOVE,
	[KT_CMP_SLT] = IF_LESS, [KT_CMP_SLE] = IF_NOT_GREATER, [KT_CMP_GT] = IF_ABOVE, [KT_CMP_GE] = IF_NOT_BELOW,
	[KT_CMP_SGT] = IF_GREATER, [KT_CMP_SGE] = IF_NOT_LESS,
};

const u8 kt_x86_arguments[NR_ARGUMENTS][2] = { { 4, SI }, { 1, DX }, { 2, CX }, { 8, R8 }, { 9, R9 } };

#define MOST_OFFSET	(1 << 24)	/* of struct pointer */
#define CALL_BYTES	5
#define JNC_BYTES	6

#define MOVZX8		0xb60f
#define MOVZX16		0xb70f
#define MOVSX8		0xbe0f
#define MOVSX16		0xbf0f
#define MOVSX32		0x63

static void give_up_unless_carry(struct code *c)
{
	put_branch(c, IF_NO_CARRY, c->part->give_up);
}

/* --------------------------------------------------------------------- registers */

/* The machine register for a register of the program, whatever it has. */
static u8 machine_reg(struct code *c, u8 reg)
{
	if (c->a.regs[reg] == NO_REG && c->a.pool) {
		c->a.regs[reg] = __builtin_ctz(c->a.pool & ~c->a.preserved ?: c->a.pool);
		c->a.pool &= ~BIT_OF(c->a.regs[reg]);
		c->a.saved |= c->a.preserved & BIT_OF(c->a.regs[reg]);
	}
	c->a.lacks_regs |= c->a.regs[reg] == NO_REG;
	return c->a.regs[reg] == NO_REG ? AX : c->a.regs[reg];
}

static void forget_all(struct code *c)
{
	u32 i;

	for (i = 0; i < KT_NR_REGS; i++)
		c->a.known[i] = (struct pointer){ .base = NO_REG };
}

void kt_code_begin(struct code *c)
{
	memset(c->a.regs, NO_REG, sizeof(c->a.regs));
	memset(c->a.loads, 0, sizeof(c->a.loads));
	memset(c->a.last, 0, sizeof(c->a.last));
	c->a.any_load = false;
	c->a.nr_chains = 0;
	forget_all(c);
}

void kt_code_end(struct code *c)
{
}

void kt_code_settle(struct code *c)
{
	u8 reg;

	for (reg = 0; reg < KT_NR_REGS; reg++)
		if (c->a.known[reg].pending)
			kt_code_reads(c, reg);
}

void kt_code_meet(struct code *c)
{
	kt_code_settle(c);
	forget_all(c);
}

bool kt_code_is_good(const struct code *c)
{
	return !c->a.lacks_regs;
}

u8 kt_code_reads(struct code *c, u8 reg)
{
	struct pointer *known = &c->a.known[reg];
	const u8 to = machine_reg(c, reg);

	if (known->pending && known->offset)
		put_sum(c, to, known->base, known->offset);
	else if (known->pending)
		put_move(c, to, known->base);
	known->pending = false;
	return to;
}

u8 kt_code_sets(struct code *c, u8 reg)
{
	c->a.known[reg].pending = false;
	return machine_reg(c, reg);
}

u8 kt_code_changes(struct code *c, u8 reg)
{
	return kt_code_reads(c, reg);
}

void kt_code_forget(struct code *c, u8 reg)
{
	c->a.known[reg].base = NO_REG;
}

struct address kt_code_address(struct code *c, u8 reg, s32 offset)
{
	const struct pointer *known = &c->a.known[reg];
	s32 sum;

	if (known->base == NO_REG || __builtin_add_overflow(known->offset, offset, &sum))
		return (struct address){ kt_code_reads(c, reg), offset };
	return (struct address){ known->base, sum };
}

/* The machine register of the argument with this offset in the registers of the hit; NO_REG: it is only there. */
static u8 argument_at(struct code *c, s32 offset)
{
	u32 i;

	for (i = 0; i < NR_ARGUMENTS; i++) {
		const u8 reg = kt_x86_arguments[i][1];

		if (c->a.live & BIT_OF(reg) && offset == kt_reg_offset(kt_x86_arguments[i][0]))
			return c->varies ? c->a.moved[reg] : reg == DX ? c->a.second : reg;
	}
	return NO_REG;
}

/* Load a register of the hit. */
static void load_register(struct code *c, u8 to, s32 offset)
{
	const u8 reg = c->a.is_direct ? machine_at(offset) : NO_REG;

	if (!c->a.is_direct)
		memory_op(c, true, MOV_LOAD, to, c->regs_at, offset);
	else if (reg == NO_REG)
		c->a.lacks_regs = true;
	else if (reg == SP)
		memory_op(c, true, LEA, to, SP, c->a.stack_at);
	else if (c->a.stacked[reg])
		memory_op(c, true, MOV_LOAD, to, SP, c->a.stacked[reg] - 1);
	else
		put_move(c, to, reg);
}

/* Where the machine has it; load it to rax if it is only there. */
u8 kt_code_source(struct code *c, s32 offset)
{
	const u8 argument = argument_at(c, offset), reg = c->a.is_direct ? machine_at(offset) : NO_REG;

	if (argument != NO_REG)
		return argument;
	if (reg != NO_REG && reg != SP && !c->a.stacked[reg])
		return reg;
	load_register(c, AX, offset);
	return AX;
}

void kt_code_reg(struct code *c, u8 reg, s32 offset)
{
	const u8 argument = argument_at(c, offset);

	if (argument == NO_REG)
		load_register(c, kt_code_sets(c, reg), offset);
	c->a.known[reg] = (struct pointer){ argument, argument != NO_REG, 0 };
}

/* ------------------------------------------------------------------------ loads */

/*
 * Of the payload's code; of a hit, from anywhere; of a hit, from an argument that is checked; of a hit in a system call that is given;
 * of a direct jump.
 */
struct loads {
	const char *code, *hit, *checked, *call, *direct;
};

#define LOADS(bits)	\
	{ kt_x86_code_load##bits, kt_x86_hit_load##bits, kt_x86_hit_checked##bits, kt_x86_call_load##bits, kt_x86_direct_load##bits }

static const struct loads loads8 = LOADS(8), loads16 = LOADS(16), loads32 = LOADS(32), loads64 = LOADS(64);

static const struct {
	const struct loads *load;
	u32 extend;		/* the opcode that extends the sign; 0: none */
} sizes[KT_NR_SIZES] = {
	[KT_SIZE_U8] = { &loads8, 0 }, [KT_SIZE_U16] = { &loads16, 0 }, [KT_SIZE_U32] = { &loads32, 0 },
	[KT_SIZE_U64] = { &loads64, 0 }, [KT_SIZE_S8] = { &loads8, MOVSX8 }, [KT_SIZE_S16] = { &loads16, MOVSX16 },
	[KT_SIZE_S32] = { &loads32, MOVSX32 },
};

/* May a load up to base + offset + last rely on the check of the argument in base? */
static bool is_checked(struct code *c, u8 base, s32 offset, s32 last)
{
	if (!(c->a.live & ~BIT_OF(DX) & BIT_OF(base)) && !(c->a.live & BIT_OF(DX) && base == c->a.second))
		return false;
	if (offset < 0 || offset >= KT_X86_CHECKED)
		return false;
	c->a.loads[base] += c->part->now >= c->part->skipped;
	c->a.last[base] = offset + last > c->a.last[base] ? offset + last : c->a.last[base];
	return c->a.checked & BIT_OF(base);
}

static void call_hit_load(struct code *c, const struct loads *load, bool is_checked)
{
	if (is_checked)
		call(c, load->checked);
	else if (c->a.call_given)
		kt_x86_call_without_faults(c, load->call);
	else
		call(c, load->hit);
}

void kt_code_load(struct code *c, u8 base, s32 offset, u8 size)
{
	const struct loads *load = sizes[size].load;

	if (offset || base != AX)
		put_sum(c, AX, base, offset);
	c->a.any_load = true;
	if (c->a.is_direct) {
		call(c, load->direct);
		give_up_unless_carry(c);
	} else if (c->a.is_hit) {
		call_hit_load(c, load, is_checked(c, base, offset, 7));
	} else {
		call(c, load->code);
		give_up_unless_carry(c);
	}
	if (sizes[size].extend)
		put_extended(c, AX, AX, sizes[size].extend);
}

bool kt_code_sixteen(struct code *c, struct address from)
{
	if (!c->a.is_hit || !is_checked(c, from.base, from.offset, 15))
		return false;
	put_sum(c, AX, from.base, from.offset);
	c->a.any_load = true;
	call(c, kt_x86_hit_checked128);
	put_store(c, AX, c->out, c->offset, 8);
	put_store(c, R11, c->out, c->offset + 8, 8);
	c->offset += 16;
	return true;
}

/* See kt_x86_direct_chain1 in calls.h. */
bool kt_code_chain(struct code *c, const struct kt_insn *in, u8 base)
{
	static const char *const chains[KT_X86_CHAIN] = {
		kt_x86_direct_chain1, kt_x86_direct_chain2, kt_x86_direct_chain3, kt_x86_direct_chain4
	};

	if (!c->a.is_direct || in->aux != KT_SIZE_U64 || in->src < 2 || in->src > KT_X86_CHAIN || c->a.nr_chains == MOST_CHAINS)
		return false;
	put_move(c, AX, base);
	put_constant(c, DI, kt_direct_end());
	put_bytes(c, 0x0d8d48, 3);		/* lea table(%rip), %rcx */
	put_distance(c, c->at + c->a.chain_tables[c->a.nr_chains]);
	c->a.chains[c->a.nr_chains++] = in;
	call(c, chains[in->src - 1]);
	return true;
}

void kt_x86_chain_tables(struct code *c)
{
	u32 i, n;

	for (i = 0; i < c->a.nr_chains; i++) {
		put_bytes(c, c->at + c->part->give_up, 8);
		c->a.chain_tables[i] = c->n;
		for (n = 1; n <= c->a.chains[i]->src; n++)
			put_bytes(c, (u64)(s64)c->a.chains[i][n].imm - kt_direct_end(), 8);
	}
}

/* ------------------------------------------------------------------- arithmetic */

/* For the operations of the group 81 /n with a constant, of the instruction with a register, and of shifts. */
static const struct {
	u8 reg_opcode, number;
	bool is_shift;
} alus[KT_NR_ALUS] = {
	[KT_ALU_ADD] = { ADD, 0 }, [KT_ALU_SUB] = { SUB, 5 }, [KT_ALU_AND] = { AND, 4 }, [KT_ALU_OR] = { OR, 1 },
	[KT_ALU_XOR] = { XOR, 6 }, [KT_ALU_SHL] = { 0, 4, true }, [KT_ALU_SHR] = { 0, 5, true }, [KT_ALU_SAR] = { 0, 7, true },
};

bool kt_code_alu(struct code *c, u8 how, u8 reg, u8 with)
{
	if (alus[how].is_shift) {
		put_move(c, CX, with);
		regs_op(c, SHIFT_BY, alus[how].number, reg);
	} else if (how == KT_ALU_MUL) {
		put_multiply(c, reg, with);
	} else if (alus[how].reg_opcode) {
		regs_op(c, alus[how].reg_opcode, with, reg);
	} else {
		return false;
	}
	return true;
}

bool kt_code_alu_number(struct code *c, u8 how, u8 reg, s32 number)
{
	if (alus[how].is_shift) {
		regs_op(c, SHIFT_IMM, alus[how].number, reg);
		put8(c, number & 63);
	} else if (how == KT_ALU_MUL) {
		regs_op(c, MULTIPLY_IMM, reg, reg);
		put_bytes(c, number, 4);
	} else if (alus[how].reg_opcode) {
		regs_op(c, GROUP_IMM, alus[how].number, reg);
		put_bytes(c, number, 4);
	} else {
		return false;
	}
	return true;
}

bool kt_code_add(struct code *c, u8 reg, s32 number)
{
	struct pointer *known = &c->a.known[reg];
	s32 sum;

	if (known->base == NO_REG || __builtin_add_overflow(known->offset, number, &sum) ||
	    sum <= -MOST_OFFSET || sum >= MOST_OFFSET) {
		sum = 0;
		kt_code_reads(c, reg);
		known->base = NO_REG;
	}
	if (!known->pending)
		put_add_number(c, machine_reg(c, reg), number);
	known->offset = sum;
	return true;
}

void kt_code_extend(struct code *c, u8 reg, u8 size)
{
	if (size == KT_SIZE_U32)
		put_low(c, reg);
	else if (size != KT_SIZE_U64)
		put_extended(c, reg, reg, size == KT_SIZE_U8 ? MOVZX8 : size == KT_SIZE_U16 ? MOVZX16 : sizes[size].extend);
}

/* Clear the high half; rax = the new one: shl $32, %rax; or %rax, reg */
void kt_code_high(struct code *c, u8 reg, s32 number)
{
	put_low(c, reg);
	put_small(c, AX, number);
	put_shift_left(c, AX, 32);
	regs_op(c, OR, AX, reg);
}

/* ----------------------------------------------------------- the code of a payload */

/* rsi = where the text begins, rax = its address, ecx = its most bytes */
bool kt_code_text_item(struct code *c, const struct kt_insn *in)
{
	put_move(c, AX, kt_code_reads(c, in->src));
	if (c->offset)
		put_sum(c, SI, SI, c->offset);
	put8(c, 0xb9);			/* mov $imm, %ecx */
	put_bytes(c, in->imm, 4);
	call(c, kt_x86_code_text);
	give_up_unless_carry(c);
	c->offset = 0;
	return true;
}

void kt_code_run_begin(struct code *c, int needs)
{
	c->regs_at = DI;
	c->out = SI;
	c->task = DX;
	c->call = R10;
	c->a.pool = BIT_OF(R8) | BIT_OF(R9) | (needs & NEEDS_CALL ? 0 : BIT_OF(R10)) | (needs & NEEDS_COUNT ? 0 : BIT_OF(CX)) |
		    (needs & NEEDS_TASK ? 0 : BIT_OF(DX));
	put_endbr(c);
	if (needs & NEEDS_CALL) {
		put_move(c, R10, CX);
		regs_op(c, TEST, CX, CX);
		put8(c, 0x75);			/* jne over the next two */
		put8(c, CALL_BYTES + JNC_BYTES);
		call(c, kt_x86_code_call);
		give_up_unless_carry(c);
	}
}

/* A payload that varies ends at rax. */
void kt_code_run_end(struct code *c, int needs)
{
	if (c->varies)
		put_sum(c, AX, c->out, c->offset);
	jump_to(c, kt_x86_code_end);
}

/* kt_capture_rest(insns, regs, out, NULL); or, where the payload varies, return NULL. */
void kt_code_run_rest(struct code *c, int needs)
{
	if (c->varies) {
		put_bytes(c, 0xc031, 2);	/* xor %eax, %eax */
		return jump_to(c, kt_x86_code_end);
	}
	put_move(c, DX, SI);
	put_move(c, SI, DI);
	put_constant(c, DI, (unsigned long)c->part->insns);
	put_bytes(c, 0xc931, 2);		/* xor %ecx, %ecx */
	jump_to(c, kt_capture_rest);
}
