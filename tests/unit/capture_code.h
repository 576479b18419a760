/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture_code.h - run the generated code of a capture program on the CPU of this machine.  For capture_machine.h, on
 * x86-64 only.
 */
#ifndef CAPTURE_CODE_H
#define CAPTURE_CODE_H

#include <sys/mman.h>

#include "capture_machine.h"

/* The code gives up there. */
void code_gives_up(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out, kt_item *faults);
#define kt_capture_rest	code_gives_up
#include "arch/x86/kmod/generate.c"
#undef kt_capture_rest

#define CODE_ROOM	32768

/* Near the functions that the code calls.  Never writable and executable at once. */
static u8 code_memory[CODE_ROOM] __attribute__((aligned(4096)));
static u32 code_given_up;

/* What generate_calls.S has for the kernel. */
#define LOAD_STUB(bits, bytes)					\
	"kt_x86_code_load" #bits ":\n"				\
	"push %rdi\n push %rsi\n push %rdx\n push %r8\n push %r9\n push %r10\n push %r11\n"	\
	"pushq $0\n"						\
	"mov %rsp, %rdi\n mov %rax, %rsi\n mov $" #bytes ", %edx\n"	\
	"call kt_load@PLT\n"					\
	"pop %rcx\n"						\
	"pop %r11\n pop %r10\n pop %r9\n pop %r8\n pop %rdx\n pop %rsi\n pop %rdi\n"	\
	"neg %al\n"						\
	"mov %rcx, %rax\n"					\
	"ret\n"

__asm__(".text\n"
	LOAD_STUB(8, 1) LOAD_STUB(16, 2) LOAD_STUB(32, 4) LOAD_STUB(64, 8)
	"kt_x86_code_call:\n"
	"push %rdi\n push %rsi\n push %rdx\n"
	"call code_args@PLT\n"
	"pop %rdx\n pop %rsi\n pop %rdi\n"
	"mov %rax, %r10\n neg %rax\n"
	"ret\n"
	"kt_x86_code_end:\n"
	"ret\n");

const u64 *code_args(void);

void code_gives_up(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out, kt_item *faults)
{
	code_given_up++;
	kt_capture_rest(in, regs, out, faults);
}

const u64 *code_args(void)
{
	return machine_now->syscall ? machine_now->args : NULL;
}

typedef void code_fn(const struct pt_regs *regs, void *out, const void *me, const void *call);

/* The code of the recording part of the program; NULL: there is none. */
static code_fn *code_make(const struct kt_program *program)
{
	const struct kt_insn *from = &program->insns[program->filter];
	int n;

	if (mprotect(code_memory, CODE_ROOM, PROT_READ | PROT_WRITE))
		abort();
	n = kt_x86_generate(from, program->len - program->filter, code_memory, CODE_ROOM, (unsigned long)code_memory);
	if (n > CODE_ROOM)
		abort();
	if (mprotect(code_memory, CODE_ROOM, PROT_READ | PROT_EXEC))
		abort();
	return n < 0 ? NULL : (code_fn *)(uintptr_t)code_memory;
}

/* As machine_run() for a program that it has recorded.  False: there is no code for it. */
static bool code_run(struct machine *m, const struct kt_insn *insns, u32 len)
{
	const u32 task[] = { m->current[KT_CUR_PID], m->current[KT_CUR_TGID] };
	struct kt_program *program;
	code_fn *code;
	struct pt_regs regs;
	int payload;
	u8 *out;

	program = machine_load(insns, len, &payload);
	machine_now = m;
	regs = machine_regs(m, program->all_regs);
	code = program->varies ? NULL : code_make(program);
	if (code) {
		out = malloc(payload);
		m->current[KT_CUR_TASK] = (u64)(uintptr_t)task;
		/* The caller of the code may know the system call. */
		code(&regs, out, task, m->args[0] & 1 ? code_args() : NULL);
		memcpy(m->out, out, payload);
		free(out);
	}
	free(program);
	return code;
}

#endif
