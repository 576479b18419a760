// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_generate_table.c - generated code for hits that count in a table, compared with the interpreter and core/aggregate.c.  QEMU's
 * user-mode emulation runs it.
 */
#include "unit.h"

#include "ctl/base/memory.h"
#include "hit_trap.h"
#include "hit_record.h"
#include "hit_table.h"

static const struct hit_kind kinds[] = { { .is_event = true, .others = true }, { .others = true } };

static const bool counts_names = true;

static u32 a_counted_register(void)
{
	return 1 + dice(7);
}

static u32 a_program_register(void)
{
	return dice(KT_NR_REGS);
}

static u32 table_code(const struct kt_program *program, const struct hit_kind *kind)
{
	struct kt_hit_code what = hit_what(program, kind);

	what.table = &counts_in;
	return hit_make(&what);
}

/* One hit.  Returns whether the code left it to C; then it counts there. */
static bool assert_counted(const struct machine *m, const struct hit_kind *kind, const void *task)
{
	const struct counted what = emitted(m);
	const bool near = is_near(&what);
	const u32 unreadable = machine_unreadable;
	struct scene *scene = scene_take();
	struct tables *after = malloc(sizeof(*after));
	bool left;

	before = tables;
	hit_run(m, kind, task);
	left = hit_after.end == (kind->is_event ? EVENT_AGAIN : JUMP_AGAIN);
	assert_true(left || hit_after.end == (kind->is_event ? EVENT_END : JUMP_END));
	assert_true(registers_are_back(kind));
	*after = tables;
	tables = before;
	if (left) {
		assert_true(!near || machine_unreadable != unreadable);
		assert_memory_equal(after, &before, sizeof(before));
	} else {
		assert_true(near && machine_unreadable == unreadable);
		scene->ctl.measured++;
		scene->cpu.recorded++;
	}
	count_in_c(&what);
	if (!left)
		assert_memory_equal(after, &tables, sizeof(tables));
	assert_scene(scene);
	free(scene);
	free(after);
	return left;
}

static void dice_machine(struct machine *m, u32 task[TASK_WORDS])
{
	machine_reset(m);
	machine_dice(m);
	for (u32 reg = 1; reg < 8; reg++)
		if (dice(2))
			m->regs.general[reg] = (u64)(s64)((s32)dice(3) - 1) << dice(64);
		else if (dice(2))
			m->regs.general[reg] = MACHINE_MEMORY + dice(32);
	task[0] = m->current[KT_CUR_PID] = dice(4);
	task[1] = m->current[KT_CUR_TGID] = dice(4);
	hit_name(task, m);
}

static void random_tables(const struct hit_kind *kind)
{
	u32 left = 0, total = 0;

	for (u32 i = 0; i < 200; i++) {
		struct kt_aggregate_req req;
		struct kt_insn insns[32];
		const u32 len = random_counter(insns, &req);
		struct kt_program *program;
		struct machine m;
		u32 task[TASK_WORDS] = { 0 };
		int payload;
		bool made;

		hit_reset(false);
		make_table(&req);
		program = machine_load(insns, len, &payload);
		assert_non_null(program);
		assert_int_equal(payload, req.key_bytes + (req.kind == KT_AGG_COUNT ? 0 : 8));
		made = table_code(program, kind);
		assert_int_equal(made, counts_in.plan.key_words <= 4);
		for (u32 hits = 0; made && hits < 30; hits++, total++) {
			dice_machine(&m, task);
			assert_int_equal(machine_run(&m, insns, len), MACHINE_RECORDED);
			left += assert_counted(&m, kind, task);
		}
		free(program);
	}
	print_message("%u of %u hits were left to C\n", left, total);
	assert_in_range(left, total / 20, total * 3 / 4);
}

static void test_random(void **state)
{
	unit_random();
	memset(hit_own_ids, 0, sizeof(hit_own_ids));
	for (u32 i = 0; i < 8; i++) {
		hit_has_atomics = i & 2;
		hit_is_far = i & 4;
		random_tables(&kinds[i % 2]);
	}
	hit_has_atomics = hit_is_far = false;
}

