/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture_machine.h - a machine for capture programs to run on, as the module runs them.  The fuzzer uses it, too.  See also
 * capture_contract.h and capture_dice.h.
 */
#ifndef CAPTURE_MACHINE_H
#define CAPTURE_MACHINE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/capture_run.c"

#define MACHINE_MEMORY	0xffff888000001000ULL
#ifndef MACHINE_BYTES
#define MACHINE_BYTES	64
#endif

struct machine {
	struct pt_regs regs;
	u64 current[KT_NR_CURS];
	char comm[KT_COMM_BYTES];
	u64 callers[4];			/* ended by 0 */
	bool syscall;			/* the task is in a system call, with these arguments */
	u64 args[KT_SYSCALL_ARGS];
	struct kt_call call;		/* the call that is being closed */
	u8 memory[MACHINE_BYTES];	/* at MACHINE_MEMORY or user_at; the machine has no other memory */
	u64 user_at;			/* 0: MACHINE_MEMORY */
	bool confined;			/* to the memory of the traced program */
	/* of the last program */
	u32 filter, len, payload;
	bool all_regs;
	u32 out[KT_MAX_PAYLOAD / 4];
};

enum machine_end { MACHINE_REFUSED, MACHINE_FILTERED, MACHINE_RECORDED };

static const struct machine *machine_now;
static u32 machine_unreadable;	/* loads */

bool kt_load(void *to, u64 addr, size_t size)
{
	u64 at = addr - (machine_now->user_at ? machine_now->user_at : MACHINE_MEMORY);

	if (at >= MACHINE_BYTES || size > MACHINE_BYTES - at) {
		machine_unreadable++;
		return false;
	}
	memcpy(to, machine_now->memory + at, size);
	return true;
}

u64 kt_current(s32 what)
{
	return machine_now->current[what > 0 ? what / 4 : -what];
}

void kt_current_comm(char *to)
{
	memcpy(to, machine_now->comm, KT_COMM_BYTES);
}

bool kt_syscall_arg(u32 n, u64 *to)
{
	if (machine_now->syscall)
		*to = machine_now->args[n];
	return machine_now->syscall;
}

u32 kt_callers(const struct pt_regs *regs, u64 *to, u32 most)
{
	u32 n;

	for (n = 0; n < most && n < 4 && machine_now->callers[n]; n++)
		to[n] = machine_now->callers[n];
	return n;
}

u32 kt_user_callers(const struct pt_regs *regs, u64 *to, u32 most)
{
	u32 n;

	for (n = 0; n < most && n < 4 && machine_now->callers[3 - n]; n++)
		to[n] = machine_now->callers[3 - n];
	return n;
}

/* Objects of this machine have some bytes that depend on where they are. */
static u32 machine_object_bytes(u32 what, u64 object)
{
	return object ? 1 + object % (what == KT_OBJECT_PACKET ? KT_PACKET_BYTES : KT_PIDS_BYTES - 1) : 1;
}

static u8 machine_object_byte(u32 what, u64 object, u32 n)
{
	return object ? (u8)(object >> n % 8) + n + what : 0;
}

u32 kt_emit_object(u8 *to, u32 what, u64 object)
{
	const u32 bytes = machine_object_bytes(what, object);

	for (u32 i = 0; i < bytes; i++)
		to[i] = machine_object_byte(what, object, i);
	return bytes;
}

const struct kt_call *kt_call_now(void)
{
	return &machine_now->call;
}

static void machine_reset(struct machine *m)
{
	memset(m, 0, sizeof(*m));
}

/* As kmod/records/desc.c does: an END follows the filter. */
static struct kt_program *machine_load(const struct kt_insn *insns, u32 len, int *payload)
{
	struct kt_insn copy[KT_MAX_PROG];
	struct kt_program *program;
	struct kt_verdict verdict;
	u32 filter;

	if (len > KT_MAX_PROG)
		return NULL;
	memcpy(copy, insns, len * sizeof(*copy));
	*payload = kt_capture_verify(copy, len, &verdict);
	if (*payload < 0)
		return NULL;
	filter = verdict.filter;
	program = calloc(1, sizeof(*program) + (len + !!filter) * sizeof(*copy));
	memcpy(program->insns, copy, filter * sizeof(*copy));
	memcpy(program->insns + filter + !!filter, copy + filter, (len - filter) * sizeof(*copy));
	program->filter = filter + !!filter;
	program->len = len + !!filter;
	program->bytes = *payload;
	program->all_regs = verdict.all_regs;
	program->varies = verdict.varies;
	return program;
}

/* The registers that a trampoline saves for a program that does not need all of them. */
static struct pt_regs machine_regs(const struct machine *m, bool all_regs)
{
	struct pt_regs regs = m->regs;
	u32 i;

	if (all_regs)
		return regs;
	for (i = 0; i < KT_NR_GENERAL; i++)
		if (!kt_reg_is_scratch(kt_reg_offset(i)))
			regs.general[i] = 0x5a5a5a5a5a5a5a00 + i;
	regs.psr = 0x5a5a5a5a;
	return regs;
}

/* Program and output are in memory of exactly their size, so that a sanitizer sees every access beside them. */
static __attribute__((unused)) enum machine_end machine_run(struct machine *m, const struct kt_insn *insns, u32 len)
{
	enum machine_end end = MACHINE_FILTERED;
	struct kt_program *program;
	struct pt_regs regs;
	int payload;
	u8 *out;

	program = machine_load(insns, len, &payload);
	if (!program)
		return MACHINE_REFUSED;
	if (m->confined && kt_capture_confine(program->insns, program->len) < 0) {
		free(program);
		return MACHINE_REFUSED;
	}
	machine_now = m;
	regs = machine_regs(m, program->all_regs);
	out = malloc(payload);
	memset(out, 0x5a, payload);	/* of others, who wrote there before: nothing of it may be left */
	if (!program->filter || kt_capture_wants(program, &regs)) {
		if (program->varies)
			payload = kt_capture_varying(&program->insns[program->filter], &regs, out);
		else
			kt_capture_run(&program->insns[program->filter], &regs, (kt_item *)out);
		memcpy(m->out, out, payload);
		end = MACHINE_RECORDED;
	}
	m->filter = program->filter;
	m->len = program->len;
	m->all_regs = program->all_regs;
	m->payload = payload;
	free(out);
	free(program);
	return end;
}

#endif
