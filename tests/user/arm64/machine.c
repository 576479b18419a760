// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine.c - execute the bytes of section.S.  See tests/user/machine.h.  Each instruction has one word, so most are known by
 * capstone's names and its operands.
 */
#include "tests/user/machine.h"

#include <signal.h>

#include "tests/unit/unit.h"
#include "user/internal.h"

/* What capstone calls the registers of mrs. */
enum { TPIDR_EL0 = 0xde82, CNTVCT_EL0 = 0xdf02, CNTVCTSS_EL0 = 0xdf06 };

static const cs_arm64_op *op_of(const cs_insn *insn, int n)
{
	return &insn->detail->arm64.operands[n];
}

static bool is_word(arm64_reg reg)
{
	return (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30) || reg == ARM64_REG_WZR;
}

/* NULL: it is always 0. */
static uint64_t *reg_of(struct thread *t, arm64_reg reg)
{
	if (reg == ARM64_REG_XZR || reg == ARM64_REG_WZR)
		return NULL;
	if (is_word(reg))
		return &t->regs[reg - ARM64_REG_W0];
	if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28)
		return &t->regs[reg - ARM64_REG_X0];
	if (reg != ARM64_REG_X29 && reg != ARM64_REG_X30)
		fail_msg("register %d", reg);
	return &t->regs[reg == ARM64_REG_X29 ? 29 : 30];
}

static uint64_t get_reg(struct thread *t, arm64_reg reg)
{
	const uint64_t *from = reg_of(t, reg);

	return !from ? 0 : is_word(reg) ? (uint32_t)*from : *from;
}

static void set_reg(struct thread *t, arm64_reg reg, uint64_t value)
{
	uint64_t *to = reg_of(t, reg);

	if (to)
		*to = is_word(reg) ? (uint32_t)value : value;
}

static uint64_t shifted(const cs_arm64_op *op, uint64_t value)
{
	switch (op->shift.type) {
	case ARM64_SFT_LSL:
		return value << op->shift.value;
	case ARM64_SFT_LSR:
		return value >> op->shift.value;
	default:
		return value;
	}
}

static uint64_t get(struct thread *t, const cs_insn *insn, int n)
{
	const cs_arm64_op *op = op_of(insn, n);

	return shifted(op, op->type == ARM64_OP_IMM ? (uint64_t)op->imm : get_reg(t, op->reg));
}

static void set(struct thread *t, const cs_insn *insn, uint64_t value)
{
	set_reg(t, op_of(insn, 0)->reg, value);
}

/* ------------------------------------------------------------------------ memory */

/* The address of operand n, which may be followed by what is added afterwards. */
static uint64_t address(struct thread *t, const cs_insn *insn, int n)
{
	const cs_arm64_op *op = op_of(insn, n);
	uint64_t at = get_reg(t, op->mem.base) + op->mem.disp;

	if (op->mem.index)
		at += shifted(op, get_reg(t, op->mem.index));
	if (insn->detail->arm64.op_count > n + 1)
		*reg_of(t, op->mem.base) += op_of(insn, n + 1)->imm;
	return at;
}

static void load(struct thread *t, const cs_insn *insn, int nr)
{
	const uint64_t at = address(t, insn, nr);

	for (int i = 0; i < nr; i++) {
		const arm64_reg reg = op_of(insn, i)->reg;
		const int bytes = is_word(reg) ? 4 : 8;
		uint64_t value = 0;

		memcpy(&value, (const void *)(at + i * bytes), bytes);
		set_reg(t, reg, value);
	}
}

static void store(struct thread *t, const cs_insn *insn, bool release)
{
	const arm64_reg reg = op_of(insn, 0)->reg;
	const uint64_t value = get_reg(t, reg);

	machine_store((void *)address(t, insn, 1), value, is_word(reg) ? 4 : 8, release && !machine_forgets_order);
}

static bool moved(struct thread *t, const cs_insn *insn)
{
	switch (insn->id) {
	case ARM64_INS_LDR:
		load(t, insn, 1);
		return true;
	case ARM64_INS_LDP:
		load(t, insn, 2);
		return true;
	case ARM64_INS_STR:
		store(t, insn, false);
		return true;
	case ARM64_INS_STLR:
		store(t, insn, true);
		return true;
	case ARM64_INS_DMB:
		if (op_of(insn, 0)->barrier != ARM64_BARRIER_ISHST)
			fail_msg("dmb %s", insn->op_str);
		machine_next_group();
		return true;
	default:
		return false;
	}
}

/* ------------------------------------------------------------------------ special registers */

