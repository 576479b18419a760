// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_generate_table.c - generated code for jumps and static tracepoints that count in a table: on the CPU of this machine, compared with the
 * interpreter and core/aggregate.c.
 */
#include "unit.h"

#ifdef __x86_64__

#include "direct_code.h"
#include "hit_table.h"

static const bool counts_names = true;

static u32 a_counted_register(void)
{
	return (u32)rand() % 16;
}

static u32 a_program_register(void)
{
	return 2;
}

static const void *table_code(const struct kt_program *program)
{
	struct kt_hit_code what = direct_what(program, true);

	what.table = &counts_in;
	return hit_make_what(what);
}

/* One hit.  Returns whether the code left it to C; then it counts there. */
static bool assert_counted(const struct machine *m, const void *code)
{
	const struct counted what = emitted(m);
	const bool near = is_near(&what);
	const u32 unreadable = machine_unreadable;
	struct scene *scene = scene_take();
	struct tables *after = malloc(sizeof(*after));

	before = tables;
	run_direct(m, code);
	*after = tables;
	tables = before;
	if (hit_left) {
		assert_true(!near || machine_unreadable != unreadable);
		assert_memory_equal(after, &before, sizeof(before));
	} else {
		assert_true(near && machine_unreadable == unreadable);
		scene->ctl.measured++;
		scene->cpu.recorded++;
	}
	count_in_c(&what);
	if (!hit_left)
		assert_memory_equal(after, &tables, sizeof(tables));
	assert_scene(scene);
	free(after);
	free(scene);
	return hit_left;
}

static void test_random(void **state)
{
	u32 left = 0, total = 0;

	unit_random();
	memset(own_ids, 0, 256 * sizeof(*own_ids));
	for (u32 i = 0; i < unit_rounds(5000); i++) {
		struct kt_aggregate_req req;
		struct kt_insn insns[32];
		const u32 len = random_counter(insns, &req);
		struct kt_program *program;
		struct machine m;
		const void *code;
		int payload;

		direct_reset();
		make_table(&req);
		program = machine_load(insns, len, &payload);
		assert_non_null(program);
		assert_int_equal(payload, req.key_bytes + (req.kind == KT_AGG_COUNT ? 0 : 8));
		code = table_code(program);
		assert_int_equal(!!code, counts_in.plan.key_words <= 4);
		for (u32 hits = 0; code && hits < 30; hits++, total++) {
			dice_few_values(&m);
			assert_int_equal(machine_run(&m, insns, len), MACHINE_RECORDED);
			left += assert_counted(&m, code);
		}
		free(program);
	}
	print_message("%u of %u hits were left to C\n", left, total);
	assert_in_range(left, total / 20, total * 3 / 4);
}

static const void *by_key(struct machine *m, u32 kind, const struct kt_insn key, u32 key_bytes, struct kt_program **program)
{
	const struct kt_insn counts[] = { key, END }, values[] = { key, I(EMITREG, .imm = 1), END };
	const struct kt_aggregate_req req = {
		.kind = kind, .keys = 16, .key_bytes = key_bytes, .value_bit = KT_AGG_READABLE, .flags = kind ? KT_AGGREGATE_SIGNED : 0,
	};
	struct counted what;

	machine_reset(m);
	srand(3);
	machine_dice(m);
	m->regs.general[1] = (u64)-5;
	memset(m->comm, 0, sizeof(m->comm));
	strcpy(m->comm, "a name");
	direct_reset();
	memset(own_ids, 0, 256 * sizeof(*own_ids));
	make_table(&req);
	*program = loaded(m, kind ? values : counts, kind ? 3 : 2);
	what = emitted(m);
	count_in_c(&what);
	return table_code(*program);
}

