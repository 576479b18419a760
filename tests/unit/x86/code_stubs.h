/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_stubs.h - what the generator (generator.h) has in the kernel, with functions for the machine of capture_machine.h in place of those of generate_calls.S. */
#ifndef CODE_STUBS_H
#define CODE_STUBS_H

#include "arch/x86/kmod/calls.h"
#include "arch/x86/kmod/emit_x86.h"
#include "kmod/code/generate.h"

#define code_generate	kt_generate
#define CODE_REGISTERS	5	/* of a program */
#define CODE_NEAR	false	/* it must be near the functions that it calls */
#define CODE_TEXTS	true

/* struct hit_cpu of hit_code.h */
#define CODE_FAILED	"48"
#define CODE_PREEMPT_COUNT	"44"

u64 kt_direct_shift = -MACHINE_MEMORY, kt_direct_size = MACHINE_BYTES;

/* A function of assembler. */
#define GLOBAL(name)	".globl " #name "\n" #name ":\n"

/* What generate_calls.S has for the kernel. */
#define LOAD_STUB(bits, bytes)					\
	GLOBAL(kt_x86_code_load##bits)	\
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
	GLOBAL(kt_x86_hit_load##bits)	\
	GLOBAL(kt_x86_hit_checked##bits)	\
	"call kt_x86_code_load" #bits "\n"			\
	"jc 9f\n xor %eax, %eax\n movb $1, %gs:" CODE_FAILED "\n 9: ret\n"

/* In an event that gives the system call: code_faults becomes the count that switches page faults off. */
#define CALL_LOAD_STUB(bits)					\
	GLOBAL(kt_x86_call_load##bits)	\
	"mov %gs:" CODE_PREEMPT_COUNT ", %r11d\n mov %r11d, code_faults(%rip)\n"	\
	"jmp kt_x86_hit_load" #bits "\n"

u32 code_faults;

/* Those of direct jumps change rax alone. */
#define DIRECT_LOAD_STUB(bits)					\
	GLOBAL(kt_x86_direct_load##bits)	\
	"push %r11\n call kt_x86_code_load" #bits "\n pop %r11\n ret\n"

#define DIRECT_CHAIN_STUB(n)					\
	GLOBAL(kt_x86_direct_chain##n)	\
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
	CALL_LOAD_STUB(8) CALL_LOAD_STUB(16) CALL_LOAD_STUB(32) CALL_LOAD_STUB(64)
	GLOBAL(kt_x86_hit_checked128)
	"push %rcx\n mov %rax, %rcx\n"
	"lea 8(%rcx), %rax\n call kt_x86_hit_load64\n push %rax\n"
	"mov %rcx, %rax\n call kt_x86_hit_load64\n"
	"pop %r11\n pop %rcx\n ret\n"
	LOAD_STUB(8, 1) LOAD_STUB(16, 2) LOAD_STUB(32, 4) LOAD_STUB(64, 8)
	GLOBAL(kt_x86_code_call)
	"push %rdi\n push %rsi\n push %rdx\n"
	"call code_args@PLT\n"
	"pop %rdx\n pop %rsi\n pop %rdi\n"
	"mov %rax, %r10\n neg %rax\n"
	"ret\n"
	GLOBAL(kt_x86_code_text)
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
	GLOBAL(kt_x86_hit_text)
	"push %rbp\n mov %rsp, %rbp\n sub $16, %rsp\n and $-16, %rsp\n"
	"mov %r12, %rdi\n mov %rsp, %rcx\n"
	"call code_text@PLT\n"
	"mov (%rsp), %ecx\n leave\n"
	"movb $0, (%r12,%rcx)\n lea 1(%r12,%rcx), %r12\n"
	"cmp $1, %eax\n"
	"ret\n"
	GLOBAL(kt_x86_call_text)
	"push %r12\n push %rdi\n push %r11\n"
	"add $8, %edx\n"
	"mov %r10, %r12\n call kt_x86_hit_text\n mov %r12, %r10\n"
	"pop %r11\n pop %rdi\n pop %r12\n"
	"mov $-1, %rcx\n mov %rcx, %rdx\n mov %rcx, %rsi\n mov %rcx, %r8\n mov %rcx, %r9\n"
	"ret\n"
	GLOBAL(kt_x86_code_end)
	"ret\n");

#endif
