/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture_code.h - run the generated code of a capture program on the CPU of this machine.  For capture_machine.h. */
#ifndef CAPTURE_CODE_H
#define CAPTURE_CODE_H

#include <sys/mman.h>

#include "capture_dice.h"

/* The code gives up there. */
void code_gives_up(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out, kt_item *faults);

#include "code_stubs.h"		/* of the architecture: what the generator has in the kernel */

#define CODE_ROOM	32768
#define CODE_GUARD	16	/* bytes behind the payload, which the code leaves alone */

/* Near the functions that the code calls.  Never writable and executable at once. */
static u8 code_memory[CODE_ROOM] __attribute__((aligned(4096)));
static u32 code_given_up;

const u64 *code_args(void);
enum kt_text_end code_text(u8 *to, u64 addr, u32 size, u32 *len);

enum kt_text_end code_text(u8 *to, u64 addr, u32 size, u32 *len)
{
	return kt_load_text(to, addr, size, len);
}

void code_gives_up(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out, kt_item *faults)
{
	code_given_up++;
	kt_capture_rest(in, regs, out, faults);
}

const u64 *code_args(void)
{
	return machine_now->syscall ? machine_now->args : NULL;
}

typedef void *code_fn(const struct pt_regs *regs, void *out, const void *me, const void *call);

/* The code of the recording part of the program; NULL: there is none. */
static code_fn *code_make(const struct kt_program *program)
{
	const struct kt_insn *from = &program->insns[program->filter];
	int n;

	if (mprotect(code_memory, CODE_ROOM, PROT_READ | PROT_WRITE))
		abort();
	n = code_generate(from, program->len - program->filter, code_memory, CODE_ROOM, (unsigned long)code_memory);
	if (n > CODE_ROOM)
		abort();
	__builtin___clear_cache((char *)code_memory, (char *)code_memory + (n < 0 ? 0 : n));
	if (mprotect(code_memory, CODE_ROOM, PROT_READ | PROT_EXEC))
		abort();
	return n < 0 ? NULL : (code_fn *)(uintptr_t)code_memory;
}

/* The bytes of a payload that varies; the last may be odd. */
static u32 text_bytes(const struct kt_program *program, const struct pt_regs *regs, u8 *out, u8 *end)
{
	if (!end) {
		code_given_up++;
		return kt_capture_varying(&program->insns[program->filter], regs, out);
	}
	if ((end - out) % 2)
		*end++ = 0;
	return end - out;
}

/* As machine_run() for a program that it has recorded.  False: there is no code for it. */
static __attribute__((unused)) bool code_run(struct machine *m, const struct kt_insn *insns, u32 len)
{
	const u32 task[] = { m->current[KT_CUR_PID], m->current[KT_CUR_TGID] };
	struct kt_program *program;
	code_fn *code;
	struct pt_regs regs;
	int payload;
	u8 *out, *behind, *end;

	program = machine_load(insns, len, &payload);
	machine_now = m;
	regs = machine_regs(m, program->all_regs);
	code = code_make(program);
	if (code) {
		out = malloc(payload + CODE_GUARD);
		/* The memory may be that where the interpreter has just written the same. */
		memset(out, 0xaa, payload + CODE_GUARD);
		behind = out + payload;
		m->current[KT_CUR_TASK] = (u64)(uintptr_t)task;
		/* The caller of the code may know the system call. */
		end = code(&regs, out, task, m->args[0] & 1 ? code_args() : NULL);
		if (program->varies)
			payload = text_bytes(program, &regs, out, end);
		memcpy(m->out, out, payload);
		m->payload = payload;
		for (u32 i = 0; i < CODE_GUARD; i++)
			if (behind[i] != 0xaa)
				abort();
		free(out);
	}
	free(program);
	return code;
}

#endif
