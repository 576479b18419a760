// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * payload.c - find out how many bytes a capture program emits.
 *
 * The module's verifier (core/capture.c) accepts only programs that emit the same on every path, and jumps go
 * forward only, so one pass in order is enough.  The verifier itself cannot be used here: it refuses properties
 * of the task that a newer module has added.  Their size is known, so their records can still be printed.
 */
#include "ctl/base/device/payload.h"

#include "arch/arch.h"

#define UNKNOWN	(-1)

/* Bytes that an instruction emits, at most; UNKNOWN: this controller does not know the instruction. */
static int insn_emits(const struct kt_insn *insn)
{
	static const uint8_t fixed[KT_NR_OPS] = {
		[KT_OP_EMITCUR] = 4, [KT_OP_EMITREG] = 8, [KT_OP_FAULTS] = 4,
		[KT_OP_EMITCOMM] = KT_COMM_BYTES, [KT_OP_FAULTS2] = 2, [KT_OP_EMIT2] = 2,
	};

	if (insn->op >= KT_NR_OPS)
		return UNKNOWN;
	if (insn->op == KT_OP_EMIT)
		return insn->aux == 4 || insn->aux == 8 ? insn->aux : UNKNOWN;
	if (insn->op == KT_OP_EMITSTR || insn->op == KT_OP_EMITBYTES || insn->op == KT_OP_EMITTEXT ||
	    insn->op == KT_OP_EMITPART || insn->op == KT_OP_EMITOBJECT)
		return insn->imm > 0 && insn->imm <= KT_MAX_STR ? insn->imm : UNKNOWN;
	if (insn->op == KT_OP_EMITARG)
		return insn->aux == 2 || insn->aux == 4 || insn->aux == 8 ? insn->aux : UNKNOWN;
	if (insn->op == KT_OP_EMITSAVED)
		return 4 * insn->aux;
	if (insn->op == KT_OP_EMITSTACK || insn->op == KT_OP_EMITUSTACK)
		return insn->imm > 0 && insn->imm <= KT_MAX_DEPTH ? 8 * insn->imm : UNKNOWN;
	if (insn->op == KT_OP_EMITCHAIN)
		return insn->aux == KT_SIZE_U64 ? 8 : 4;
	if (insn->op == KT_OP_EMITREGS)
		return 8 * arch_native.nr_all_regs;
	return fixed[insn->op];
}

int program_payload(const struct kt_insn *prog, size_t len)
{
	int bytes[KT_MAX_PROG + 1];	/* bytes emitted before each instruction; UNKNOWN: not reached */
	size_t i;

	if (len > KT_MAX_PROG)
		return UNKNOWN;
	for (i = 0; i <= len; i++)
		bytes[i] = i ? UNKNOWN : 0;
	for (i = 0; i < len; i++) {
		int emits = insn_emits(&prog[i]);

		if (emits < 0)
			return UNKNOWN;
		if (bytes[i] < 0 || prog[i].op == KT_OP_DROP)
			continue;
		if (prog[i].op == KT_OP_END)
			return bytes[i];
		if (prog[i].op == KT_OP_CMP || prog[i].op == KT_OP_CMPI) {
			int32_t skip = prog[i].op == KT_OP_CMP ? prog[i].imm : prog[i].src;

			if (skip < 0 || (size_t)skip >= len - i - 1)
				return UNKNOWN;
			bytes[i + 1 + skip] = bytes[i];
			if (prog[i].op == KT_OP_CMP && prog[i].aux == KT_CMP_ALWAYS)
				continue;
		}
		bytes[i + 1] = bytes[i] + emits;
		if (bytes[i + 1] > KT_MAX_PAYLOAD)
			return UNKNOWN;
	}
	return UNKNOWN;
}
