// SPDX-License-Identifier: GPL-2.0-or-later
/* test_generate_hit.c - generated code for whole hits: on the CPU of this machine, compared with ring.h and the interpreter. */
#include "unit.h"

#ifdef __x86_64__

#include "whole_hit.h"

static const struct kt_insn three[] = {
	I(FAULTS2), I(EMITREG, .imm = 4), CHAIN(U64, 1, 1), LINK(8), I(REG, .dst = 0, .imm = 2), EMIT(0, 4), END
};

static void three_scene(struct machine *m)
{
	machine_reset(m);
	srand(3);
	machine_dice(m);
	m->regs.general[1] = MACHINE_MEMORY + 8;
	hit_reset();
}

static const void *three_code(struct machine *m, struct kt_program **program, bool is_jump)
{
	three_scene(m);
	*program = loaded(m, three, ARRAY_SIZE(three));
	return hit_make(*program, false, is_jump);
}

static void test_unusual(void **state)
{
	struct machine m;
	struct kt_program *program;
	const void *code = three_code(&m, &program, false);

	assert_non_null(code);
	assert_recorded(&m, code);

	hit_rings.recording = 1ULL << 40;
	assert_left(&m, code, 7);
	hit_rings.recording = 0;
	hit_cpu.nest = 1;
	assert_left(&m, code, 7);
	hit_cpu.nest = 1U << 31;
	assert_left(&m, code, 7);
	hit_cpu.nest = 0;
	hit_ctl.last_ts = kt_clock_read() - (1ULL << 33);
	assert_left(&m, code, 7);
	hit_ctl.last_ts = kt_clock_read() + (1ULL << 33);
	assert_left(&m, code, 7);
	hit_ctl.last_ts = kt_clock_read();
	hit_ctl.word |= KT_WORD_CLOSED << 16;
	assert_left(&m, code, 7);
	free(program);
}

/* The same at the prompt, where the code knows that recording is frozen, and which processes are ktrace itself. */
static void assert_missed(const struct machine *m, const void *code, u32 counter)
{
	assert_missed_by(hit_run, m, code, counter);
}

static const struct kt_insn three_narrow[] = {
	PID, I(EMITREG, .imm = 4), I(EMITREG, .imm = 1), I(REG, .dst = 0, .imm = 2), EMIT(0, 4), END
};

static const void *narrow_scene(struct machine *m, struct kt_program **program, u32 *task)
{
	const void *code;

	three_scene(m);
	memset(own_ids, 0, 256 * sizeof(*own_ids));
	task[0] = m->current[KT_CUR_PID] = 7;
	task[1] = m->current[KT_CUR_TGID] = 0x12345;
	hit_reset_as(false);
	hit_cpu.task = task;
	*program = loaded(m, three_narrow, ARRAY_SIZE(three_narrow));
	code = narrow_make(*program, true);
	assert_non_null(code);
	return code;
}

static void test_narrow(void **state)
{
	struct kt_program *program;
	struct machine m;
	u32 task[2];
	const void *code = narrow_scene(&m, &program, task);

	assert_recorded(&m, code);
	hit_rings.recording = 1ULL << 40;
	assert_left(&m, code, 7);
	hit_rings.recording = ~0ULL;
	assert_missed(&m, code, offsetof(struct kt_ring_ctl, frozen));
	hit_cpu.nest = 1;
	assert_left(&m, code, 7);
	hit_rings.recording = 0;
	assert_left(&m, code, 7);
	hit_cpu.nest = 0;
	hit_cpu.loads_at = 8;
	assert_left(&m, code, 7);
	hit_cpu.loads_at = 0;
	own_ids[0x45] = 0x100;
	assert_left(&m, code, 7);
	own_ids[0x45] = 0;
	hit_ctl.last_ts = kt_clock_read() - (1ULL << 24);
	assert_left(&m, code, 7);
	hit_ctl.last_ts = kt_clock_read();
	hit_ctl.word |= KT_WORD_CLOSED << 16;
	assert_left(&m, code, 7);
	hit_reset_as(false);
	hit_cpu.task = task;
	hit_rings.wake_next = 1;
	assert_recorded(&m, code);
	assert_int_equal(hit_woken, (u64)(uintptr_t)&hit_rings);
	hit_rings.recording = ~0ULL;
	assert_missed(&m, code, offsetof(struct kt_ring_ctl, frozen));
	assert_int_equal(hit_woken, (u64)(uintptr_t)&hit_rings);
	hit_rings.recording = hit_rings.wake_next = 0;
	/* SELF: hits in ktrace are recorded. */
	own_ids[0x45] = 1;
	assert_recorded(&m, narrow_make(program, false));
	hit_clock_traps = true;
	assert_null(narrow_make(program, true));
	hit_clock_traps = false;
	free(program);
}