/* A machine whose key is in the table, and the code for it. */
static void by_key(struct machine *m, u32 task[TASK_WORDS], u32 kind, const struct hit_kind *hit)
{
	const struct kt_insn counts[] = { PID, END }, values[] = { PID, I(EMITREG, .imm = 1), END };
	const struct kt_aggregate_req req = {
		.kind = kind, .keys = 16, .key_bytes = 4, .value_bit = KT_AGG_READABLE, .flags = kind ? KT_AGGREGATE_SIGNED : 0,
	};
	struct kt_program *program;
	struct counted what;
	int payload;

	machine_reset(m);
	machine_dice(m);
	m->regs.general[1] = (u64)-5;
	task[0] = m->current[KT_CUR_PID];
	task[1] = m->current[KT_CUR_TGID];
	hit_reset(false);
	memset(hit_own_ids, 0, sizeof(hit_own_ids));
	make_table(&req);
	assert_int_equal(machine_run(m, kind ? values : counts, kind ? 3 : 2), MACHINE_RECORDED);
	program = machine_load(kind ? values : counts, kind ? 3 : 2, &payload);
	what = emitted(m);
	count_in_c(&what);
	assert_true(table_code(program, hit));
	free(program);
}

static void test_unusual(void **state)
{
	struct machine m;
	u32 task[TASK_WORDS] = { 0 };

	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
		const int end = kinds[i].is_event ? EVENT_AGAIN : JUMP_AGAIN;

		by_key(&m, task, KT_AGG_COUNT, &kinds[i]);
		assert_false(assert_counted(&m, &kinds[i], task));
		/* A reader of records does not wait for this. */
		hit_rings.wake_next = 1;
		assert_false(assert_counted(&m, &kinds[i], task));
		before = tables;
		hit_rings.recording = ~0ULL;
		hit_run(&m, &kinds[i], task);
		assert_int_equal(hit_after.end, kinds[i].is_event ? EVENT_END : JUMP_END);
		assert_int_equal(hit_ctl.frozen, 1);
		hit_rings.recording = 1;
		hit_run(&m, &kinds[i], task);
		assert_int_equal(hit_after.end, end);
		hit_rings.recording = 0;
		hit_own_ids[m.current[KT_CUR_TGID] & 0xff] = 1;
		hit_run(&m, &kinds[i], task);
		assert_int_equal(hit_after.end, end);
		assert_memory_equal(&before, &tables, sizeof(before));
		/* Another table, as after a clear. */
		hit_own_ids[m.current[KT_CUR_TGID] & 0xff] = 0;
		memset(&tables, 0, sizeof(tables));
		assert_true(assert_counted(&m, &kinds[i], task));
		assert_false(assert_counted(&m, &kinds[i], task));
	}
}

/* Another hit of the same key counts between any two instructions. */
static struct counted nested;

static void count_nested(void)
{
	count_in_c(&nested);
}

static void interrupt_everywhere(u32 kind)
{
	struct machine m;
	u32 task[TASK_WORDS] = { 0 }, n = 0, met = 0;

	by_key(&m, task, kind, &kinds[0]);
	nested = emitted(&m);
	trap.work = count_nested;
	while (((const u32 *)(const void *)code_memory)[n])
		n++;
	for (u32 i = 0; i < n; i++) {
		const struct tables first = tables;
		bool left;

		plant(i);
		hit_run(&m, &kinds[0], task);
		left = hit_after.end == EVENT_AGAIN;
		if (!trap.met)
			on_trap(SIGTRAP);
		else
			met++;
		assert_true(!left);
		before = tables;
		tables = first;
		count_in_c(&nested);
		count_in_c(&nested);
		assert_memory_equal(&before, &tables, sizeof(before));
	}
	print_message("%u instructions, interrupted at %u\n", n, met);
	assert_in_range(met, 40, n);
}

static void test_interrupted(void **state)
{
	assert_int_not_equal(signal(SIGTRAP, on_trap), SIG_ERR);
	for (u32 i = 0; i < 2; i++) {
		hit_has_atomics = i;
		interrupt_everywhere(KT_AGG_COUNT);
		interrupt_everywhere(KT_AGG_SUM);
		interrupt_everywhere(KT_AGG_HIST);
	}
	hit_has_atomics = false;
	signal(SIGTRAP, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_unusual), cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests_name("generate_table", tests, NULL, NULL);
}
