// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture.c - fuzz capture programs. A program that the verifier accepts must end, must touch nothing outside
 * the machine and its output, and must record the same as a second interpreter.
 *
 * The input is a machine (registers, properties of the task, memory), followed by instructions.
 */
#include <stdio.h>

#include "fuzz.h"

#include "tests/unit/capture_contract.h"
#include "tests/unit/capture_dice.h"

#include "ctl/base/device/payload.h"

#define WORDS		64	/* for registers, from 0 on, and properties; the same on all architectures */
#define CURRENT		40
#define PSR		63

struct input {
	u64 words[WORDS];
	u8 memory[MACHINE_BYTES];
	struct kt_insn insns[KT_MAX_PROG + 1];	/* one more than allowed */
};

#define FIXED	offsetof(struct input, insns)

_Static_assert(KT_NR_GENERAL <= CURRENT && CURRENT + KT_NR_CURS <= PSR, "the words have room for all");

static void machine_fill(struct machine *m, const struct input *in)
{
	machine_reset(m);
	memcpy(m->regs.general, in->words, sizeof(m->regs.general));
	m->regs.psr = in->words[PSR];
	/* Numbers have 32 bits; addresses and names use the whole word. */
	for (u32 i = 0; i < KT_NR_CURS; i++)
		m->current[i] = i < KT_CUR_TASK ? (u32)in->words[CURRENT + i] : in->words[CURRENT + i];
	memcpy(m->comm, in->words, sizeof(m->comm));
	memcpy(m->callers, in->words + 2, sizeof(m->callers));
	memcpy(m->memory, in->memory, sizeof(m->memory));
}

static void wrong(const char *what)
{
	fprintf(stderr, "capture program: %s\n", what);
	abort();
}

static void judge(const struct machine *ours, const struct machine *contract)
{
	if (ours->payload > KT_MAX_PAYLOAD || ours->payload % 2)
		wrong("a payload that no record can have");
	if (ours->payload != contract->payload)
		wrong("declares another size than it records");
	if (memcmp(ours->out, contract->out, ours->payload))
		wrong("records something else");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct machine ours, contract;
	static struct input in;
	enum machine_end end;
	u32 len;

	if (size < FIXED)
		return 0;
	size = size < sizeof(in) ? size : sizeof(in);
	memcpy(&in, data, size);
	len = (size - FIXED) / sizeof(in.insns[0]);
	machine_fill(&ours, &in);
	end = machine_run(&ours, in.insns, len);
	if (end == MACHINE_REFUSED)
		return 0;
	if (end == MACHINE_RECORDED && program_payload(in.insns, len) < (int)ours.payload)
		wrong("the controller takes its records to be of another size");
	machine_fill(&contract, &in);
	if (machine_evaluate(&contract, in.insns, len) != end)
		wrong("ends in another way");
	if (end == MACHINE_RECORDED)
		judge(&ours, &contract);
	return 0;
}

/* ---------------------------------------------------------------- mutation */

/* Addresses of other kinds: unmapped, of users, of devices, and at the limits of each. */
static const u64 elsewhere[] = {
	0, 1, 0x7fffffffe000, 0x800000000000, 0xffff7fffffffffff, 0xffff888000000fff,
	MACHINE_MEMORY + MACHINE_BYTES - 1, 0xffffc90000000000, 0xffffffffff600000, -8ULL, -1ULL,
};

static void mutate_machine(struct input *in)
{
	struct machine m;

	if (!dice(4)) {
		machine_dice(&m);
		memcpy(in->words, m.regs.general, sizeof(m.regs.general));
		memcpy(in->memory, m.memory, sizeof(m.memory));
	}
	in->words[dice(WORDS)] = dice(2) ? dice_value() : elsewhere[dice(11)];
	in->memory[dice(MACHINE_BYTES)] = dice(256);
}

static void mutate_insn(struct kt_insn *in)
{
	switch (dice(5)) {
	case 0:
		in->op = dice(KT_NR_OPS + 1);
		break;
	case 1:
		in->dst = dice(KT_NR_REGS + 1);
		break;
	case 2:
		in->src = dice(KT_NR_REGS + 1);
		break;
	case 3:
		in->aux = dice(KT_NR_ALUS + 1);
		break;
	default:
		in->imm = dice(3) ? (s32)dice(20) - 2 : (s32)dice_value();
	}
}

/* Insert or remove one instruction somewhere. */
static u32 mutate_length(struct input *in, u32 len)
{
	u32 at = len ? dice(len) : 0;
	struct kt_insn *insn = &in->insns[at];

	if (len && dice(2)) {
		memmove(insn, insn + 1, (len - at - 1) * sizeof(*insn));
		return len - 1;
	}
	if (len == KT_MAX_PROG)
		return len;
	memmove(insn + 1, insn, (len - at) * sizeof(*insn));
	mutate_insn(insn);
	return len + 1;
}

static u32 mutate(struct input *in, u32 len)
{
	if (!len || !dice(16))
		return random_program(in->insns);
	if (!dice(3))
		mutate_machine(in);
	if (!dice(3))
		return mutate_length(in, len);
	mutate_insn(&in->insns[dice(len)]);
	return len;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
	static struct input in;
	size_t bytes = size < sizeof(in) ? size : sizeof(in);
	u32 len = bytes < FIXED ? 0 : (bytes - FIXED) / sizeof(in.insns[0]);

	srand(seed);
	if (!dice(4))
		return LLVMFuzzerMutate(data, size, room);
	memset(&in, 0, sizeof(in));
	memcpy(&in, data, bytes);
	bytes = FIXED + mutate(&in, len < KT_MAX_PROG ? len : KT_MAX_PROG) * sizeof(in.insns[0]);
	bytes = bytes < room ? bytes : room;
	memcpy(data, &in, bytes);
	return bytes;
}
