/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_stubs.h - what the generator (generator.h) has in the kernel, with functions for the machine of capture_machine.h in place of those of generate_calls.S. */
#ifndef CODE_STUBS_H
#define CODE_STUBS_H

#include "kmod/code/code.h"
#include "kmod/code/generate.h"

#define code_generate	kt_generate
#define CODE_REGISTERS	KT_NR_REGS	/* of a program */
#define CODE_NEAR	true	/* it must be near the functions that it calls */
#define CODE_TEXTS	true

struct code_loaded {
	u64 value, failed;
};

/* A load, which gets the registers that have the direct map. */
struct code_loaded code_load(u64 addr, size_t bytes, u64 start, u64 size);

struct code_loaded code_load(u64 addr, size_t bytes, u64 start, u64 size)
{
	struct code_loaded loaded = { 0, 0 };

	if (start != MACHINE_MEMORY || size != MACHINE_BYTES)
		abort();
	loaded.failed = !kt_load(&loaded.value, addr, bytes);
	return loaded;
}

/* The linker finds only global symbols when the compiler takes their address from its table. */
#define FUNCTION(name)	".globl " #name "\n" #name ":\n"

/* It spoils what a load may change: x13. */
#define LOAD_STUB(bits, bytes)							\
	FUNCTION(kt_arm64_code_load##bits)					\
	"stp x29, x30, [sp, #-160]!\n mov x29, sp\n"				\
	"stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n"			\
	"stp x4, x5, [sp, #48]\n stp x6, x7, [sp, #64]\n"			\
	"stp x8, x9, [sp, #80]\n stp x10, x11, [sp, #96]\n"			\
	"stp x14, x15, [sp, #112]\n stp x16, x17, [sp, #128]\n"		\
	"mov x0, x12\n mov x1, #" #bytes "\n mov x2, x16\n mov x3, x17\n"	\
	"bl code_load\n"							\
	"mov x12, x0\n cmp x1, #1\n mov x13, #-1\n"				\
	"ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n"			\
	"ldp x4, x5, [sp, #48]\n ldp x6, x7, [sp, #64]\n"			\
	"ldp x8, x9, [sp, #80]\n ldp x10, x11, [sp, #96]\n"			\
	"ldp x14, x15, [sp, #112]\n ldp x16, x17, [sp, #128]\n"		\
	"ldp x29, x30, [sp], #160\n"						\
	"ret\n"

/* As those of generate_calls.S. */
#define TEXT_STUB(name, out)							\
	FUNCTION(name)								\
	"stp x29, x30, [sp, #-176]!\n mov x29, sp\n"				\
	"stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n"			\
	"stp x4, x5, [sp, #48]\n stp x6, x7, [sp, #64]\n"			\
	"stp x8, x9, [sp, #80]\n stp x10, x11, [sp, #96]\n"			\
	"stp x14, x15, [sp, #112]\n stp x16, x17, [sp, #128]\n"		\
	"mov x0, " #out "\n mov x1, x12\n mov w2, w13\n add x3, sp, #168\n"	\
	"bl code_text\n"							\
	"mov w12, w0\n ldr w13, [sp, #168]\n"					\
	"ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n"			\
	"ldp x4, x5, [sp, #48]\n ldp x6, x7, [sp, #64]\n"			\
	"ldp x8, x9, [sp, #80]\n ldp x10, x11, [sp, #96]\n"			\
	"ldp x14, x15, [sp, #112]\n ldp x16, x17, [sp, #128]\n"		\
	"add " #out ", " #out ", x13\n strb wzr, [" #out "], #1\n"		\
	"cmp w12, #1\n mov x13, #-1\n"						\
	"ldp x29, x30, [sp], #176\n"						\
	"ret\n"

__asm__(".text\n"
	TEXT_STUB(kt_arm64_code_text, x1) TEXT_STUB(kt_arm64_hit_text, x15)
	LOAD_STUB(8, 1) LOAD_STUB(16, 2) LOAD_STUB(32, 4) LOAD_STUB(64, 8)
	FUNCTION(kt_arm64_code_call)
	"stp x29, x30, [sp, #-64]!\n mov x29, sp\n"
	"stp x0, x1, [sp, #16]\n stp x2, x15, [sp, #32]\n stp x16, x17, [sp, #48]\n"
	"bl code_args\n"
	"mov x3, x0\n"
	"ldp x0, x1, [sp, #16]\n ldp x2, x15, [sp, #32]\n ldp x16, x17, [sp, #48]\n"
	"ldp x29, x30, [sp], #64\n"
	"ret\n");

#endif
