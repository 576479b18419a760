// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_generate_closing.c - generated code for jumps that end a call and count in a table how long it took: on the CPU of this machine,
 * compared with the interpreter, core/interval.h and core/aggregate.c, with all registers and the flags.
 */
#include "unit.h"

#if defined(__x86_64__) || defined(EMULATED)

#include "measure_scene.h"
#include "hit_table.h"

#define NEAR		16384

static const bool counts_names = true;
static struct all calls_before;
static bool is_usual_hit = true;	/* only the call, the table or an unreadable key may leave a hit to C */

/* A program that counts calls: insns; its value is the time of the call, times `factor`, shifted by `shift`. */
static struct closer {
	struct kt_insn insns[32];
	u32 len;
	s32 factor;
	u32 shift;
	struct kt_aggregate_req req;
	struct kt_program *program;
} closer;

static u32 a_counted_register(void)
{
	return (u32)rand() % 16;
}

static u32 a_program_register(void)
{
	return 2;
}

static void put_insn(struct kt_insn in)
{
	closer.insns[closer.len++] = in;
}

static void put_keys(u32 keys)
{
	struct kt_aggregate_req *req = &closer.req;

	while (keys-- && req->key_bytes <= 24) {
		const u32 bytes = rand() % 2 ? 4 : 8;

		if (rand() % 5 == 0 && req->key_bytes <= 16) {
			put_insn((struct kt_insn)I(EMITCOMM));
			req->key_bytes += KT_COMM_BYTES;
			continue;
		}
		closer.len += item(closer.insns + closer.len, bytes);
		req->key_bytes += bytes;
	}
}

static void put_elapsed(void)
{
	put_insn((struct kt_insn)I(ELAPSED, .dst = 1));
	closer.factor = rand() % 2 ? 1 : rand() % 5;
	closer.shift = rand() % 2 ? 0 : (u32)rand() % 20;
	if (closer.factor != 1)
		put_insn((struct kt_insn)ALUI(MUL, 1, closer.factor));
	if (closer.shift)
		put_insn((struct kt_insn)ALUI(SHR, 1, (s32)closer.shift));
	put_insn((struct kt_insn)EMIT(1, 8));
	put_insn((struct kt_insn)END);
}

static void make_closer(u8 kind, bool has_mask, u32 keys)
{
	int payload;

	free(closer.program);
	closer = (struct closer){
		.req = { .kind = kind, .keys = 4u << rand() % 4, .value_bit = KT_AGG_READABLE, .flags = rand() % 2 ? KT_AGGREGATE_SIGNED : 0 },
	};
	if (has_mask) {
		put_insn((struct kt_insn)I(FAULTS));
		closer.req.key_bytes = 4;
	}
	put_keys(keys);
	put_elapsed();
	closer.program = machine_load(closer.insns, closer.len, &payload);
	assert_non_null(closer.program);
}

static struct kt_hit_code closing_what(u32 k, const struct kt_hit_measure *measure)
{
	struct kt_hit_code what = direct_what(closer.program, true);

	what.table = &counts_in;
	what.measure = measure;
	return what;
}

static const void *closing_code(u32 k)
{
	const struct kt_hit_measure measure = measure_at(false, k, false);

	return hit_make_what(closing_what(k, &measure));
}

/* ----------------------------------------------------------------------- calls */

/* A call that began up to 2^bits ticks ago. */
static struct kt_interval *enter(u32 k, u64 thread, u32 bits)
{
	struct kt_interval *at = kt_interval_find(&intervals, key_of(k), 6) ?: kt_interval_claim(&intervals, key_of(k));

	assert_non_null(at);
	*at = (struct kt_interval){
		.key = key_of(k), .start = kt_clock_read() - (u64)rand() % (1ULL << bits), .thread = thread, .off = (u64)rand() % 300,
		.outer = all.mine.inner == at ? NULL : all.mine.inner, .pid = task[0], .method = rand() % 2 ? KT_METHOD_JUMP : (u8)rand() % METHODS,
	};
	all.mine.inner = at;
	return at;
}

static u64 value_of_ticks(u64 ticks)
{
	return ticks * (u64)(s64)closer.factor >> closer.shift;
}

static u64 less(u64 a, u64 b)
{
	return a < b ? 0 : a - b;
}

/* What the code has added to the entry of the key; in a histogram, the least value of the bucket. */
static u64 counted_value(const struct tables *is, u32 entry)
{
	const u64 *to = is->values + entry * table.keys.value_words, *from = before.values + entry * table.keys.value_words;
	u32 bucket = 0;

	if (table.keys.kind != KT_AGG_HIST)
		return to[KT_AGG_LOW] - from[KT_AGG_LOW];
	while (to[bucket] == from[bucket])
		bucket++;
	return bucket < 2 ? bucket - 1 : 1ULL << (bucket - 2);
}

/* May this value be that of a call which took `least` to `most` ticks? */
static void assert_value(u64 value, u64 least, u64 most)
{
	const bool is_signed = table.keys.is_signed;

	least = value_of_ticks(least);
	most = value_of_ticks(most);
	if (table.keys.kind == KT_AGG_HIST)
		assert_in_range(kt_agg_bucket(value, is_signed), kt_agg_bucket(least, is_signed), kt_agg_bucket(most, is_signed));
	else
		assert_in_range(value, least, most);
}