/* Fill packets to the last unit with records of all sizes. */
static void test_room(void **state)
{
	struct machine m;
	struct kt_program *program;
	const void *code = three_code(&m, &program, false);
	struct kt_hit_code what;
	u32 left = 0;

	for (u32 i = 0; i < 2000; i++) {
		const u32 units = 3 + (u32)program->bytes / 2;

		if (kt_word_off(hit_ctl.word) + units <= HIT_SUB / 2) {
			assert_recorded(&m, code);
		} else {
			assert_left(&m, code, 7);
			left++;
			kt_ring_write(&hit_cpu.ring, 5, m.out, (u32)rand() % 8);
		}
	}
	assert_true(left > 10);

	/* A record that is larger than a packet has no code. */
	what = hit_what(program, false, false);
	what.sub_units = what.units + 3;
	assert_non_null(hit_make_what(what));
	what.sub_units--;
	assert_null(hit_make_what(what));
	free(program);
}

static void test_interrupted(void **state)
{
	struct kt_program *program;
	struct machine m;
	u32 task[2];
	const void *code = three_code(&m, &program, false);

	assert_int_equal(program->bytes, 22);
	interrupt_everywhere(&m, code, 40, 80);
	free(program);
	interrupt_everywhere(&m, narrow_scene(&m, &program, task), 40, 80);
	free(program);
}

/* All that is read is read in blocks of 16 bytes. */
static void test_blocks(void **state)
{
	const struct kt_insn blocks[] = { I(REG, .dst = 0, .imm = 4), I(EMITBYTES, .src = 0, .imm = 16), END };
	struct kt_program *program;
	struct machine m;

	for (u32 narrow = 0; narrow < 2; narrow++) {
		u32 task[2] = { 7, 8 };

		three_scene(&m);
		memset(own_ids, 0, 256 * sizeof(*own_ids));
		m.regs.general[4] = MACHINE_MEMORY;
		hit_reset_as(!narrow);
		hit_cpu.task = task;
		program = loaded(&m, blocks, ARRAY_SIZE(blocks));
		assert_non_null(narrow ? narrow_make(program, true) : hit_make(program, false, false));
		interrupt_everywhere(&m, code_memory, 40, 80);
		hit_cpu.task = task;
		m.regs.general[4] = MACHINE_MEMORY - 8;
		assert_int_equal(machine_run(&m, blocks, ARRAY_SIZE(blocks)), MACHINE_RECORDED);
		assert_recorded(&m, code_memory);
		free(program);
	}
}

/* The code of a jump leaves a hit to C. */
static void test_jump_left(void **state)
{
	struct kt_program *program;
	struct machine m;
	const void *code = three_code(&m, &program, true);

	assert_recorded_by(&m, code, true);
	hit_ctl.last_ts = 0;
	hit_run_jump(&m, code);
	assert_int_equal(hit_left, (u64)(uintptr_t)&hit_cpu);
	assert_int_equal(hit_cpu.nest, 0);
	assert_int_equal(hit_cpu.recorded, 1);
	free(program);
}

