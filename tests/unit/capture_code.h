/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture_code.h - run the generated code of a capture program on the CPU of this machine.  For capture_machine.h, on
 * x86-64 only.
 */
#ifndef CAPTURE_CODE_H
#define CAPTURE_CODE_H

#include <sys/mman.h>

#include "capture_dice.h"

/* The code gives up there. */
void code_gives_up(const struct kt_insn *in, const struct pt_regs *regs, kt_item *out, kt_item *faults);
#define kt_capture_rest	code_gives_up
#include "arch/x86/kmod/generate.c"
#undef kt_capture_rest
#include "arch/x86/kmod/generate_comm.c"

#define CODE_ROOM	32768
#define CODE_FAILED	"48"	/* struct hit_cpu of hit_code.h */

/* Near the functions that the code calls.  Never writable and executable at once. */
static u8 code_memory[CODE_ROOM] __attribute__((aligned(4096)));
static u32 code_given_up;
u64 kt_direct_shift = -MACHINE_MEMORY, kt_direct_size = MACHINE_BYTES;

/* What generate_calls.S has for the kernel. */
#define LOAD_STUB(bits, bytes)					\
	"kt_x86_code_load" #bits ":\n"				\
	"push %rbp\n mov %rsp, %rbp\n"				\
	"push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push %r9\n push %r10\n pushq $0\n"	\
	"mov %rsp, %rdi\n mov %rax, %rsi\n mov $" #bytes ", %edx\n"	\
	"and $-16, %rsp\n"						\
	"call kt_load@PLT\n"					\
	"lea -64(%rbp), %rsp\n"					\
	"pop %r11\n"						\
	"pop %r10\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n pop %rbp\n"	\
	"neg %al\n"						\
	"mov %r11, %rax\n"					\
	"ret\n"

/* The same for hits: gs leads to a mark of loads that failed. */
#define HIT_LOAD_STUB(bits)					\
	"kt_x86_hit_load" #bits ":\n"				\
	"kt_x86_hit_checked" #bits ":\n"				\
	"call kt_x86_code_load" #bits "\n"			\
	"jc 9f\n xor %eax, %eax\n movb $1, %gs:" CODE_FAILED "\n 9: ret\n"

/* Those of direct jumps change rax alone. */
#define DIRECT_LOAD_STUB(bits)					\
	"kt_x86_direct_load" #bits ":\n"			\
	"push %r11\n call kt_x86_code_load" #bits "\n pop %r11\n ret\n"

#define DIRECT_CHAIN_STUB(n)					\
	"kt_x86_direct_chain" #n ":\n"				\
	"push %rbx\n push %rcx\n mov $" #n ", %ebx\n"	\
	"8: add (%rcx), %rax\n add %rdi, %rax\n"		\
	"call kt_x86_direct_load64\n jnc 9f\n"			\
	"lea 8(%rcx), %rcx\n dec %ebx\n jnz 8b\n"		\
	"pop %rcx\n pop %rbx\n ret\n"				\
	"9: pop %rcx\n pop %rbx\n mov -8(%rcx), %rcx\n mov %rcx, (%rsp)\n ret\n"

__asm__(".text\n"
	DIRECT_LOAD_STUB(8) DIRECT_LOAD_STUB(16) DIRECT_LOAD_STUB(32) DIRECT_LOAD_STUB(64)
	DIRECT_CHAIN_STUB(1) DIRECT_CHAIN_STUB(2) DIRECT_CHAIN_STUB(3) DIRECT_CHAIN_STUB(4)
	HIT_LOAD_STUB(8) HIT_LOAD_STUB(16) HIT_LOAD_STUB(32) HIT_LOAD_STUB(64)
	"kt_x86_hit_checked128:\n"
	"push %rcx\n mov %rax, %rcx\n"
	"lea 8(%rcx), %rax\n call kt_x86_hit_load64\n push %rax\n"
	"mov %rcx, %rax\n call kt_x86_hit_load64\n"
	"pop %r11\n pop %rcx\n ret\n"
	LOAD_STUB(8, 1) LOAD_STUB(16, 2) LOAD_STUB(32, 4) LOAD_STUB(64, 8)
	"kt_x86_code_call:\n"
	"push %rdi\n push %rsi\n push %rdx\n"
	"call code_args@PLT\n"
	"pop %rdx\n pop %rsi\n pop %rdi\n"
	"mov %rax, %r10\n neg %rax\n"
	"ret\n"
	"kt_x86_code_text:\n"
	"push %rdi\n push %rsi\n push %rdx\n push %r8\n push %r9\n push %r10\n push %r11\n"
	"sub $8, %rsp\n"
	"mov %rsi, %rdi\n mov %rax, %rsi\n lea -1(%rcx), %edx\n mov %rsp, %rcx\n"
	"call code_text@PLT\n"
	"mov (%rsp), %ecx\n"
	"add $8, %rsp\n"
	"pop %r11\n pop %r10\n pop %r9\n pop %r8\n pop %rdx\n pop %rsi\n pop %rdi\n"
	"movb $0, (%rsi,%rcx)\n lea 1(%rsi,%rcx), %rsi\n"
	"cmp $1, %eax\n"
	"ret\n"
	"kt_x86_hit_text:\n"
	"kt_x86_call_text:\n"
	"push %rbp\n mov %rsp, %rbp\n sub $16, %rsp\n and $-16, %rsp\n"
	"mov %r12, %rdi\n mov %rsp, %rcx\n"
	"call code_text@PLT\n"
	"mov (%rsp), %ecx\n leave\n"
	"movb $0, (%r12,%rcx)\n lea 1(%r12,%rcx), %r12\n"
	"cmp $1, %eax\n"
	"ret\n"
	"kt_x86_code_end:\n"
	"ret\n");

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
	n = kt_x86_generate(from, program->len - program->filter, code_memory, CODE_ROOM, (unsigned long)code_memory);
	if (n > CODE_ROOM)
		abort();
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
	u8 *out, *end;

	program = machine_load(insns, len, &payload);
	machine_now = m;
	regs = machine_regs(m, program->all_regs);
	code = code_make(program);
	if (code) {
		out = malloc(payload);
		m->current[KT_CUR_TASK] = (u64)(uintptr_t)task;
		/* The caller of the code may know the system call. */
		end = code(&regs, out, task, m->args[0] & 1 ? code_args() : NULL);
		if (program->varies)
			payload = text_bytes(program, &regs, out, end);
		memcpy(m->out, out, payload);
		m->payload = payload;
		free(out);
	}
	free(program);
	return code;
}

#endif
