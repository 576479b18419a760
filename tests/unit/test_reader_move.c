// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_reader_move.c - snapshots of rings that move to other memory meanwhile. The mapping is as in the module:
 * one page that stays, and an area that is replaced.
 */
#include "reader_module.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE		4096U
#define OFF_DATA	(2 * PAGE)

static struct {
	int ctl[CPUS], area[CPUS];		/* files */
	struct kt_ring_ctl *page[CPUS];		/* the writer's */
	u8 *memory[CPUS];
	size_t bytes[CPUS];
	u32 sub, nr, keep, moves;
} there;

static u8 *map_file(int file, size_t bytes, void *at)
{
	u8 *p = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), file, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static int make_file(size_t bytes)
{
	const int file = memfd_create("ring", 0);

	assert_true(file >= 0);
	assert_int_equal(ftruncate(file, (off_t)bytes), 0);
	return file;
}

static void *map_moving(void *arg, uint32_t cpu, struct error *err)
{
	const size_t bytes = there.bytes[cpu];
	u8 *at = mmap(NULL, PAGE + bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	map_file(there.ctl[cpu], PAGE, at);
	map_file(there.area[cpu], bytes, at + PAGE);
	return at;
}

static void unmap_moving(void *arg, uint32_t cpu, void *mapping, size_t bytes)
{
	munmap(mapping, bytes);
}

static bool refresh(void *arg, struct error *err)
{
	struct module *module = arg;

	module->hello.subbuf_bytes = there.sub;
	module->hello.nr_subbufs = there.nr;
	module->hello.ring_bytes = OFF_DATA + there.sub * there.nr;
	return true;
}

/* Zeroed memory, as from the kernel; *to is the writer's view of it. */
static void new_area(u32 cpu, struct kt_ring *to)
{
	const size_t bytes = OFF_DATA - PAGE + (size_t)there.sub * there.nr;
	struct kt_ring_ctl *ctl = there.page[cpu];

	there.area[cpu] = make_file(bytes);
	there.bytes[cpu] = bytes;
	there.memory[cpu] = map_file(there.area[cpu], bytes, NULL);
	*(struct kt_ring_area *)there.memory[cpu] =
		(struct kt_ring_area){ .generation = ctl->generation + (ctl->word > 0), .subbuf_bytes = there.sub,
					 .nr_subbufs = there.nr };
	own_ring_attach(to, ctl, (u64 *)(there.memory[cpu] + sizeof(struct kt_ring_area)),
			there.memory[cpu] + OFF_DATA - PAGE, there.sub, there.nr, cpu, false);
}

/* The newest complete packets move, at most `keep`, as far as there is room. */
static u64 carry(const struct kt_ring *from, const struct kt_ring *to, u64 next)
{
	u64 most = there.keep < to->nr_subbufs ? there.keep : to->nr_subbufs - 1;
	u64 seq = next < most ? 0 : next - most, first = seq;
	struct kt_read_info info;

	for (; seq < next; seq++)
		if (to->sub_bytes < from->sub_bytes ||
		    own_ring_read(from, seq, kt_ring_subbuf(to, seq), &info) != KT_READ_OK)
			first = seq + 1;
	return first;
}

static void move_ring(struct module *module, u32 cpu)
{
	struct kt_ring *ring = &module->rings[cpu], to;
	const size_t bytes = there.bytes[cpu];
	u8 *old = there.memory[cpu];
	u64 next;

	close(there.area[cpu]);
	new_area(cpu, &to);
	next = own_ring_close(ring);
	to.discard = ring->discard;
	own_ring_open(ring, &to, carry(ring, &to, next));
	munmap(old, bytes);
}

static void move_all(struct module *module, u32 sub, u32 nr, u32 keep)
{
	there.sub = sub;
	there.nr = nr;
	there.keep = keep;
	for (u32 cpu = 0; cpu < CPUS; cpu++)
		move_ring(module, cpu);
}

static int setup_moving(void **state)
{
	static const u8 uuid[16] = { 1 };
	struct module *module;

	setup(state);
	module = *state;
	there.sub = SUB;
	there.nr = NR_SUB;
	there.moves = 0;
	for (u32 cpu = 0; cpu < CPUS; cpu++) {
		struct kt_ring *ring = &module->rings[cpu];

		there.ctl[cpu] = make_file(PAGE);
		there.page[cpu] = (void *)map_file(there.ctl[cpu], PAGE, NULL);
		new_area(cpu, ring);
		own_ring_init(ring, ring->ctl, ring->commit, ring->data, SUB, NR_SUB, cpu, false, uuid);
	}
	module->hello.off_area = PAGE;
	module->hello.off_commit = PAGE + sizeof(struct kt_ring_area);
	module->hello.off_data = OFF_DATA;
	refresh(module, NULL);
	return 0;
}

static int teardown_moving(void **state)
{
	for (u32 cpu = 0; cpu < CPUS; cpu++) {
		munmap(there.page[cpu], PAGE);
		munmap(there.memory[cpu], there.bytes[cpu]);
		close(there.ctl[cpu]);
		close(there.area[cpu]);
	}
	return teardown(state);
}

static struct reader *open_moving(struct module *module)
{
	const struct reader_source source = {
		.hello = &module->hello, .map = map_moving, .unmap = unmap_moving, .now = now,
		.settle = settle, .refresh = refresh, .desc = get_desc, .seen = seen, .arg = module,
	};
	struct error err = { .text = "" };
	struct reader *reader = reader_create_from(&source, &err);

	if (!reader)
		fail_msg("%s", err.text);
	return reader;
}

/* ------------------------------------------------------------------- tests */

static void grow_once(struct module *module)
{
	if (there.moves++)
		return;
	move_all(module, 2 * SUB, 2 * NR_SUB, NR_SUB);
	write_many(module, 1, 0, 50);
}

/* Between reading the clock and the copies: newer records are not seen, and all older ones are. */
static void test_grown_meanwhile(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_moving(module);
	struct tally first;

	write_many(module, 0, 0, 2 * PER_PACKET);
	write_many(module, 2, 0, 70);
	module->at_settle = grow_once;
	first = drain(reader);
	assert_int_equal(first.overwritten, 0);
	assert_int_equal(first.hits + drain(reader).hits, 2 * PER_PACKET + 70 + 50);
	assert_int_equal(module->hello.subbuf_bytes, 2 * SUB);
	reader_destroy(reader);
}

static void drop_all(struct module *module)
{
	if (!there.moves++)
		move_all(module, SUB, 2, 0);
}

/* Records that do not move are reported as lost, exactly. */
static void test_left_behind(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_moving(module);
	struct tally tally;

	write_many(module, 0, 0, 3 * PER_PACKET);
	module->at_settle = drop_all;
	tally = drain(reader);
	write_many(module, 0, 0, 10);
	assert_int_equal(tally.hits, 0);
	tally.overwritten += drain(reader).overwritten;
	assert_int_equal(tally.overwritten, 3 * PER_PACKET);
	reader_destroy(reader);
}

static void move_always(struct module *module)
{
	move_all(module, SUB << there.moves % 2, NR_SUB, 2);
	there.moves++;
}

static void test_moves_always(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_moving(module);
	struct error err = { .text = "" };

	write_many(module, 0, 0, 10);
	module->at_settle = move_always;
	assert_null(reader_snapshot(reader, &err));
	assert_non_null(strstr(err.text, "keeps changing"));
	assert_true(there.moves > 4);
	reader_destroy(reader);
}

/* A thread writes, sometimes moves the ring, and counts its records. */
#define LIVE	300000U

static pthread_mutex_t buffer_lock = PTHREAD_MUTEX_INITIALIZER;

static void *write_live(void *arg)
{
	struct module *module = arg;

	for (u32 i = 0; i < LIVE; i++) {
		__atomic_add_fetch(&ticks, 1, __ATOMIC_SEQ_CST);
		kt_ring_write(&module->rings[0], 1, &i, 1);
		if (i % 5000 != 4999)
			continue;
		/* As kt_buffer_lock keeps mmap() out. */
		pthread_mutex_lock(&buffer_lock);
		move_all(module, SUB << i / 5000 % 2, 2U << i / 10000 % 4, i / 5000 % 5);
		pthread_mutex_unlock(&buffer_lock);
	}
	return NULL;
}

static void *map_locked(void *arg, uint32_t cpu, struct error *err)
{
	void *mapping;

	if (!cpu)
		pthread_mutex_lock(&buffer_lock);
	if (!cpu)
		refresh(arg, err);
	mapping = map_moving(arg, cpu, err);
	if (cpu == CPUS - 1)
		pthread_mutex_unlock(&buffer_lock);
	return mapping;
}

static void no_refresh(struct reader *reader)
{
	reader->source.map = map_locked;
	reader->source.refresh = NULL;
}

/* No record is torn, double or out of order; every gap is counted, also those of moves. */
static void test_live(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_moving(module);
	uint64_t next = 0;
	pthread_t thread;

	no_refresh(reader);
	assert_int_equal(pthread_create(&thread, NULL, write_live, module), 0);
	while (next < LIVE) {
		struct error err = { .text = "" };
		struct snapshot *snap = reader_snapshot(reader, &err);

		if (!snap) {
			assert_non_null(strstr(err.text, "keeps changing"));
			continue;
		}
		for (size_t i = 0; i < snapshot_count(snap); i++) {
			const struct record *record = snapshot_at(snap, i);

			if (record->type == RECORD_HIT)
				assert_int_equal(value_of(record), next);
			next += record->type == RECORD_HIT ? 1 : record->lost;
		}
		assert_true(snapshot_clear(reader, snap, NULL));
		snapshot_free(snap);
	}
	pthread_join(thread, NULL);
	assert_int_equal(next, LIVE);
	assert_int_equal(module->rings[0].ctl->generation, LIVE / 5000);
	reader_destroy(reader);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup_moving, teardown_moving)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_grown_meanwhile), TEST(test_left_behind), TEST(test_moves_always),
		TEST(test_live),
	};

	return cmocka_run_group_tests_name("reader of moving rings", tests, NULL, NULL);
}
