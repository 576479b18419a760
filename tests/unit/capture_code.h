/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture_code.h - run the generated code of a capture program on the CPU of this machine.  For capture_machine.h, on
 * x86-64 only.
 */
#ifndef CAPTURE_CODE_H
#define CAPTURE_CODE_H

#include <sys/mman.h>

#include "capture_machine.h"

#include "arch/x86/kmod/generate.c"

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
	"test %al, %al\n"					\
	"jz kt_x86_code_give_up\n"				\
	"mov %rcx, %rax\n"					\
	"ret\n"

__asm__(".text\n"
	LOAD_STUB(8, 1) LOAD_STUB(16, 2) LOAD_STUB(32, 4) LOAD_STUB(64, 8)
	"kt_x86_code_give_up:\n"
	"add $8, %rsp\n mov %rsi, %rdx\n mov %rdi, %rsi\n mov %r11, %rdi\n"
	"jmp code_gives_up@PLT\n"
	"kt_x86_code_call:\n"
	"push %rdi\n push %rsi\n push %rdx\n push %r11\n"
	"call code_args@PLT\n"
	"pop %r11\n pop %rdx\n pop %rsi\n pop %rdi\n"
	"mov %rax, %r10\n test %rax, %rax\n"
	"jz kt_x86_code_give_up\n"
	"ret\n"
	"kt_x86_code_end:\n"
	"ret\n");

void code_gives_up(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out);
const u64 *code_args(void);

void code_gives_up(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out)
{
	code_given_up++;
	kt_capture_rest(in, regs, out, NULL);
}

const u64 *code_args(void)
{
	return machine_now->syscall ? machine_now->args : NULL;
}

/* The code of the recording part of the program; NULL: there is none. */
static void (*code_make(const struct kt_program *program))(const struct pt_regs *, void *, const void *)
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
	return n < 0 ? NULL : (void (*)(const struct pt_regs *, void *, const void *))code_memory;
}

/* As machine_run() for a program that it has recorded.  False: there is no code for it. */
static bool code_run(struct machine *m, const struct kt_insn *insns, u32 len)
{
	const u32 task[] = { m->current[KT_CUR_PID], m->current[KT_CUR_TGID] };
	struct kt_program *program;
	void (*code)(const struct pt_regs *, void *, const void *);
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
		code(&regs, out, task);
		memcpy(m->out, out, payload);
		free(out);
	}
	free(program);
	return code;
}

#endif