/* More arguments than the code has registers besides; sources that are no arguments; texts of other memory. */
static void test_no_code(void **state)
{
	const struct kt_insn all[] = {
		I(EMITREG, .imm = 4), I(EMITREG, .imm = 1), I(EMITREG, .imm = 2), I(EMITREG, .imm = 8), I(EMITREG, .imm = 9), END
	};
	const struct kt_insn other[] = { I(EMITREG, .imm = 3), END };
	const struct kt_insn call[] = { I(EMITARG, .aux = 8), END };
	const struct {
		const struct kt_insn *insns;
		u32 len;
		bool is_case, has;
	} tries[] = {
		{ all, 6, false, false }, { all, 5, false, true }, { other, 2, false, false }, { call, 2, false, false },
		{ call, 2, true, true },
	};
	struct machine m;

	for (u32 i = 0; i < ARRAY_SIZE(tries); i++) {
		struct kt_insn insns[8];
		struct kt_program *program;

		memcpy(insns, tries[i].insns, tries[i].len * sizeof(*insns));
		insns[tries[i].len - 1] = (struct kt_insn)END;
		machine_reset(&m);
		program = loaded(&m, insns, tries[i].len);
		assert_int_equal(!!hit_make(program, tries[i].is_case, false), tries[i].has);
		free(program);
	}
}

/* Rings that are in no memory of the module, as those of most clients. */
static void test_far(void **state)
{
	static const struct kt_insn text[] = { I(FAULTS2), I(ARG, .imm = 1), I(EMITTEXT, .imm = 16), END };
	struct kt_program *program;
	struct machine m;
	const void *code;

	hit_far = malloc(sizeof(*hit_far));
	assert_true((unsigned long)&hit_far->ring - (unsigned long)&hit_cpu > 1UL << 31);
	for (u32 is_text = 0; is_text < 2; is_text++) {
		three_scene(&m);
		m.syscall = true;
		m.args[1] = MACHINE_MEMORY + 3 - MACHINE_MEMORY % 3;
		memcpy(m.memory + 3 - MACHINE_MEMORY % 3, "a name", 7);
		program = loaded(&m, is_text ? text : three, is_text ? ARRAY_SIZE(text) : ARRAY_SIZE(three));
		code = hit_make(program, is_text, false);
		assert_recorded(&m, code);
		hit_far->rings.recording = 1;
		assert_left(&m, code, 0);
		free(program);
	}
	free(hit_far);
	hit_far = NULL;
}

/* A task, as far as the code that chooses a case looks at it. */
struct case_task {
	u32 before[4], flags, status;
	const u8 *stack;
};

/* The code that chooses a case: a task in a system call, in none, of a 32-bit program, of the kernel. */
static void choose_case(bool given)
{
	struct case_task task = { .flags = 0 };
	u8 stack[256] = { 0 };
	const struct kt_hit_code what = { .desc = &hit_cpu, .call_given = given };
	const void *const end = kt_x86_event_end, *const wake = kt_x86_event_wake;
	void *const hits[] = { (void *)end, (void *)wake, (void *)end, (void *)wake };
	u64 args[NR_ARGUMENTS] = { [0] = given ? (uintptr_t)stack + 64 : 0 };
	struct machine m;
	int n;

	assert_int_equal(offsetof(struct case_task, stack), 24);
	hit_reset();
	machine_reset(&m);
	for (u32 i = 0; i < NR_ARGUMENTS; i++)
		m.regs.general[kt_x86_arguments[i][0]] = args[i];
	task.stack = given ? NULL : stack;
	hit_cpu.task = &task;
	if (mprotect(code_memory, CODE_ROOM, PROT_READ | PROT_WRITE))
		abort();
	n = kt_generate_cases(&what, hits, 3, code_memory, CODE_ROOM, (unsigned long)code_memory);
	assert_in_range(n, 40, 200);
	if (mprotect(code_memory, CODE_ROOM, PROT_READ | PROT_EXEC))
		abort();
	for (s32 number = -1; number < 9; number++) {
		memcpy(stack + 64 + 48, &number, 4);
		hit_run(&m, code_memory);
		assert_int_equal(!!hit_left, number < 0 || number > 2);
		assert_int_equal(hit_woken, number == 1 ? 0x66666666 : 0);
	}
	memcpy(stack + 64 + 48, &(u32){ 1 }, 4);
	task.status = 2;
	assert_left(&m, code_memory, 31);
	task.status = 4;
	task.flags = 0x200000;
	if (given)
		hit_run(&m, code_memory);
	else
		assert_left(&m, code_memory, 31);
	task.flags = 0x100;
	hit_run(&m, code_memory);
	assert_int_equal(hit_left, 0);
}

