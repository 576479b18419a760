// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_generate_hit.c - generated code for whole hits, compared with ring.h and the interpreter.  QEMU's user-mode emulation runs it.
 */
#include "unit.h"

#include "ctl/base/memory.h"
#include "hit_trap.h"
#include "hit_record.h"
#include "capture_insns.h"

static const struct hit_kind kinds[] = {
	{ .is_event = true, .is_wide = true }, { .is_wide = true }, { .is_event = true, .others = true }, { .others = true },
	{ 0 },
};

/* Change the scene as a hit does that is recorded at the time ts, and counted. */
static void scene_record(struct scene *scene, const struct machine *m, u64 ts)
{
	scene_write(scene, (const u8 *)m->out, m->payload, ts);
	scene->cpu.others += hit_cpu.ring.wide;
	scene->cpu.recorded++;
}

/* Compare all with the scene, except the clock of the last event: it goes on with each hit. */
static void assert_changed(struct scene *scene)
{
	scene->cpu.last_ticks = hit_cpu.last_ticks;
	assert_scene(scene);
	free(scene);
}

/* Run the code that exists: what the machine says has happened. */
static void assert_hit(const struct machine *m, const struct hit_kind *kind, const void *task, bool recorded)
{
	struct scene *scene;
	const u64 before = kt_clock_read();

	hit_ctl.last_ts = before;
	scene = scene_take();
	hit_run(m, kind, task);
	assert_true(registers_are_back(kind));
	/* This process was away from the CPU for longer than the clock of a narrow record can tell. */
	if (recorded && !kind->is_wide && kt_clock_read() - before >= 1 << KT_TS_BITS) {
		hit_reset(false);
		free(scene);
		return;
	}
	assert_int_equal(hit_after.end, kind->is_event ? EVENT_END : JUMP_END);
	if (recorded) {
		assert_true(before < hit_ctl.last_ts && hit_ctl.last_ts <= kt_clock_read() + 1);
		scene_record(scene, m, hit_ctl.last_ts);
	} else {
		scene->ctl.filtered++;
		scene->cpu.missed++;
		scene->cpu.others += kind->is_wide;
	}
	assert_changed(scene);
}

/* The code leaves the hit to C, and has changed nothing. */
static void assert_left(const struct machine *m, const struct hit_kind *kind, const void *task)
{
	struct scene *scene = scene_take();

	hit_run(m, kind, task);
	assert_int_equal(hit_after.end, kind->is_event ? EVENT_AGAIN : JUMP_AGAIN);
	assert_int_equal(hit_after.x[16], (u64)(uintptr_t)&hit_cpu);
	assert_true(registers_are_back(kind));
	assert_changed(scene);
}

/* Recording is frozen. */
static void assert_missed(const struct machine *m, const struct hit_kind *kind, const void *task)
{
	struct scene *scene = scene_take();

	hit_run(m, kind, task);
	assert_true(registers_are_back(kind));
	assert_int_equal(hit_after.end, kind->is_event ? EVENT_END : JUMP_END);
	scene->ctl.frozen++;
	scene->cpu.missed++;
	assert_changed(scene);
}

/* -------------------------------------------------------------------------- cases */

static const struct kt_insn three[] = {
	I(FAULTS), I(EMITREG, .imm = 4), CHAIN(U64, 1, 1), LINK(8), I(REG, .dst = 0, .imm = 2), EMIT(0, 4), PID, END
};

static void three_scene(struct machine *m, u32 task[TASK_WORDS])
{
	machine_reset(m);
	srand(3);
	machine_dice(m);
	m->regs.general[1] = MACHINE_MEMORY + 8;
	task[0] = m->current[KT_CUR_PID] = 7;
	task[1] = m->current[KT_CUR_TGID] = 0x12345;
	memset(hit_own_ids, 0, sizeof(hit_own_ids));
}

/* The code of a program, for a machine on which it has run.  False: there is none. */
static bool make_for(struct machine *m, const struct hit_kind *kind, const struct kt_insn *insns, u32 len)
{
	struct kt_program *program;
	struct kt_hit_code what;
	int payload;
	bool made;

	assert_int_equal(machine_run(m, insns, len), MACHINE_RECORDED);
	program = machine_load(insns, len, &payload);
	what = hit_what(program, kind);
	made = hit_make(&what);
	/* The code has the address of the program, for the interpreter: as long as the test runs. */
	return made;
}