/* As close() in kmod/hit/measured_hit.c. */
static void close_in_c(struct kt_interval *at, u64 charged)
{
	struct kt_interval *outer = at->outer;
	const u64 key = at->key, thread = at->thread;

	all.mine.inner = outer;
	kt_interval_free(at);
	if (kt_interval_encloses(outer, key, thread, NEAR))
		outer->off += charged;
}

static void assert_ended(const struct all *is, const struct tables *counted_is, struct kt_interval *at, struct counted *what, u64 from, u64 to)
{
	const u64 off = at->off + cost[at->method][KT_METHOD_JUMP];
	const struct kt_interval *outer = at->outer;
	const u64 charged = outer ? is->slots[outer - all.slots].off - outer->off : 0;

	what->value = counted_value(counted_is, kt_agg_find(&table.keys, what->key));
	assert_value(what->value, less(from - at->start, off), less(to - at->start, off));
	assert_true(!charged || (is_before(nested + at->off, charged) && is_before(charged, nested + at->off + to - from)));
	close_in_c(at, charged);
	assert_memory_equal(is, &all, sizeof(all));
	count_in_c(what);
	assert_memory_equal(counted_is, &tables, sizeof(tables));
}

/* One hit that may end call k.  Returns whether the code did it; else nothing has changed. */
static bool leave(struct machine *m, const void *code, u32 k)
{
	struct kt_interval *at = kt_interval_find(&intervals, key_of(k), 6);
	const u32 unreadable = machine_unreadable;
	struct all *is = malloc(sizeof(*is));
	struct tables *counted_is = malloc(sizeof(*counted_is));
	struct scene *scene;
	struct counted what;
	u64 from, to;
	bool can;

	m->call.matched = true;
	assert_int_equal(machine_run(m, closer.insns, closer.len), MACHINE_RECORDED);
	what = emitted(m);
	scene = scene_take();
	calls_before = all;
	before = tables;
	from = kt_clock_read();
	run_direct(m, code);
	to = kt_clock_read();
	*is = all;
	*counted_is = tables;
	all = calls_before;
	tables = before;
	scene->ctl.measured += !hit_left;
	scene->cpu.recorded += !hit_left;
	assert_scene(scene);
	can = at && at->thread == MINE && !at->unwanted && is_near(&what) && machine_unreadable == unreadable;
	assert_true(hit_left ? !can || !is_usual_hit : can);
	if (hit_left) {
		assert_memory_equal(is, &all, sizeof(all));
		assert_memory_equal(counted_is, &tables, sizeof(tables));
		count_in_c(&what);
	} else {
		assert_ended(is, counted_is, at, &what, from, to);
	}
	free(scene);
	free(is);
	free(counted_is);
	return !hit_left;
}

static void begin_round(void)
{
	reset_all();
	make_table(&closer.req);
}

/* Calls in any order, by several threads, behind their homes and within each other; keys and values of every kind. */
static void test_random(void **state)
{
	static const u8 kinds[] = { KT_AGG_SUM, KT_AGG_AVG, KT_AGG_HIST };
	u32 ended = 0, total = 0, enclosed = 0;

	unit_random();
	for (u32 round = 0; round < unit_rounds(2000); round++) {
		const u32 k = (u32)rand() % KEYS;
		const void *code;

		make_closer(kinds[rand() % 3], rand() % 2, (u32)rand() % 4);
		begin_round();
		code = closing_code(k);
		assert_int_equal(!!code, counts_in.plan.key_words <= 4);
		for (u32 hits = 0; code && hits < 20; hits++, total++) {
			const u64 offs = all.mine.inner ? all.mine.inner->off : 0;
			struct kt_interval *outer = all.mine.inner;
			struct machine m;

			dice_few_values(&m);
			set_start_time(MINE);
			if (rand() % 4 == 0)
				enter((u32)rand() % KEYS, rand() % 4 ? MINE : OTHER, 20);
			if (rand() % 4)
				enter(k, rand() % 8 ? MINE : OTHER, (u32)rand() % 60)->unwanted = rand() % 10 == 0;
			if (leave(&m, code, k))
				ended++;
			else if (kt_interval_find(&intervals, key_of(k), 6))
				close_in_c(kt_interval_find(&intervals, key_of(k), 6), 5);
			enclosed += outer && outer->off != offs;
		}
	}
	print_message("%u of %u hits ended a call, %u of them in another\n", ended, total, enclosed);
	assert_in_range(ended, total / 8, total * 3 / 4);
	assert_true(enclosed > total / 100);
}

/* A call that is open, in a table that has its key. */
static const void *ready(struct machine *m)
{
	const void *code;

	srand(3);
	make_closer(KT_AGG_HIST, true, 0);
	begin_round();
	code = closing_code(1);
	assert_non_null(code);
	dice_few_values(m);
	set_start_time(MINE);
	enter(1, MINE, 10);
	leave(m, code, 1);
	all.mine.inner = NULL;
	enter(1, MINE, 10);
	return code;
}

