// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_generate_hit_random.c - generated code for whole hits, for random programs: on the CPU of this machine, compared
 * with ring.h and the interpreter.
 */
#include "unit.h"

#ifdef __x86_64__

#include "whole_hit.h"

/* A register that a trampoline saves for each hit. */
static s32 a_scratch(void)
{
	static const u8 scratch[] = { 0, 1, 2, 4, 5, 8, 9, 10, 11 };

	return scratch[(u32)rand() % ARRAY_SIZE(scratch)];
}

/* Sources that are arguments, or of a jump scratch registers, too. */
static void to_arguments(struct kt_insn *insns, u32 len, bool is_jump)
{
	replace_rare(insns, len);
	for (struct kt_insn *in = insns; in < insns + len; in++)
		if (in->op == KT_OP_REG || in->op == KT_OP_EMITREG || in->op == KT_OP_EMITCHAIN)
			in->imm = is_jump && rand() % 3 ? a_scratch() : ARG_REG(rand() % (1 + rand() % NR_ARGUMENTS));
}

static void random_hits(bool is_jump, bool is_narrow)
{
	u32 made = 0, total = 0;

	unit_random();
	code_given_up = 0;
	hit_reset_as(!is_narrow);
	for (u32 i = 0; i < unit_rounds(60000); i++) {
		u32 task[8] = { 0 };
		struct kt_insn insns[KT_MAX_PROG];
		struct kt_program *program;
		struct machine m;
		const void *code;
		u32 len;
		int payload;

		dice_registers = 1 + rand() % 7;
		len = random_program(insns);
		machine_reset(&m);
		machine_dice(&m);
		m.syscall = true;
		for (u32 k = 0; k < NR_ARGUMENTS; k++)
			if (rand() % 4)
				m.regs.general[ARG_REG(k)] = MACHINE_MEMORY + (u32)rand() % MACHINE_BYTES;
		to_arguments(insns, len, is_jump);
		/* Arguments that are in the kernel's image rather than in the direct map, or nowhere. */
		kt_direct_checked = rand() % 4 ? MACHINE_BYTES : 0;
		hit_stack = MACHINE_MEMORY + (u32)rand() % 4 * 8;
		hit_image = m.regs.general[ARG_REG(rand() % NR_ARGUMENTS)];
		if (machine_run(&m, insns, len) != MACHINE_RECORDED)
			continue;
		total++;
		program = machine_load(insns, len, &payload);
		code = program->varies || (is_narrow && program->bytes % 4) ? NULL :
		       is_narrow ? narrow_make(program, rand() % 2) : hit_make(program, !is_jump, is_jump);
		if (code && m.payload < 2000) {
			made++;
			if (kt_word_off(hit_ctl.word) + m.payload / 2 + 3 > HIT_SUB / (is_narrow ? 4 : 2))
				hit_reset_as(!is_narrow);
			task[0] = m.current[KT_CUR_PID];
			task[1] = m.current[KT_CUR_TGID];
			hit_cpu.task = task;
			m.current[KT_CUR_TASK] = (u64)(uintptr_t)task;
			machine_run(&m, insns, len);
			assert_recorded_by(&m, code, is_jump);
		}
		free(program);
	}
	print_message("%u of %u programs have code, which gave up in %u\n", made, total, code_given_up);
	/* Of narrow hits fewer programs have code: about 1,480 of 5,700, of which 300 give up. */
	assert_true(made > unit_rounds(is_narrow ? 9000 : 10000));
	assert_true(code_given_up > unit_rounds(is_narrow ? 700 : 1000) && code_given_up < made / 2);
}

static void test_random(void **state)
{
	random_hits(false, false);
}

static void test_random_jumps(void **state)
{
	random_hits(true, false);
}

static void test_random_narrow(void **state)
{
	memset(own_ids, 0, 4096);
	random_hits(false, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_random_jumps),
		cmocka_unit_test(test_random_narrow),
	};

	return cmocka_run_group_tests_name("generate_hit_random", tests, make_own_ids, NULL);
}

#else

/* The generator of this architecture: there is none. */
int main(void)
{
	return 0;
}

#endif