static void test_unusual(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct hit_kind *kind = &kinds[i];
		struct machine m;
		u32 task[TASK_WORDS] = { 0 };

		hit_reset(kind->is_wide);
		three_scene(&m, task);
		assert_true(make_for(&m, kind, three, ARRAY_SIZE(three)));
		assert_hit(&m, kind, task, true);
		hit_rings.recording = 1ULL << 40;
		assert_left(&m, kind, task);
		hit_rings.recording = ~0ULL;
		if (kind->is_wide)
			assert_left(&m, kind, task);
		else
			assert_missed(&m, kind, task);
		hit_cpu.nest = 1;
		assert_left(&m, kind, task);
		hit_rings.recording = 0;
		assert_left(&m, kind, task);
		hit_cpu.nest = 1U << 31;
		assert_left(&m, kind, task);
		hit_cpu.nest = 0;
		if (kind->others) {
			hit_own_ids[0x45] = 0x100;
			assert_left(&m, kind, task);
			hit_own_ids[0x45] = 0;
		}
		hit_ctl.last_ts = kt_clock_read() - (2ULL << kt_ts_bits(kind->is_wide));
		assert_left(&m, kind, task);
		hit_ctl.last_ts = kt_clock_read() + (2ULL << kt_ts_bits(kind->is_wide));
		assert_left(&m, kind, task);
		hit_ctl.last_ts = kt_clock_read();
		hit_ctl.word |= KT_WORD_CLOSED << 16;
		assert_left(&m, kind, task);
		hit_reset(kind->is_wide);
		if (!kind->is_wide) {
			hit_rings.wake_next = 1;
			hit_ctl.last_ts = kt_clock_read();
			hit_run(&m, kind, task);
			assert_int_equal(hit_after.end, kind->is_event ? EVENT_WAKE : JUMP_WAKE);
			assert_int_equal(hit_after.x[16], (u64)(uintptr_t)&hit_rings);
			assert_true(registers_are_back(kind));
			assert_int_equal(hit_cpu.recorded, 1);
		}
	}
}

/* A clock that is slower than the code: each record has a later time. */
static void test_coarse(void **state)
{
	const struct hit_kind *kind = &kinds[0];
	struct machine m;
	u32 task[TASK_WORDS] = { 0 };
	u64 last = 0;

	hit_is_coarse = true;
	hit_reset(true);
	three_scene(&m, task);
	assert_true(make_for(&m, kind, three, ARRAY_SIZE(three)));
	for (u32 i = 0; i < 50; i++) {
		assert_hit(&m, kind, task, true);
		assert_true(hit_ctl.last_ts > last && hit_ctl.last_ts == hit_cpu.last_ticks);
		last = hit_ctl.last_ts;
	}
	hit_cpu.last_ticks = kt_clock_read() + 1000000;
	hit_run(&m, kind, task);
	assert_int_equal(hit_after.end, EVENT_END);
	assert_int_equal(hit_ctl.last_ts, hit_cpu.last_ticks);
	hit_is_coarse = false;
}

/* Fill packets to the last unit with records of all sizes. */
static void test_room(void **state)
{
	const struct hit_kind *kind = &kinds[0];
	struct machine m;
	u32 task[TASK_WORDS] = { 0 }, left = 0;

	hit_reset(true);
	three_scene(&m, task);
	assert_true(make_for(&m, kind, three, ARRAY_SIZE(three)));
	for (u32 i = 0; i < 2000; i++) {
		if (kt_word_off(hit_ctl.word) + 3 + m.payload / 2 <= HIT_SUB / 2) {
			assert_hit(&m, kind, task, true);
		} else {
			assert_left(&m, kind, task);
			left++;
			kt_ring_write(&hit_cpu.ring, 5, m.out, (u32)rand() % 8);
		}
	}
	assert_true(left > 10);
}

/* A system call's arguments, from the registers that the kernel gives, or from the task's stack. */
static void test_call_arguments(void **state)
{
	const struct kt_insn arguments[] = {
		I(EMITARG, .aux = 4), I(EMITARG, .aux = 8, .imm = 1), PID, I(ARG, .dst = 5, .imm = 5), EMIT(5, 8), END
	};
	struct { u32 words[8]; const u8 *stack; } task = { .words = { 7 } };
	struct machine m;

	for (u32 given = 0; given < 2; given++) {
		const struct hit_kind kind = { .is_event = true, .is_wide = true, .is_case = true, .call_given = given };
		u64 regs[64] = { 0 };

		hit_reset(true);
		machine_reset(&m);
		machine_dice(&m);
		m.syscall = true;
		m.current[KT_CUR_PID] = 7;
		for (u32 n = 0; n < KT_SYSCALL_ARGS; n++)
			memcpy((u8 *)regs + 64 + kt_syscall_arg_offset(n), &m.args[n], 8);
		task.stack = given ? NULL : (const u8 *)regs;
		assert_true(make_for(&m, &kind, arguments, ARRAY_SIZE(arguments)));
		assert_hit(&m, &kind, &task, true);
	}
}

