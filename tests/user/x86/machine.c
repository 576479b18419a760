// SPDX-License-Identifier: GPL-2.0-or-later
/* machine.c - execute the bytes of section.S.  See tests/user/machine.h.  This processor's stores are seen in order. */
#include "tests/user/machine.h"

#include <signal.h>

#include "tests/unit/unit.h"
#include "user/internal.h"

/* A long register has four numbers. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, V0, V1 = V0 + 4, V2 = V1 + 4 };

static const struct {
	x86_reg reg;
	uint8_t number, bytes;
} names[] = {
	{ X86_REG_RAX, RAX, 8 }, { X86_REG_RCX, RCX, 8 }, { X86_REG_RDX, RDX, 8 }, { X86_REG_RSP, RSP, 8 },
	{ X86_REG_RSI, RSI, 8 }, { X86_REG_RDI, RDI, 8 }, { X86_REG_R8, R8, 8 }, { X86_REG_R9, R9, 8 },
	{ X86_REG_R10, R10, 8 }, { X86_REG_R11, R11, 8 }, { X86_REG_EAX, RAX, 4 }, { X86_REG_ECX, RCX, 4 },
	{ X86_REG_EDX, RDX, 4 }, { X86_REG_ESI, RSI, 4 }, { X86_REG_EDI, RDI, 4 }, { X86_REG_R8D, R8, 4 },
	{ X86_REG_R9D, R9, 4 }, { X86_REG_R10D, R10, 4 }, { X86_REG_R11D, R11, 4 }, { X86_REG_R9W, R9, 2 },
	{ X86_REG_R9B, R9, 1 }, { X86_REG_XMM0, V0, 16 }, { X86_REG_XMM1, V1, 16 }, { X86_REG_YMM0, V0, 32 },
	{ X86_REG_YMM1, V1, 32 }, { X86_REG_YMM2, V2, 32 },
};

static uint64_t *reg_of(struct thread *t, x86_reg reg)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].reg == reg)
			return &t->regs[names[i].number];
	fail_msg("register %d", reg);
	return NULL;
}

static uint64_t address(struct thread *t, const cs_insn *insn, const x86_op_mem *mem)
{
	uint64_t at = mem->disp;

	if (mem->segment == X86_REG_FS)
		at += t->pointer;
	if (mem->base == X86_REG_RIP)
		at += insn->address + insn->size;
	else if (mem->base)
		at += *reg_of(t, mem->base);
	if (mem->index)
		at += *reg_of(t, mem->index) * mem->scale;
	return at;
}

static uint64_t narrow(uint64_t value, int bytes)
{
	return bytes < 8 ? value & ((1ULL << 8 * bytes) - 1) : value;
}

static uint64_t get(struct thread *t, const cs_insn *insn, int n)
{
	const cs_x86_op *op = &insn->detail->x86.operands[n];
	uint64_t value = 0;

	if (op->type == X86_OP_IMM)
		return narrow(op->imm, op->size);
	if (op->type == X86_OP_REG)
		return narrow(*reg_of(t, op->reg), op->size);
	memcpy(&value, (const void *)address(t, insn, &op->mem), op->size);
	return value;
}

static void store(void *to, uint64_t value, unsigned int bytes)
{
	if (!machine_forgets_order)
		machine_next_group();
	machine_store(to, value, bytes, false);
}

static void set(struct thread *t, const cs_insn *insn, uint64_t value)
{
	const cs_x86_op *op = &insn->detail->x86.operands[0];

	if (op->type == X86_OP_REG)
		*reg_of(t, op->reg) = narrow(value, op->size);
	else
		store((void *)address(t, insn, &op->mem), value, op->size);
}

/* The parts of a long store may be seen in any order. */
static void move_long(struct thread *t, const cs_insn *insn)
{
	const cs_x86_op *to = &insn->detail->x86.operands[0], *from = &insn->detail->x86.operands[1];
	uint8_t *at;
	uint64_t *reg;

	if (to->type == X86_OP_REG) {
		memcpy(reg_of(t, to->reg), (const void *)address(t, insn, &from->mem), to->size);
		return;
	}
	at = (uint8_t *)address(t, insn, &to->mem);
	reg = reg_of(t, from->reg);
	store(at, reg[0], 8);
	for (int i = 1; i < from->size / 8; i++)
		machine_store(at + 8 * i, reg[i], 8, false);
}

/*
 * A move with a register of 32 bytes.  It must not run on a processor without such registers.  Afterwards their upper halves
 * must be cleared (vzeroupper), since other instructions are slow until then.
 */
static void move_wide(struct thread *t, const cs_insn *insn)
{
	if (!ktrace_has_wide)
		raise(SIGILL);
	t->is_wide = true;
	move_long(t, insn);
}

