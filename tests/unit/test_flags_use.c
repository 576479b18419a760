// SPDX-License-Identifier: GPL-2.0-or-later
/* test_flags_use.c - what the module says of opcodes and flags, compared with what the CPU of this machine does.  On x86-64 only. */
#include "unit.h"

#ifdef __x86_64__

#include <sys/mman.h>

#include "arch/x86/kmod/flags_use.c"
#include "ctl/base/memory.h"


static u8 *code;

/* What an instruction on registers leaves in rax, rcx and the flags. */
struct outcome {
	u64 rax, rcx, flags;
};

/* Run `insn` with these flags. */
static struct outcome run(const u8 *insn, u32 len, u64 flags)
{
	static const u8 ret = 0xc3;
	struct outcome out;

	assert_int_equal(mprotect(code, 4096, PROT_READ | PROT_WRITE), 0);
	memcpy(code, insn, len);
	memcpy(code + len, &ret, 1);
	assert_int_equal(mprotect(code, 4096, PROT_READ | PROT_EXEC), 0);
	__asm__ volatile("push %%rbx\n push %%rbp\n"
			 "push %[flags]\n popfq\n"
			 "call *%[code]\n"
			 "pushfq\n pop %%rdx\n"
			 "pop %%rbp\n pop %%rbx\n"
			 : "=a"(out.rax), "=c"(out.rcx), "=d"(out.flags)
			 : "a"(0x7123456789abcdefULL), "c"(0x81ULL), [flags] "r"(flags | 0x202), [code] "r"(code)
			 : "rsi", "rdi", "cc", "memory");
	out.flags &= 0x8d5;	/* OF SF ZF AF PF CF */
	return out;
}

/* An instruction with this opcode on rax and rcx; 0: not one that a test could run. */
static u32 instruction(u8 *out, const u8 *opcode, u32 bytes, u8 reg, bool has_modrm, u32 constant)
{
	u32 n = 0;

	memcpy(out, opcode, bytes);
	n += bytes;
	if (has_modrm)
		out[n++] = (u8)(0xc0 | reg << 3 | 1);	/* to rcx */
	memset(out + n, 0x35, constant);
	return n + constant;
}

/* Opcodes of one byte whose operands are registers and constants: what follows the opcode. */
static bool form(u8 opcode, u8 reg, bool *has_modrm, u32 *constant)
{
	const bool alu = opcode < 0x40 && (opcode & 7) < 6;

	*has_modrm = (alu && (opcode & 7) < 4) || opcode == 0x63 || (opcode >= 0x80 && opcode <= 0x8b && opcode != 0x82) ||
		     opcode == 0xc6 || opcode == 0xc7 || opcode == 0xf6 || opcode == 0xf7 || opcode == 0xfe;
	*constant = opcode == 0x80 || opcode == 0x83 || opcode == 0xc6 || opcode == 0xa8 || (alu && (opcode & 7) == 4) ||
		    (opcode >= 0xb0 && opcode <= 0xb7) || (opcode == 0xf6 && reg < 2) ? 1 :
		    opcode == 0x81 || opcode == 0xc7 || opcode == 0xa9 || (alu && (opcode & 7) == 5) ||
		    (opcode >= 0xb8 && opcode <= 0xbf) || (opcode == 0xf7 && reg < 2) ? 4 : 0;
	return *has_modrm || *constant || opcode == 0x98 || opcode == 0x99 || opcode == 0x90 || opcode == 0xf8 || opcode == 0xf9 ||
	       opcode == 0xf5 || opcode == 0x9e;
}

/* With all combinations of the flags before it: each flag and result is the same behind an instruction that is said to kill them. */
static bool depends(const u8 *insn, u32 len, bool *flags_differ)
{
	const struct outcome first = run(insn, len, 0);
	bool differs = false;

	*flags_differ = false;
	for (u32 bits = 1; bits < 64; bits++) {
		const u64 flags = (bits & 1) | (bits & 2) << 1 | (bits & 4) << 2 | (bits & 24) << 3 | (u64)(bits & 32) << 6;
		const struct outcome out = run(insn, len, flags);

		differs |= out.rax != first.rax || out.rcx != first.rcx;
		*flags_differ |= out.flags != first.flags;
	}
	return differs;
}

