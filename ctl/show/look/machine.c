// SPDX-License-Identifier: GPL-2.0-or-later
/* machine.c - see machine.h. */
#include "ctl/show/look/machine.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/memory_read.h"
#include "ctl/base/memory.h"

/* The interpreter for this environment, under names of its own: tests have others beside it. */
#define kt_load			look_load
#define kt_current		look_current
#define kt_current_comm		look_current_comm
#define kt_syscall_arg		look_syscall_arg
#define kt_user_callers		look_user_callers
#define kt_call_now		look_call_now
#define kt_callers		look_callers
#define kt_emit_object		look_emit_object
#define kt_capture_wants	look_capture_wants
#define kt_capture_rest		look_capture_rest
#define kt_capture_marked	look_capture_marked
#define kt_capture_varying	look_capture_varying
#define kt_capture_again	look_capture_again

#include "core/capture_run.c"

/* The interpreter has no argument for it. */
static const struct machine *now;

bool kt_load(void *to, u64 addr, size_t size)
{
	return memory_read(now->memory, addr, to, size);
}

u64 kt_current(s32 what)
{
	return now->current;
}

/* What the programs that is_possible() lets through do not call. */
void kt_current_comm(char *to)
{
	memset(to, 0, KT_COMM_BYTES);
}

bool kt_syscall_arg(u32 n, u64 *to)
{
	return false;
}

u32 kt_user_callers(const struct pt_regs *regs, u64 *to, u32 most)
{
	return 0;
}

const struct kt_call *kt_call_now(void)
{
	static const struct kt_call none;

	return &none;
}

u32 kt_callers(const struct pt_regs *regs, u64 *to, u32 most)
{
	return 0;
}

u32 kt_emit_object(u8 *to, u32 what, u64 object)
{
	return 0;
}

/* -------------------------------------------------------------------- check */

static bool only_traced(const char *what, const char *instead, struct error *err)
{
	return error_set(err, STATUS_USAGE, "show: %s exists only at a tracepoint: %s", what, instead);
}

static bool is_possible(const struct kt_insn *in, struct error *err)
{
	switch (in->op) {
	case KT_OP_CUR:
		if (in->imm == KT_CUR_TASK)
			return true;
		if (in->imm == KT_CUR_PERCPU)
			return only_traced("this CPU", "per_cpu(name, 0) names one", err);
		return only_traced("a property of the task such as $pid", "current->pid is a member", err);
	case KT_OP_EMITCUR:
	case KT_OP_EMITCOMM:
		return only_traced("a property of the task such as $pid", "current->pid is a member", err);
	case KT_OP_REG:
	case KT_OP_PSR:
	case KT_OP_EMITREG:
	case KT_OP_EMITREGS:
	case KT_OP_EMITCHAIN:
		return only_traced("a register", "trace an address with VAR", err);
	case KT_OP_ARG:
	case KT_OP_EMITARG:
	case KT_OP_EMITSTACK:
	case KT_OP_EMITUSTACK:
	case KT_OP_CALLER:
	case KT_OP_CALLERIN:
	case KT_OP_ELAPSED:
	case KT_OP_SAVED:
	case KT_OP_EMITSAVED:
	case KT_OP_EMITOBJECT:
		return only_traced("a call", "trace an address with VAR", err);
	default:
		return true;
	}
}

static bool uses_task(const struct kt_insn *prog, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (prog[i].op == KT_OP_CUR)
			return true;
	return false;
}

static bool prepare(struct machine *machine, const struct kt_insn *prog, size_t len, struct error *err)
{
	for (size_t i = 0; i < len; i++)
		if (!is_possible(&prog[i], err))
			return false;
	return machine->current || !uses_task(prog, len) || machine->task(machine->arg, &machine->current, err);
}

/* ---------------------------------------------------------------------- run */

int machine_run(struct machine *machine, const struct kt_insn *prog, size_t len, void *out, struct error *err)
{
	static const struct pt_regs none;
	AUTO_FREE struct kt_insn *insns = mem_zalloc(len, sizeof(*insns));
	struct kt_verdict verdict;
	int bytes;

	if (!prepare(machine, prog, len, err))
		return -1;
	memcpy(insns, prog, len * sizeof(*insns));
	bytes = kt_capture_verify(insns, len, &verdict);
	if (bytes < 0 || verdict.filter) {
		error_set(err, STATUS_FAILURE, "show: the expression is too complex: split it");
		return -1;
	}
	now = machine;
	if (verdict.varies)
		return kt_capture_varying(insns, &none, out);
	kt_capture_run(insns, &none, out);
	return bytes;
}