static void assert_left(struct machine *m, const void *code)
{
	is_usual_hit = false;
	assert_false(leave(m, code, 1));
	is_usual_hit = true;
}

static void test_unusual(void **state)
{
	struct machine m;
	const void *code = ready(&m);

	running = 0;
	assert_left(&m, code);
	running = 1;
	hit_cpu.nest = 1;
	assert_left(&m, code);
	hit_cpu.nest = 0;
	hit_cpu.loads_at = 5;
	assert_left(&m, code);
	hit_cpu.loads_at = 0;
	/* The C path ends the call, too, and then does not count it. */
	hit_rings.recording = ~0ULL;
	assert_left(&m, code);
	hit_rings.recording = 0;
	own_ids[m.current[KT_CUR_TGID] & 0xff] = 1;
	assert_left(&m, code);
	own_ids[m.current[KT_CUR_TGID] & 0xff] = 0;
	set_start_time(OTHER);
	assert_left(&m, code);
	set_start_time(MINE);
	for (u8 i = 1; i < 4; i++) {
		kt_interval_find(&intervals, key_of(1), 6)->unwanted = i;
		assert_left(&m, code);
	}
	kt_interval_find(&intervals, key_of(1), 6)->unwanted = 0;
	hit_rings.wake_next = 1;
	assert_true(leave(&m, code, 1));
	assert_left(&m, code);
	/* Another table, as after a clear. */
	memset(&tables, 0, sizeof(tables));
	enter(1, MINE, 10);
	assert_left(&m, code);
	assert_true(leave(&m, code, 1));
}

/* ----------------------------------------------------------------- interruptions */

/* Another call begins and ends between any two instructions, and counts under the same key. */
static struct counted other;
static u64 others;

static void call_other(void)
{
	struct kt_interval *at = kt_interval_claim(&intervals, key_of(4)), *outer = READ_ONCE(all.mine.inner);

	assert_non_null(at);
	at->outer = outer;
	at->method = 1;
	WRITE_ONCE(all.mine.inner, at);
	at->start = kt_clock_read();
	kt_interval_publish(at, MINE);
	others++;
	WRITE_ONCE(all.mine.inner, outer);
	kt_interval_free(at);
	count_in_c(&other);
}

static u64 counts_of(const struct tables *in)
{
	u64 n = 0;

	for (u32 i = 0; i < MOST_WORDS; i++)
		n += in->values[i];
	return n;
}

/* Returns the instructions of the code, without the trampoline. */
static u32 play(bool enclosed)
{
	struct machine m;
	const void *code = ready(&m);

	other = emitted(&m);
	steps_do(call_other);
	for_each_step() {
		u64 counts;

		code = ready(&m);
		if (enclosed) {
			kt_interval_free(kt_interval_find(&intervals, key_of(1), 6));
			enter(0, MINE, 10);
			enter(1, MINE, 10);
		}
		counts = counts_of(&tables);
		others = 0;
		steps_on();
		run_direct(&m, code);
		steps_off();
		assert_int_equal(hit_left, 0);
		assert_int_equal(counts_of(&tables), counts + 1 + others);
		assert_null(kt_interval_find(&intervals, key_of(1), 6));
		assert_ptr_equal(all.mine.inner, kt_interval_find(&intervals, key_of(0), 6));
	}
	return steps_count();
}

static void test_interrupted(void **state)
{
	u32 alone, enclosed;

	alone = play(false);
	enclosed = play(true);
	signal(SIGTRAP, SIG_DFL);
	print_message("%u instructions, %u inside another call\n", alone, enclosed);
	assert_int_equal(alone, STEPS_CLOSING);
	assert_true(enclosed > alone);
}

/* What stays with the C path. */
static void test_no_code(void **state)
{
	struct kt_hit_measure measure = measure_at(false, 1, false);
	struct kt_hit_code what;
	struct machine m;

	ready(&m);
	what = closing_what(1, &measure);
	assert_non_null(hit_make_what(what));
	what.filter = closer.program->insns;
	what.filter_len = 1;
	assert_null(hit_make_what(what));
	what.filter = NULL;
	what.filter_len = 0;
	what.is_event = true;
	assert_null(hit_make_what(what));
	what.is_event = false;
	measure.begins = true;
	assert_null(hit_make_what(what));
	measure.begins = false;
	intervals.saved = 8;
	assert_null(hit_make_what(what));
	intervals.saved = 0;
#ifdef __x86_64__
	hit_clock_traps = true;
	assert_null(hit_make_what(what));
	hit_clock_traps = false;
#endif
	/* Of a call that the code does not end, it does not know the time. */
	what.measure = NULL;
	assert_null(hit_make_what(what));
	counts_in.plan.kind = KT_AGG_COUNT;
	what.measure = &measure;
	assert_null(hit_make_what(what));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_unusual), cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_no_code),
	};

	return cmocka_run_group_tests_name("generate_closing", tests, begin_tests, NULL);
}

#else

/* For arm64 these tests are emulated: tests/unit/arm64. */
int main(void)
{
	return 0;
}

#endif