static void read_special(struct thread *t, const cs_insn *insn)
{
	switch ((unsigned int)op_of(insn, 1)->reg) {
	case TPIDR_EL0:
		set(t, insn, t->pointer);
		break;
	case CNTVCT_EL0:
		set(t, insn, machine_clock(t->in_order));
		break;
	case CNTVCTSS_EL0:
		if (!ktrace_clock_is_ordered)
			raise(SIGILL);
		set(t, insn, machine_clock(true));
		break;
	default:
		fail_msg("mrs %s", insn->op_str);
	}
}

static bool is_special(struct thread *t, const cs_insn *insn)
{
	const bool was_in_order = t->in_order;

	t->in_order = false;
	switch (insn->id) {
	case ARM64_INS_ISB:
		t->in_order = true;
		return true;
	case ARM64_INS_MRS:
		t->in_order = was_in_order;
		read_special(t, insn);
		return true;
	case ARM64_INS_HINT:
	case ARM64_INS_YIELD:
	case ARM64_INS_NOP:
		return true;
	default:
		return false;
	}
}

/* ------------------------------------------------------------------------ computing */

static void compare(struct thread *t, const cs_insn *insn, int n)
{
	const uint64_t a = get(t, insn, n), b = get(t, insn, n + 1);

	t->zero = a == b;
	t->carry = a >= b;
}

static void arithmetic(struct thread *t, const cs_insn *insn)
{
	const uint64_t a = insn->detail->arm64.op_count > 1 ? get(t, insn, 1) : 0;
	const uint64_t b = insn->detail->arm64.op_count > 2 ? get(t, insn, 2) : 0;

	switch (insn->id) {
	case ARM64_INS_CMP:
		compare(t, insn, 0);
		break;
	case ARM64_INS_MOV:
	case ARM64_INS_MOVZ:
	case ARM64_INS_ADRP:
		set(t, insn, a);
		break;
	case ARM64_INS_MOVK:
		set(t, insn, (get(t, insn, 0) & ~(0xffffULL << op_of(insn, 1)->shift.value)) | a);
		break;
	case ARM64_INS_ADD:
		set(t, insn, a + b);
		break;
	case ARM64_INS_SUB:
		if (insn->detail->arm64.update_flags)
			compare(t, insn, 1);
		set(t, insn, a - b);
		break;
	case ARM64_INS_ORR:
		set(t, insn, a | b);
		break;
	case ARM64_INS_LSR:
		set(t, insn, a >> b);
		break;
	case ARM64_INS_UBFX:
		set(t, insn, a >> b & ((1ULL << get(t, insn, 3)) - 1));
		break;
	default:
		fail_msg("%s %s", insn->mnemonic, insn->op_str);
	}
}

/* ------------------------------------------------------------------------ jumps */

static bool holds(const struct thread *t, const cs_insn *insn)
{
	switch (insn->detail->arm64.cc) {
	case ARM64_CC_INVALID:
	case ARM64_CC_AL:
		return true;
	case ARM64_CC_EQ:
		return t->zero;
	case ARM64_CC_NE:
		return !t->zero;
	case ARM64_CC_HS:
		return t->carry;
	case ARM64_CC_LO:
		return !t->carry;
	case ARM64_CC_HI:
		return t->carry && !t->zero;
	default:
		fail_msg("%s %s", insn->mnemonic, insn->op_str);
		return false;
	}
}

/* True: it is a jump.  It is taken if the condition of its first operands holds, and goes to its last one. */
static bool jumped(struct thread *t, const cs_insn *insn)
{
	const uint8_t nr = insn->detail->arm64.op_count;
	const uint64_t value = nr > 1 ? get(t, insn, 0) : 0;
	bool taken;

	switch (insn->id) {
	case ARM64_INS_B:
		taken = holds(t, insn);
		break;
	case ARM64_INS_CBZ:
		taken = !value;
		break;
	case ARM64_INS_CBNZ:
		taken = value;
		break;
	case ARM64_INS_TBZ:
		taken = !(value >> get(t, insn, 1) & 1);
		break;
	default:
		return false;
	}
	if (taken)
		t->ip = get(t, insn, nr - 1);
	return true;
}

void machine_call(struct thread *t, const void *function, uint64_t a, uint64_t b, uint64_t c, void *top)
{
	t->regs[0] = a;
	t->regs[1] = b;
	t->regs[2] = c;
	t->regs[30] = 0;
	t->ip = (uint64_t)function;
}

uint32_t machine_result(const struct thread *t)
{
	return t->regs[0];
}

uint64_t machine_argument(const struct thread *t, unsigned int number)
{
	return t->regs[number];
}

bool machine_step(struct thread *t)
{
	const cs_insn *insn = machine_decode(t->ip);

	t->ip += insn->size;
	if (insn->address == machine_skipped)
		return true;
	if (insn->id == ARM64_INS_RET) {
		t->ip = t->regs[30];
		return t->ip;
	}
	if (!is_special(t, insn) && !jumped(t, insn) && !moved(t, insn))
		arithmetic(t, insn);
	return true;
}