static void test_on_cpu(void **state)
{
	u32 die = 0, pass = 0;

	for (u32 opcode = 0; opcode < 256; opcode++) {
		for (u8 reg = 0; reg < 8; reg++) {
			const u8 byte = (u8)opcode;
			const enum kt_flags_use use = kt_x86_flags_use(&byte, 1, reg);
			bool has_modrm, flags_differ, differs;
			u8 insn[16];
			u32 constant;

			/* These change the stack, or rsp, or divide. */
			if ((opcode >= 0x50 && opcode <= 0x5f) || opcode == 0xbc || opcode == 0xb4 || use == KT_FLAGS_MATTER ||
			    !form(byte, reg, &has_modrm, &constant))
				continue;
			/* Not to rsp, rbp, rbx, which the caller needs. */
			if (has_modrm && (reg == 3 || reg == 4 || reg == 5) && (opcode == 0x63 || (opcode < 0x40 && opcode & 2) ||
			    opcode == 0x86 || opcode == 0x87 || opcode == 0x8a || opcode == 0x8b || opcode == 0x8d))
				continue;
			if (opcode == 0x8d || opcode == 0xbb || opcode == 0xbd || opcode == 0xb3 || opcode == 0xb7)
				continue;
			differs = depends(insn, instruction(insn, &byte, 1, reg, has_modrm, constant), &flags_differ);
			if (differs || (use == KT_FLAGS_DIE && flags_differ))
				fail_msg("opcode %02x /%u is said to %s", opcode, reg, use == KT_FLAGS_DIE ? "kill" : "pass");
			die += use == KT_FLAGS_DIE;
			pass += use == KT_FLAGS_PASS;
		}
	}
	print_message("%u forms kill the flags, %u leave them\n", die, pass);
	assert_true(die > 150 && pass > 80);
}

/* What reads a flag, or leaves one alone, or leads elsewhere. */
static void test_matter(void **state)
{
	static const struct {
		u8 opcode[2];
		u32 bytes;
		u8 reg;
	} tries[] = {
		{ { 0x11 }, 1, 0 }, { { 0x13 }, 1, 0 }, { { 0x19 }, 1, 0 }, { { 0x1d }, 1, 0 }, { { 0x81 }, 1, 2 }, { { 0x83 }, 1, 3 },
		{ { 0x72 }, 1, 0 }, { { 0xe8 }, 1, 0 }, { { 0xe9 }, 1, 0 }, { { 0xeb }, 1, 0 }, { { 0xc3 }, 1, 0 }, { { 0xcc }, 1, 0 },
		{ { 0xd1 }, 1, 4 }, { { 0xd3 }, 1, 2 }, { { 0xc1 }, 1, 4 }, { { 0x9c }, 1, 0 }, { { 0x9d }, 1, 0 }, { { 0x9f }, 1, 0 },
		{ { 0xff }, 1, 2 }, { { 0xff }, 1, 4 }, { { 0xf7 }, 1, 2 }, { { 0xf7 }, 1, 6 }, { { 0xa4 }, 1, 0 }, { { 0xf5 }, 1, 0 },
		{ { 0x0f, 0x45 }, 2, 0 }, { { 0x0f, 0x84 }, 2, 0 }, { { 0x0f, 0x94 }, 2, 0 }, { { 0x0f, 0x05 }, 2, 0 },
		{ { 0x0f, 0xa3 }, 2, 0 }, { { 0x0f, 0xba }, 2, 4 }, { { 0x0f, 0x38 }, 2, 0 }, { { 0xe3 }, 1, 0 }, { { 0xf3 }, 1, 0 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(tries); i++)
		if (kt_x86_flags_use(tries[i].opcode, tries[i].bytes, tries[i].reg) != KT_FLAGS_MATTER)
			fail_msg("opcode %02x %02x /%u", tries[i].opcode[0], tries[i].opcode[1], tries[i].reg);
}

static int map_code(void **state)
{
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return code == MAP_FAILED;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_on_cpu), cmocka_unit_test(test_matter) };

	return cmocka_run_group_tests_name("flags_use", tests, map_code, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