/* The result of an instruction that sets flags. */
static uint64_t flags(struct thread *t, const cs_insn *insn, uint64_t value, bool carry)
{
	value = narrow(value, insn->detail->x86.operands[0].size);
	t->zero = !value;
	t->carry = carry;
	return value;
}

static void arithmetic(struct thread *t, const cs_insn *insn)
{
	const int nr = insn->detail->x86.op_count;
	const uint64_t a = get(t, insn, 0), b = nr > 1 ? get(t, insn, 1) : 1;

	switch (insn->id) {
	case X86_INS_ADD:
		set(t, insn, flags(t, insn, a + b, narrow(a + b, insn->detail->x86.operands[0].size) < a));
		break;
	case X86_INS_SUB:
		set(t, insn, flags(t, insn, a - b, a < b));
		break;
	case X86_INS_DEC:
		set(t, insn, flags(t, insn, a - 1, t->carry));
		break;
	case X86_INS_CMP:
		flags(t, insn, a - b, a < b);
		break;
	case X86_INS_TEST:
		flags(t, insn, a & b, false);
		break;
	case X86_INS_AND:
		set(t, insn, flags(t, insn, a & b, false));
		break;
	case X86_INS_OR:
		set(t, insn, flags(t, insn, a | b, false));
		break;
	case X86_INS_XOR:
		set(t, insn, flags(t, insn, a ^ b, false));
		break;
	case X86_INS_SHL:
		set(t, insn, flags(t, insn, a << b, false));
		break;
	case X86_INS_SHR:
		set(t, insn, flags(t, insn, a >> b, false));
		break;
	case X86_INS_SHLD:
		set(t, insn, flags(t, insn, a << get(t, insn, 2) | b >> (32 - get(t, insn, 2)), false));
		break;
	default:
		fail_msg("%s %s", insn->mnemonic, insn->op_str);
	}
}

/* Is it a conditional jump?  *taken: its condition is true. */
static bool conditional(const struct thread *t, const cs_insn *insn, bool *taken)
{
	switch (insn->id) {
	case X86_INS_JE:
		*taken = t->zero;
		return true;
	case X86_INS_JNE:
		*taken = !t->zero;
		return true;
	case X86_INS_JA:
		*taken = !t->carry && !t->zero;
		return true;
	case X86_INS_JAE:
		*taken = !t->carry;
		return true;
	case X86_INS_JB:
		*taken = t->carry;
		return true;
	case X86_INS_JBE:
		*taken = t->carry || t->zero;
		return true;
	default:
		return false;
	}
}

static void clock_read(struct thread *t)
{
	const uint64_t now = machine_clock(true);

	t->regs[RAX] = (uint32_t)now;
	t->regs[RDX] = now >> 32;
}

/* True: it was one of those that only move data. */
static bool moved(struct thread *t, const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_MOV:
	case X86_INS_MOVQ:
	case X86_INS_MOVZX:
		set(t, insn, get(t, insn, 1));
		return true;
	case X86_INS_LEA:
		set(t, insn, address(t, insn, &insn->detail->x86.operands[1].mem));
		return true;
	case X86_INS_MOVUPS:
		move_long(t, insn);
		return true;
	case X86_INS_VMOVUPS:
		move_wide(t, insn);
		return true;
	case X86_INS_VZEROUPPER:
		t->is_wide = false;
		return true;
	case X86_INS_RDTSC:
		clock_read(t);
		return true;
	case X86_INS_ENDBR64:
	case X86_INS_NOP:
	case X86_INS_PAUSE:
		return true;
	default:
		return false;
	}
}

void machine_call(struct thread *t, const void *function, uint64_t a, uint64_t b, uint64_t c, void *top)
{
	memset(top, 0, 8);
	t->regs[RSP] = (uint64_t)top;
	t->regs[RDI] = a;
	t->regs[RSI] = b;
	t->regs[RDX] = c;
	t->ip = (uint64_t)function;
	t->is_wide = false;
}

uint32_t machine_result(const struct thread *t)
{
	return t->regs[RAX];
}

uint64_t machine_argument(const struct thread *t, unsigned int number)
{
	static const uint8_t of[] = { RDI, RSI, RDX };

	return t->regs[of[number]];
}

bool machine_step(struct thread *t)
{
	const cs_insn *insn = machine_decode(t->ip);
	bool taken;

	t->ip += insn->size;
	if (insn->address == machine_skipped)
		return true;
	if (insn->id == X86_INS_RET) {
		memcpy(&t->ip, (const void *)t->regs[RSP], 8);
		t->regs[RSP] += 8;
		return t->ip;
	}
	if (insn->id == X86_INS_JMP)
		t->ip = get(t, insn, 0);
	else if (conditional(t, insn, &taken))
		t->ip = taken ? get(t, insn, 0) : t->ip;
	else if (!moved(t, insn))
		arithmetic(t, insn);
	return true;
}