static void test_unusual(void **state)
{
	struct kt_program *program;
	struct machine m;
	const void *code = by_key(&m, KT_AGG_COUNT, (struct kt_insn)PID, 4, &program);

	assert_non_null(code);
	assert_false(assert_counted(&m, code));
	hit_rings.wake_next = 1;
	assert_false(assert_counted(&m, code));
	assert_int_equal(hit_woken, 0);
	before = tables;
	hit_rings.recording = ~0ULL;
	run_direct(&m, code);
	assert_int_equal(hit_left, 0);
	assert_int_equal(hit_ctl.frozen, 1);
	assert_int_equal(hit_cpu.missed, 1);
	hit_rings.recording = 0;
	hit_cpu.nest = 1;
	run_direct(&m, code);
	assert_int_equal(hit_left, 1);
	hit_cpu.nest = 0;
	own_ids[m.current[KT_CUR_TGID] & 0xff] = 1;
	run_direct(&m, code);
	assert_int_equal(hit_left, 1);
	assert_memory_equal(&before, &tables, sizeof(before));
	/* Another table, as after a clear. */
	own_ids[m.current[KT_CUR_TGID] & 0xff] = 0;
	memset(&tables, 0, sizeof(tables));
	assert_true(assert_counted(&m, code));
	assert_false(assert_counted(&m, code));
	free(program);
}

/* Another hit of the same key counts between any two instructions. */
static struct counted nested;

static void on_count(int signal, siginfo_t *info, void *context)
{
	if (at_trap(context))
		count_in_c(&nested);
}

static void test_interrupted(void **state)
{
	struct sigaction action = { .sa_sigaction = on_count, .sa_flags = SA_SIGINFO };
	static const struct {
		u8 kind;
		struct kt_insn key;
		u32 key_bytes, steps;
	} rows[] = {
		{ KT_AGG_COUNT, PID, 4, 46 }, { KT_AGG_SUM, PID, 4, 54 }, { KT_AGG_HIST, PID, 4, 53 },
		{ KT_AGG_COUNT, I(EMITCOMM), KT_COMM_BYTES, 72 },
	};

	trap.end = (u64)(uintptr_t)direct_returned;
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kt_program *program;
		struct machine m;
		const void *code = by_key(&m, rows[i].kind, rows[i].key, rows[i].key_bytes, &program);

		nested = emitted(&m);
		for (trap.at = 0, trap.met = true; trap.met; trap.at++) {
			const struct tables first = tables;

			trap.steps = 0;
			trap.met = false;
			hit_trap = 1;
			run_direct(&m, code);
			hit_trap = 0;
			assert_int_equal(hit_left, 0);
			before = tables;
			tables = first;
			count_in_c(&nested);
			if (trap.met)
				count_in_c(&nested);
			assert_memory_equal(&before, &tables, sizeof(tables));
		}
		print_message("kind %u, key of %u bytes: %u instructions\n", rows[i].kind, rows[i].key_bytes, trap.steps);
		/* docs/cost.md */
		assert_int_equal(trap.steps, rows[i].steps + (direct_event ? 5 : 0));
		free(program);
	}
	signal(SIGTRAP, SIG_DFL);
}

/* What stays with the C path. */
static void test_no_code(void **state)
{
	struct kt_aggregate_req req = { .kind = KT_AGG_MIN, .keys = 16, .key_bytes = 4, .value_bit = KT_AGG_READABLE };
	const struct kt_insn insns[] = { PID, I(EMITREG, .imm = 1), END };
	struct kt_program *program;
	int payload;

	direct_reset();
	program = machine_load(insns, 3, &payload);
	make_table(&req);
	assert_null(table_code(program));
	req.kind = KT_AGG_SUM;
	make_table(&req);
	assert_non_null(table_code(program));
	req.kind = KT_AGG_LHIST;
	req.step = req.buckets = 5;
	make_table(&req);
	assert_null(table_code(program));
	free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		both_forms(test_random), both_forms(test_unusual), both_forms(test_interrupted), both_forms(test_no_code),
	};

	return cmocka_run_group_tests_name("generate_table", tests, make_own_ids, NULL);
}

#else

/* The generator of this architecture: there is none. */
int main(void)
{
	return 0;
}

#endif
