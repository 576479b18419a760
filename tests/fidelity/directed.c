// SPDX-License-Identifier: GPL-2.0-or-later
/* directed.c - instructions that a random choice would rarely find. See directed.h. */
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "directed.h"
#include "pattern.h"

#define COUNT(n)	.counts = true, .count = (n)
#define SPAN(byte, n)	.vary = (byte), .span = (n)
#define REFUSED		.expect = EXPECT_REFUSED
#define EITHER		.expect = EXPECT_EITHER

static const struct directed rows[] = {
	/* Calls and jumps with a distance, with every prefix. */
	{ "e8 00000000", "call" },
	{ "48 e8 00000000", "call, REX.W" },
	{ "2e e8 00000000", "call, cs" },
	{ "3e e8 00000000", "call, ds" },
	{ "64 e8 00000000", "call, fs" },
	{ "f2 e8 00000000", "call, bnd" },
	{ "f3 e8 00000000", "call, rep" },
	{ "66 e8 00000000", "call, 66", EITHER },
	{ "67 e8 00000000", "call, 67", EITHER },
	{ "2e2e2e2e2e67 e8 00000000", "call, six prefixes", EITHER },
	{ "e9 00000000", "jmp" },
	{ "48 e9 00000000", "jmp, REX.W" },
	{ "2e e9 00000000", "jmp, cs" },
	{ "f2 e9 00000000", "jmp, bnd" },
	{ "66 e9 00000000", "jmp, 66", EITHER },
	{ "67 e9 00000000", "jmp, 67", EITHER },
	{ "eb 00", "short jmp" },
	{ "3e eb 00", "short jmp, ds" },
	{ "f2 eb 00", "short jmp, bnd" },
	{ "66 eb 00", "short jmp, 66", EITHER },
	{ "70 00", "short jcc", SPAN(0, 16) },
	{ "2e 70 00", "short jcc, not-taken hint", SPAN(1, 16) },
	{ "3e 70 00", "short jcc, taken hint", SPAN(1, 16) },
	{ "48 70 00", "short jcc, REX.W", SPAN(1, 16) },
	{ "66 70 00", "short jcc, 66", SPAN(1, 16), EITHER },
	{ "0f80 00000000", "jcc", SPAN(1, 16) },
	{ "2e 0f80 00000000", "jcc, not-taken hint", SPAN(2, 16) },
	{ "f2 0f80 00000000", "jcc, bnd", SPAN(2, 16) },
	{ "4f 0f80 00000000", "jcc, REX", SPAN(2, 16) },
	{ "67 0f80 00000000", "jcc, 67", SPAN(2, 16), EITHER },

	/* The counter decides. */
	{ "e0 00", "loop or jrcxz, count 0", SPAN(0, 4), COUNT(0) },
	{ "e0 00", "loop or jrcxz, count 1", SPAN(0, 4), COUNT(1) },
	{ "e0 00", "loop or jrcxz, count 2", SPAN(0, 4), COUNT(2) },
	{ "e0 00", "loop or jrcxz, count 2^32", SPAN(0, 4), COUNT(1ll << 32) },
	{ "e0 00", "loop or jrcxz, count -1", SPAN(0, 4), COUNT(-1) },
	{ "67 e0 00", "loop or jecxz, count 0", SPAN(1, 4), COUNT(0) },
	{ "67 e0 00", "loop or jecxz, count 1", SPAN(1, 4), COUNT(1) },
	{ "67 e0 00", "loop or jecxz, count 2^32", SPAN(1, 4), COUNT(1ll << 32) },
	{ "67 e0 00", "loop or jecxz, count 2^32 + 1", SPAN(1, 4), COUNT((1ll << 32) + 1) },
	{ "48 e0 00", "loop or jrcxz, REX.W", SPAN(1, 4), COUNT(1) },
	{ "2e e0 00", "loop or jrcxz, cs", SPAN(1, 4), COUNT(1) },
	{ "66 e0 00", "loop or jrcxz, 66, count 0", SPAN(1, 4), COUNT(0), EITHER },
	{ "66 e0 00", "loop or jrcxz, 66, count 1", SPAN(1, 4), COUNT(1), EITHER },
	{ "66 e0 00", "loop or jrcxz, 66, count 2", SPAN(1, 4), COUNT(2), EITHER },
	{ "e0 00", "loop to itself, count 1", SPAN(0, 4), COUNT(1), .itself = true },
	{ "e0 00", "loop to itself, count 5", SPAN(0, 4), COUNT(5), .itself = true },
	{ "67 e0 00", "loop to itself, 67, count 5", SPAN(1, 4), COUNT((7ll << 32) + 5), .itself = true },

	/* Returns. */
	{ "c3", "ret", .stack_good = true },
	{ "f3 c3", "rep ret", .stack_good = true },
	{ "f2 c3", "bnd ret", .stack_good = true },
	{ "48 c3", "ret, REX.W", .stack_good = true },
	{ "66 c3", "ret, 66", EITHER },
	{ "c2 0000", "ret 0", .stack_good = true },
	{ "c2 0800", "ret 8", .stack_good = true },
	{ "c2 0700", "ret 7", .stack_good = true },
	{ "c2 ff7f", "ret 0x7fff", .stack_good = true },
	{ "c2 ffff", "ret 0xffff", .stack_good = true },

	/* Indirect calls and jumps: registers, memory, and the stack pointer in it. */
	{ "ff d0", "call *register", SPAN(1, 4) },
	{ "ff d4", "call *rsp", EITHER },
	{ "ff d5", "call *register", SPAN(1, 3) },
	{ "41 ff d0", "call *register, r8 to r15", SPAN(2, 8) },
	{ "3e ff d0", "notrack call *register", SPAN(2, 4) },
	{ "66 ff d0", "call *register, 66", EITHER },
	{ "67 ff d0", "call *register, 67", EITHER },
	{ "ff 10", "call *(register)", SPAN(1, 4) },
	{ "ff 53 08", "call *8(rbx)" },
	{ "ff 93 00010000", "call *0x100(rbx)" },
	{ "ff 14 24", "call *(rsp)", .stack_good = true, EITHER },
	{ "ff 54 24 08", "call *8(rsp)", .stack_good = true, EITHER },
	{ "ff 54 24 f8", "call *-8(rsp)", .stack_good = true, EITHER },
	{ "ff 94 24 80000000", "call *0x80(rsp)", .stack_good = true, EITHER },
	{ "ff 14 c4", "call *(rsp,rax,8)", .stack_good = true, EITHER },
	{ "41 ff 14 24", "call *(r12)" },
	{ "41 ff 54 24 08", "call *8(r12)" },
	{ "42 ff 14 e0", "call *(rax,r12,8)" },
	{ "ff 55 08", "call *8(rbp)" },
	{ "ff 14 25 00000000", "call *absolute" },
	{ "ff 14 c5 00000000", "call *table(,rax,8)" },
	{ "ff 15 00000000", "call *(rip)" },
	{ "65 ff 15 00000000", "call *gs:(rip)" },
	{ "64 ff 14 25 00000000", "call *fs:absolute" },
	{ "67 ff 15 00000000", "call *(eip)", EITHER },
	{ "67 ff 13", "call *(ebx)", EITHER },
	{ "ff e0", "jmp *register", SPAN(1, 8) },
	{ "41 ff e0", "jmp *register, r8 to r15", SPAN(2, 8) },
	{ "3e ff e0", "notrack jmp *register", SPAN(2, 8) },
	{ "66 ff e0", "jmp *register, 66", EITHER },
	{ "ff 20", "jmp *(register)", SPAN(1, 4) },
	{ "ff 24 24", "jmp *(rsp)", .stack_good = true },
	{ "ff 64 24 08", "jmp *8(rsp)", .stack_good = true },
	{ "ff 24 25 00000000", "jmp *absolute" },
	{ "ff 24 c5 00000000", "jmp *table(,rax,8)" },
	{ "ff 25 00000000", "jmp *(rip)" },
	{ "65 ff 25 00000000", "jmp *gs:(rip)" },
	{ "67 ff 25 00000000", "jmp *(eip)", EITHER },

	/* The stack pointer as an operand of instructions that change it. */
	{ "50", "push register", SPAN(0, 8), .stack_good = true },
	{ "58", "pop register", SPAN(0, 8), .stack_good = true },
	{ "41 50", "push register, r8 to r15", SPAN(1, 8), .stack_good = true },
	{ "41 58", "pop register, r8 to r15", SPAN(1, 8), .stack_good = true },
	{ "66 54", "push sp", .stack_good = true },
	{ "66 5c", "pop sp", .stack_good = true },
	{ "ff f4", "push rsp, long form", .stack_good = true },
	{ "ff 34 24", "push (rsp)", .stack_good = true },
	{ "ff 74 24 08", "push 8(rsp)", .stack_good = true },
	{ "ff 74 24 f8", "push -8(rsp)", .stack_good = true },
	{ "ff 35 00000000", "push (rip)", .stack_good = true },
	{ "65 ff 35 00000000", "push gs:(rip)", .stack_good = true },
	{ "8f 04 24", "pop (rsp)", .stack_good = true },
	{ "8f 44 24 08", "pop 8(rsp)", .stack_good = true },
	{ "8f 44 24 f8", "pop -8(rsp)", .stack_good = true },
	{ "66 8f 04 24", "pop (rsp), 16 bits", .stack_good = true },
	{ "8f 05 00000000", "pop (rip)", .stack_good = true },
	{ "8f c4", "pop rsp, long form", .stack_good = true },
	{ "68 78563412", "push imm32", .stack_good = true },
	{ "68 785634f2", "push imm32, negative", .stack_good = true },
	{ "66 68 7856", "push imm16", .stack_good = true },
	{ "6a 7f", "push imm8", .stack_good = true },
	{ "6a 80", "push imm8, negative", .stack_good = true },
	{ "9c", "pushf", .stack_good = true },
	{ "66 9c", "pushf, 16 bits", .stack_good = true },
	{ "9d", "popf", .stack_good = true },
	{ "66 9d", "popf, 16 bits", .stack_good = true },
	{ "0fa0", "push fs", .stack_good = true },
	{ "0fa1", "pop fs", .stack_good = true },
	{ "0fa8", "push gs", .stack_good = true },
	{ "0fa9", "pop gs", .stack_good = true },
	{ "c8 2000 00", "enter", .stack_good = true },
	{ "c8 2000 03", "enter, nested", .stack_good = true },
	{ "c9", "leave" },
	{ "48 8d 64 24 80", "lea -0x80(rsp), rsp", .stack_good = true },
	{ "48 83 ec 28", "sub $0x28, rsp", .stack_good = true },
	{ "48 89 c4", "mov rax, rsp" },
	{ "48 87 e0", "xchg rax, rsp" },

	/* RIP-relative operands, with immediates behind the displacement. */
	{ "48 8d 05 00000000", "lea (rip)" },
	{ "66 8d 05 00000000", "lea (rip), 16 bits" },
	{ "8b 05 00000000", "mov (rip), register" },
	{ "48 89 05 00000000", "mov register, (rip)" },
	{ "65 48 8b 05 00000000", "mov gs:(rip), register" },
	{ "65 ff 05 00000000", "incl gs:(rip)" },
	{ "65 48 89 05 00000000", "mov register, gs:(rip)" },
	{ "64 8b 05 00000000", "mov fs:(rip), register" },
	{ "c6 05 00000000 12", "movb imm8, (rip)" },
	{ "66 c7 05 00000000 3412", "movw imm16, (rip)" },
	{ "c7 05 00000000 78563412", "movl imm32, (rip)" },
	{ "48 c7 05 00000000 78563492", "movq imm32, (rip)" },
	{ "80 3d 00000000 12", "cmpb imm8, (rip)" },
	{ "81 05 00000000 78563412", "addl imm32, (rip)" },
	{ "66 81 2d 00000000 3412", "subw imm16, (rip)" },
	{ "83 05 00000000 ff", "addl imm8, (rip)" },
	{ "48 83 3d 00000000 00", "cmpq imm8, (rip)" },
	{ "65 83 05 00000000 01", "addl imm8, gs:(rip)" },
	{ "f6 05 00000000 01", "testb imm8, (rip)" },
	{ "f7 05 00000000 00020000", "testl imm32, (rip)" },
	{ "69 05 00000000 07000000", "imul imm32, (rip)" },
	{ "48 6b 05 00000000 07", "imul imm8, (rip)" },
	{ "c1 25 00000000 03", "shll imm8, (rip)" },
	{ "d1 25 00000000", "shll (rip)" },
	{ "0fa4 05 00000000 03", "shld imm8, (rip)" },
	{ "0fba 2d 00000000 03", "btsl imm8, (rip)" },
	{ "f0 0fba 2d 00000000 03", "lock btsl imm8, (rip)" },
	{ "f0 ff 05 00000000", "lock incl (rip)" },
	{ "f0 48 0fb1 0d 00000000", "lock cmpxchg (rip)" },
	{ "f0 48 0fc7 0d 00000000", "lock cmpxchg16b (rip)" },
	{ "48 63 05 00000000", "movslq (rip)" },
	{ "0fb6 05 00000000", "movzbl (rip)" },
	{ "48 ff 05 00000000", "incq (rip)" },
	{ "ff 0d 00000000", "decl (rip)" },
	{ "0f10 05 00000000", "movups (rip)" },
	{ "0fc2 05 00000000 01", "cmpps imm8, (rip)" },
	{ "660f3a0f 05 00000000 05", "palignr imm8, (rip)" },
	{ "660f3800 05 00000000", "pshufb (rip)" },
	{ "c5fc10 05 00000000", "vmovups (rip), ymm" },
	{ "c4e3750f 05 00000000 05", "vpalignr imm8, (rip), ymm" },
	{ "62f17c4810 05 00000000", "vmovups (rip), zmm" },
	{ "62f3754825 05 00000000 f8", "vpternlog imm8, (rip), zmm" },
	{ "dd 05 00000000", "fldl (rip)" },
	{ "0fae 15 00000000", "ldmxcsr (rip)" },
	{ "0fae 05 00000000", "fxsave (rip)" },
	{ "0f18 0d 00000000", "prefetch (rip)" },
	{ "0f00 2d 00000000", "verw (rip)" },
	{ "67 8b 05 00000000", "mov (eip), register", EITHER },
	{ "67 48 8d 05 00000000", "lea (eip)", EITHER },

	/* String instructions. */
	{ "a4", "movs or cmps", SPAN(0, 4) },
	{ "aa", "stos, lods, scas", SPAN(0, 6) },
	{ "f3 a4", "rep movs or cmps, count 0", SPAN(1, 4), COUNT(0) },
	{ "f3 a4", "rep movs or cmps, count 1", SPAN(1, 4), COUNT(1) },
	{ "f3 48 a5", "rep movsq", COUNT(7) },
	{ "f3 aa", "rep stos, lods, scas", SPAN(1, 6), COUNT(9) },
	{ "f2 a6", "repne cmps", SPAN(1, 2), COUNT(3) },
	{ "f2 ae", "repne scas", SPAN(1, 2), COUNT(200) },
	{ "f3 67 a4", "rep movsb, 67", COUNT((5ll << 32) + 3) },
	{ "f3 65 a4", "rep movsb from gs:", COUNT(4) },
	{ "f3 65 48 a5", "rep movsq from gs:", COUNT(4) },
	{ "f3 6c", "rep ins, outs", SPAN(1, 4), COUNT(2) },

	/* Nops of every length. */
	{ "90", "nop, 1 byte" },
	{ "66 90", "nop, 2 bytes" },
	{ "0f1f00", "nop, 3 bytes" },
	{ "0f1f4000", "nop, 4 bytes" },
	{ "0f1f440000", "nop, 5 bytes" },
	{ "66 0f1f440000", "nop, 6 bytes" },
	{ "0f1f8000000000", "nop, 7 bytes" },
	{ "0f1f840000000000", "nop, 8 bytes" },
	{ "66 0f1f840000000000", "nop, 9 bytes" },
	{ "66 2e 0f1f840000000000", "nop, 10 bytes" },
	{ "66 66 2e 0f1f840000000000", "nop, 11 bytes" },
	{ "0f1f05 00000000", "nop (rip)" },
	{ "f3 90", "pause" },

	/* System instructions: they are privileged, so they raise the same exception. */
	{ "fa", "cli" },
	{ "fb", "sti" },
	{ "f4", "hlt", REFUSED },
	{ "0f30", "wrmsr" },
	{ "0f32", "rdmsr" },
	{ "0f33", "rdpmc" },
	{ "0f20 c0", "mov cr, register" },
	{ "0f22 d8", "mov register, cr" },
	{ "0f23 f8", "mov register, dr" },
	{ "0f01 38", "invlpg" },
	{ "660f3882 08", "invpcid" },
	{ "0f01 cb", "stac" },
	{ "0f01 ca", "clac" },
	{ "0f06", "clts" },
	{ "0f09", "wbinvd" },
	{ "0f01 d0", "xgetbv", COUNT(0) },
	{ "0f01 d1", "xsetbv", COUNT(0) },
	{ "0f01 ee", "rdpkru", COUNT(0) },
	{ "8e d8", "mov register, ds" },
	{ "8e e0", "mov register, fs" },
	{ "8e e8", "mov register, gs" },
	{ "8c e8", "mov gs, register" },
	{ "f30faec0", "rdfsbase, rdgsbase", SPAN(3, 16) },
	{ "f3480faed0", "wrfsbase, wrgsbase", SPAN(4, 16) },
	{ "cc", "int3", REFUSED },
	{ "cd 80", "int 0x80", REFUSED },
	{ "f1", "int1", REFUSED },
	{ "0f0b", "ud2", REFUSED },
	{ "0fb9 05 00000000", "ud1", REFUSED },
	{ "0fff 00", "ud0", REFUSED },
	{ "0f05", "syscall", REFUSED },
	{ "48 0f07", "sysret", REFUSED },
	{ "0f34", "sysenter", REFUSED },
	{ "0f35", "sysexit", REFUSED },
	{ "48 cf", "iretq", REFUSED },
	{ "48 cb", "lretq", REFUSED },
	{ "48 ca 0800", "lretq 8", REFUSED },
	{ "ff 2d 00000000", "ljmp *(rip)", REFUSED },
	{ "ff 1d 00000000", "lcall *(rip)", REFUSED },
	{ "0f01 f8", "swapgs", REFUSED },
	{ "0f01 c1", "vmcall", REFUSED },
	{ "0f01 d9", "vmmcall", REFUSED },
	{ "8e d0", "mov register, ss", REFUSED },
	{ "8f c8", "what begins with 8f and is no pop: XOP on some CPUs", SPAN(1, 16), REFUSED },
	{ "8f 6a 77", "what begins with 8f and is no pop: XOP on some CPUs", REFUSED },
	{ "66 f3 8f 4a 97", "the same behind prefixes", REFUSED },
	{ "c7 f8 00000000", "xbegin", REFUSED },
	{ "c6 f8 00", "xabort", REFUSED },
	{ "f30f1efa", "endbr64", REFUSED },
	{ "0f0b 78656e 0fa2", "the Xen prefix, cpuid", REFUSED },
	{ "0f0b 6b766d 8b05 00000000", "the KVM prefix, mov (rip)", REFUSED },

	/* Encodings about which decoder and CPU may disagree. */
	{ "48 66 90", "REX in front of a prefix", EITHER },
	{ "48 2e 8b 03", "REX in front of a prefix", EITHER },
	{ "48 40 8b 03", "REX in front of REX", EITHER },
	{ "48 f2 e8 00000000", "REX in front of a prefix, call", EITHER },
	{ "66 2e 65 67 f3 90", "five prefixes", EITHER },
	{ "2e 36 3e 26 64 8b 03", "five segment prefixes", EITHER },
	{ "f0 f2 f3 66 67 01 03", "five prefixes", EITHER },
	{ "f0 e8 00000000", "lock call", EITHER },
	{ "f0 e9 00000000", "lock jmp", EITHER },
	{ "f0 eb 00", "lock short jmp", EITHER },
	{ "f0 70 00", "lock short jcc", SPAN(1, 16), EITHER },
	{ "f0 0f80 00000000", "lock jcc", SPAN(2, 16), EITHER },
	{ "f0 e0 00", "lock loop", SPAN(1, 4), EITHER },
	{ "f0 c3", "lock ret", EITHER },
	{ "f0 ff d0", "lock indirect call", EITHER },
	{ "f0 ff e0", "lock indirect jmp", EITHER },
	{ "0f18 03", "prefetch and reserved nops", SPAN(1, 8), EITHER },
	{ "f3 0f40 03", "cmovcc, rep", SPAN(2, 16), EITHER },
	{ "f2 0f40 03", "cmovcc, repne", SPAN(2, 16), EITHER },
	{ "f3 0f90 03", "setcc, rep", SPAN(2, 16), EITHER },
	{ "f2 0f90 03", "setcc, repne", SPAN(2, 16), EITHER },
	{ "66 65 0f3828 03", "pmuldq, 66 not the last prefix", EITHER },
	{ "65 66 0f3828 03", "pmuldq, 66 the last prefix" },
	{ "66 65 0f3a0f 03 05", "palignr, 66 not the last prefix", EITHER },
	{ "66 65 0f71 f0 05", "psllw and others, 66 not the last prefix", SPAN(3, 3), EITHER },
	{ "66 0f71 f0 05", "psllw and others", SPAN(2, 3) },
	{ "66 0f78 c0 01 02", "extrq", EITHER },
	{ "f2 0f78 c0 01 02", "insertq", EITHER },
};

struct one {
	const struct directed *row;
	u8 add;
};

static struct one *all;
static unsigned int nr_all;

static void expand(void)
{
	unsigned int i, k;

	all = calloc(ARRAY_SIZE(rows) * 16, sizeof(*all));
	if (!all)
		abort();
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (k = 0; k < (rows[i].span ? rows[i].span : 1); k++)
			all[nr_all++] = (struct one){ &rows[i], k };
}

unsigned int directed_nr(void)
{
	if (!all)
		expand();
	return nr_all;
}

static u8 nibble(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

const struct directed *directed_get(unsigned int number, u8 *bytes)
{
	const struct one *one = &all[number % directed_nr()];
	const char *hex = one->row->bytes;
	unsigned int n = 0;

	memset(bytes, 0xcc, MAX_INSN_SIZE);
	for (; *hex; hex += 2) {
		while (*hex == ' ')
			hex++;
		bytes[n++] = nibble(hex[0]) << 4 | nibble(hex[1]);
	}
	if (one->row->span)
		bytes[one->row->vary] += one->add;
	return one->row;
}
