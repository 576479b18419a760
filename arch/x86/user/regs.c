// SPDX-License-Identifier: GPL-2.0-or-later
/* regs.c - register and flag names of x86-64; numbers: System V ABI, figure 3.36. */
#include "user.h"

/* A register of the first eight with its 32, 16 and low 8 bits. */
#define OLD(n, r64, r32, r16, r8) \
	{ r64, n, 8, 0 }, { r32, n, 4, 0 }, { r16, n, 2, 0 }, { r8, n, 1, 0 }

#define NEW(n, name) \
	{ name, n, 8, 0 }, { name "d", n, 4, 0 }, { name "w", n, 2, 0 }, { name "b", n, 1, 0 }

const struct arch_reg arch_user_regs[] = {
	OLD(0, "rax", "eax", "ax", "al"), { "ah", 0, 1, 8 },
	OLD(1, "rdx", "edx", "dx", "dl"), { "dh", 1, 1, 8 },
	OLD(2, "rcx", "ecx", "cx", "cl"), { "ch", 2, 1, 8 },
	OLD(3, "rbx", "ebx", "bx", "bl"), { "bh", 3, 1, 8 },
	OLD(4, "rsi", "esi", "si", "sil"),
	OLD(5, "rdi", "edi", "di", "dil"),
	OLD(6, "rbp", "ebp", "bp", "bpl"),
	OLD(7, "rsp", "esp", "sp", "spl"),
	NEW(8, "r8"), NEW(9, "r9"), NEW(10, "r10"), NEW(11, "r11"),
	NEW(12, "r12"), NEW(13, "r13"), NEW(14, "r14"), NEW(15, "r15"),
	{ "rip", 16, 8, 0 }, { "eip", 16, 4, 0 },
	{ "rflags", 49, 8, 0 }, { "eflags", 49, 4, 0 },
	{ .name = NULL },
};

#define BIT(name, n)	{ name, 1ULL << (n), 1ULL << (n) }

const struct arch_flag arch_user_flags[] = {
	BIT("CF", 0), BIT("PF", 2), BIT("AF", 4), BIT("ZF", 6), BIT("SF", 7),
	BIT("TF", 8), BIT("IF", 9), BIT("DF", 10), BIT("OF", 11),
	{ "IOPL1", 3ULL << 12, 1ULL << 12 },
	{ "IOPL2", 3ULL << 12, 2ULL << 12 },
	{ "IOPL3", 3ULL << 12, 3ULL << 12 },
	BIT("NT", 14), BIT("RF", 16), BIT("VM", 17), BIT("AC", 18),
	BIT("VIF", 19), BIT("VIP", 20), BIT("ID", 21),
	{ .name = NULL },
};