/* The code that chooses a case: a task in a system call, in none, of a 32-bit program, of the kernel. */
static void choose_case(bool given)
{
	const struct hit_kind kind = { .is_event = true, .is_wide = true };
	const struct kt_hit_code what = { .desc = &hit_cpu, .call_given = given };
	void *const hits[] = { (void *)kt_arm64_event_end, (void *)kt_arm64_event_wake, (void *)kt_arm64_event_end, NULL };
	struct { u32 words[4], flags, pad; u64 thread_flags; u8 *stack; } task = { .flags = 0 };
	u8 stack[256] = { 0 };
	struct machine m;
	int n;

	hit_reset(true);
	machine_reset(&m);
	m.regs.general[1] = (uintptr_t)stack + 64;
	task.stack = given ? NULL : stack;
	code_protect(PROT_READ | PROT_WRITE);
	n = kt_generate_cases(&what, hits, 3, code_memory, CODE_ROOM, (unsigned long)code_memory);
	assert_in_range(n, 40, 200);
	__builtin___clear_cache((char *)code_memory, (char *)code_memory + n);
	code_protect(PROT_READ | PROT_EXEC);
	for (s32 number = -1; number < 9; number++) {
		memcpy(stack + 64 + 48, &number, 4);
		hit_run(&m, &kind, &task);
		assert_int_equal(hit_after.end, number < 0 || number > 2 ? EVENT_AGAIN : number == 1 ? EVENT_WAKE : EVENT_END);
	}
	memcpy(stack + 64 + 48, &(u32){ 1 }, 4);
	task.thread_flags = 1 << 22;
	assert_left(&m, &kind, &task);
	task.thread_flags = ~(1ULL << 22);
	task.flags = 0x200000;
	hit_run(&m, &kind, &task);
	assert_int_equal(hit_after.end, given ? EVENT_WAKE : EVENT_AGAIN);
	task.flags = 0x100;
	hit_run(&m, &kind, &task);
	assert_int_equal(hit_after.end, EVENT_WAKE);
}

static void test_cases(void **state)
{
	choose_case(false);
	choose_case(true);
}

static void test_no_code(void **state)
{
	const struct kt_insn other[] = { I(EMITREG, .imm = 8), END }, pc[] = { I(EMITREG, .imm = 32), END };
	const struct kt_insn call[] = { I(EMITARG, .aux = 8), END };
	const struct hit_kind a_case = { .is_event = true, .is_wide = true, .is_case = true, .call_given = true };
	struct machine m;

	machine_reset(&m);
	m.syscall = true;
	assert_false(make_for(&m, &kinds[0], other, 2));
	assert_true(make_for(&m, &kinds[1], other, 2));
	assert_false(make_for(&m, &kinds[1], pc, 2));
	assert_false(make_for(&m, &kinds[0], call, 2));
	assert_false(make_for(&m, &kinds[3], call, 2));
	assert_true(make_for(&m, &a_case, call, 2));
}

/* -------------------------------------------------------------------- interruptions */

/* The other record must have a later time, too. */
static void write_other(void)
{
	while (kt_clock_read() <= hit_ctl.last_ts + 1)
		;
	kt_ring_write(&hit_cpu.ring, HIT_OTHER_ID, "abcd", 4 >> kt_unit_shift(hit_cpu.ring.wide));
}

/* A record between any two instructions: it is there, and the hit is recorded once, or left to C. */
static void interrupt_everywhere(const struct hit_kind *kind)
{
	struct machine m;
	u32 task[TASK_WORDS] = { 0 }, n = 0, met = 0, left = 0, all;

	three_scene(&m, task);
	assert_true(make_for(&m, kind, three, ARRAY_SIZE(three)));
	trap.work = write_other;
	while (((const u32 *)(const void *)code_memory)[n])
		n++;
	for (u32 i = 0; i < n; i++) {
		const u64 began = kt_clock_read();
		bool again;

		hit_reset(kind->is_wide);
		hit_ctl.last_ts = began;
		plant(i);
		hit_run(&m, kind, task);
		if (!trap.met)
			write_other();
		again = !kind->is_wide && kt_clock_read() - began >= 1 << KT_TS_BITS;
		if (again) {
			i--;
			continue;
		}
		assert_true(registers_are_back(kind));
		met += trap.met;
		left += hit_after.end == (kind->is_event ? EVENT_AGAIN : JUMP_AGAIN);
		assert_int_equal(hit_cpu.recorded, hit_after.end == (kind->is_event ? EVENT_END : JUMP_END));
		assert_int_equal(records_of(kind->is_wide ? HIT_ID : HIT_NARROW_ID, m.payload, &all), hit_cpu.recorded);
		assert_int_equal(all, hit_cpu.recorded + 1);
	}
	print_message("%u instructions, the hit was left to C at %u\n", n, left);
	assert_in_range(left, 8, 40);
}