static void test_cases(void **state)
{
	for (u32 how = 0; how < 4; how++) {
		hit_calls_plainly = how & 1;
		choose_case(how & 2);
	}
	hit_calls_plainly = false;
	assert_int_equal(kt_hits_room(0), 1);
	assert_int_equal(kt_hits_room(1), 1);
	assert_int_equal(kt_hits_room(2), 2);
	assert_int_equal(kt_hits_room(3), 4);
	assert_int_equal(kt_hits_room(512), 512);
	assert_int_equal(kt_hits_room(513), 1024);
}

/* Arguments of a system call, from the stack or as the kernel gives them; also with a record between any two instructions. */
static void test_call_arguments(void **state)
{
	const struct kt_insn arguments[] = {
		I(EMITARG, .aux = 4), I(EMITARG, .aux = 8, .imm = 1), I(EMITARG, .aux = 8, .imm = 2), PID, I(ARG, .dst = 1, .imm = 5),
		I(ADDI, .dst = 1, .src = 1, .imm = 3), EMIT(1, 8), END
	};
	const u32 task[2] = { 4711, 815 };
	struct kt_program *program;
	struct machine m;

	for (u32 given = 0; given < 2; given++) {
		hit_call_given = given;
		hit_reset();
		machine_reset(&m);
		machine_dice(&m);
		m.syscall = true;
		m.current[KT_CUR_PID] = task[0];
		m.current[KT_CUR_TGID] = task[1];
		hit_cpu.task = task;
		program = loaded(&m, arguments, ARRAY_SIZE(arguments));
		assert_recorded(&m, hit_make(program, true, false));
		assert_int_equal(hit_on, given);
		interrupt_everywhere(&m, code_memory, 40, 80);
		free(program);
	}
	hit_call_given = false;
}

/* The ends of a pipe, where the program gave the address; with an error, there is nothing to read. */
static void test_call_memory(void **state)
{
	const struct kt_insn ends[] = {
		I(FAULTS2), I(ARG, .dst = 0, .imm = 1), I(REG, .dst = 1, .imm = kt_reg_offset(ARG_REG(1))), I(ALU, .dst = 0, .src = 1, .aux = KT_ALU_OR),
		I(LOAD, .dst = 2, .src = 0, .aux = KT_SIZE_S32), EMIT(2, 4), I(LOAD, .dst = 2, .src = 0, .imm = 4, .aux = KT_SIZE_U8),
		EMIT(2, 4), END
	};
	struct kt_program *program;
	struct machine m;
	const void *code;

	for (u32 how = 0; how < 8; how++) {
		hit_call_given = how & 1;
		hit_no_faults = how & 2;
		hit_reset();
		machine_reset(&m);
		machine_dice(&m);
		m.syscall = true;
		m.args[1] = MACHINE_MEMORY + 16;
		m.regs.general[ARG_REG(1)] = how & 4 ? (u64)-9 : 0;
		hit_cpu.preempt_count = 7;
		code_faults = 0;
		program = loaded(&m, ends, ARRAY_SIZE(ends));
		code = hit_make(program, true, false);
		assert_non_null(code);
		assert_recorded(&m, code);
		assert_int_equal(code_faults, !hit_call_given ? 0 : hit_no_faults ? 7 : 8);
		assert_int_equal(hit_cpu.preempt_count, 7);
		interrupt_everywhere(&m, code_memory, 40, 120);
		free(program);
	}
	hit_call_given = hit_no_faults = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unusual), cmocka_unit_test(test_narrow), cmocka_unit_test(test_room),
		cmocka_unit_test(test_interrupted), cmocka_unit_test(test_blocks), cmocka_unit_test(test_jump_left), cmocka_unit_test(test_no_code),
		cmocka_unit_test(test_cases), cmocka_unit_test(test_call_arguments), cmocka_unit_test(test_call_memory), cmocka_unit_test(test_far),
	};

	return cmocka_run_group_tests_name("generate_hit", tests, make_own_ids, NULL);
}

#else

/* The generator of this architecture: there is none. */
int main(void)
{
	return 0;
}

#endif