static void test_interrupted(void **state)
{
	assert_int_not_equal(signal(SIGTRAP, on_trap), SIG_ERR);
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		interrupt_everywhere(&kinds[i]);
	signal(SIGTRAP, SIG_DFL);
}

/* -------------------------------------------------------------------------- random */

/* Programs that mostly have code: sources of an event are its arguments, and it is in no system call. */
static void make_likely(struct kt_insn *insns, u32 len, bool is_event)
{
	replace_rare(insns, len);
	for (struct kt_insn *in = insns; in < insns + len; in++) {
		if (in->op == KT_OP_ARG)
			*in = (struct kt_insn)I(REG, .dst = in->dst);
		if (in->op == KT_OP_REG || in->op == KT_OP_EMITREG || in->op == KT_OP_EMITCHAIN)
			in->imm = is_event ? 1 + dice(1 + dice(7)) : dice(3) ? dice(32) : dice(19);
	}
}

struct tally {
	u32 made, total, filtered, interpreted;
};

static void random_hit(const struct hit_kind *kind, struct tally *tally)
{
	struct kt_insn insns[KT_MAX_PROG];
	struct kt_program *program;
	struct kt_hit_code what;
	struct machine m;
	u32 task[TASK_WORDS], len, given_up;
	enum machine_end end;
	int payload;

	dice_registers = 1 + dice(KT_NR_REGS);
	len = random_program(insns);
	machine_reset(&m);
	machine_dice(&m);
	make_likely(insns, len, kind->is_event);
	for (u32 n = 0; n < 8; n++)
		if (dice(4))
			m.regs.general[dice(31)] = MACHINE_MEMORY + dice(MACHINE_BYTES);
	m.regs.general[31] = (uintptr_t)FRAME_OF_HIT + KT_FRAME_BYTES;
	task[0] = m.current[KT_CUR_PID];
	task[1] = m.current[KT_CUR_TGID];
	m.current[KT_CUR_TASK] = (uintptr_t)task;
	hit_name(task, &m);
	machine_unreadable = 0;
	end = machine_run(&m, insns, len);
	if (end == MACHINE_REFUSED)
		return;
	tally->total++;
	program = machine_load(insns, len, &payload);
	what = hit_what(program, kind);
	if (program->varies || (kind->is_wide && program->filter) || program->bytes % 4 || m.payload > 1000 || !hit_make(&what)) {
		free(program);
		return;
	}
	tally->made++;
	if (kt_word_off(hit_ctl.word) + m.payload / 2 + 3 > HIT_SUB / (kind->is_wide ? 2 : 4))
		hit_reset(kind->is_wide);
	/* A value of the filter that cannot be read leaves the hit to C. */
	given_up = code_given_up;
	if (program->filter && machine_unreadable) {
		hit_ctl.last_ts = kt_clock_read();
		hit_run(&m, kind, task);
		assert_true(registers_are_back(kind));
		hit_reset(kind->is_wide);
	} else {
		assert_hit(&m, kind, task, end == MACHINE_RECORDED);
	}
	tally->filtered += end == MACHINE_FILTERED;
	tally->interpreted += code_given_up - given_up;
	free(program);
}

static void test_random(void **state)
{
	unit_random();
	for (u32 i = 0; i < 8 * ARRAY_SIZE(kinds); i++) {
		const struct hit_kind *kind = &kinds[i % ARRAY_SIZE(kinds)];
		struct tally tally = { 0 };

		hit_has_atomics = i / ARRAY_SIZE(kinds) & 1;
		hit_is_far = i / ARRAY_SIZE(kinds) & 2;
		hit_is_coarse = i / ARRAY_SIZE(kinds) & 4;
		hit_reset(kind->is_wide);
		memset(hit_own_ids, 0, sizeof(hit_own_ids));
		for (u32 n = 0; n < 800; n++)
			random_hit(kind, &tally);
		print_message("%u of %u programs have code; %u hits filtered, %u by the interpreter\n", tally.made, tally.total,
			      tally.filtered, tally.interpreted);
		assert_true(tally.made > 100 && tally.interpreted > 10 && (kind->is_wide || tally.filtered > 10));
	}
	hit_has_atomics = hit_is_far = hit_is_coarse = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unusual), cmocka_unit_test(test_coarse), cmocka_unit_test(test_room),
		cmocka_unit_test(test_call_arguments), cmocka_unit_test(test_cases), cmocka_unit_test(test_no_code),
		cmocka_unit_test(test_interrupted), cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("generate_hit", tests, NULL, NULL);
}
