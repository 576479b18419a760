// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_step.c - the trace ring as the compiler made it: writer and reader are interrupted behind each of
 * their instructions.
 */
#include <signal.h>
#include <stdbool.h>

#include "single_step.h"

static void writer_begins(void);
static void writer_ends(void);
#define GHOST_BEGINS()	writer_begins()
#define GHOST_ENDS()	writer_ends()
#include "ring_scene.h"

static void trapped(int signal, siginfo_t *info, void *context)
{
	const u32 depth = ghost->depth;

	if (!READ_ONCE(ghost->in_clock))
		ghost_step();
	if (plan.met[depth] || !plan.on)
		single_step_end(context);
}

/* A depth without interruptions need not be single-stepped. */
static __attribute__((always_inline)) inline void writer_begins(void)
{
	if (plan.on && plan.at[ghost->depth] != NONE)
		single_step_on();
}

static __attribute__((always_inline)) inline void writer_ends(void)
{
	single_step_off();
}

static int setup(void **state)
{
	const struct sigaction action = { .sa_sigaction = trapped,
					  .sa_flags = SA_SIGINFO | SA_NODEFER };

	return sigaction(SIGTRAP, &action, NULL);
}

static void play_all(const struct scene *scenes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		play(&scenes[i]);
}

/* In the middle of a packet, at its end, while packets are exchanged on the first and the second lap. */
static void test_one_nested(void **state)
{
	static const struct scene scenes[] = {
		{ SCENE(plain, 128, 2, 2, 1), .burst = { 1 }, .least = 2 },
		{ SCENE(plain, 128, 2, 5, 1), .burst = { 1 }, .least = 4 },
		{ SCENE(plain, 128, 2, 10, 1), .burst = { 1 }, .least = 10 },
		{ SCENE(wild, 256, 2, 2, 1), .burst = { 1 }, .least = 2 },
		{ SCENE(wide, 256, 2, 2, 1), .burst = { 1 }, .least = 2 },
		{ SCENE(wide_slow, 256, 2, 14, 1), .burst = { 1 }, .least = 13 },
	};

	play_all(scenes, ARRAY_SIZE(scenes));
}

static void test_many_nested(void **state)
{
	static const struct scene scenes[] = {
		{ SCENE(plain, 128, 2, 2, 1), .burst = { 12 }, .least = 2 },
		{ SCENE(plain, 128, 2, 5, 1), .burst = { 12 }, .least = 5 },
	};

	play_all(scenes, ARRAY_SIZE(scenes));
}

/* Full, cleared meanwhile or not; with room for the begun packet, or for no packet after it. */
static void test_discard(void **state)
{
	static const struct scene scenes[] = {
		{ SCENE(plain, 128, 2, 10, 1), .burst = { 1 }, .least = 10, .discard = true,
		  .clears = true },
		{ SCENE(plain, 128, 2, 10, 1), .burst = { 1 }, .least = 10, .discard = true },
		{ SCENE(plain, 128, 2, 5, 1), .burst = { 12 }, .least = 5, .discard = true },
		{ SCENE(plain, 128, 2, 5, 1), .burst = { 12 }, .least = 5, .discard = true,
		  .clears = true },
	};

	play_all(scenes, ARRAY_SIZE(scenes));
}

static void read_stepped(u64 seq)
{
	struct kt_read_info info;
	enum kt_read result;

	plan.on = true;
	single_step_on();
	result = own_ring_read(&ghost->ring, seq, ghost_copy(), &info);
	single_step_off();
	plan.on = false;
	if (result == KT_READ_OK)
		ghost_packet(seq, &info);
}

static void test_reader(void **state)
{
	static const u32 bursts[] = { 1, 12 };
	static const u32 never[MAX_DEPTH] = NEVER;

	memcpy(plan.at, never, sizeof(never));
	memcpy(plan.again, never, sizeof(never));
	ghost_create(128, 2);
	for (size_t i = 0; i < 4 * ARRAY_SIZE(bursts); i++) {
		plan.burst[0] = bursts[i % ARRAY_SIZE(bursts)];
		plan.met[0] = true;
		for (plan.at[0] = 0; plan.met[0]; plan.at[0]++) {
			ghost_reset(&plain, false, 0);
			ghost_fill(i / ARRAY_SIZE(bursts) < 2 ? 3 : 7);
			plan.steps[0] = 0;
			plan.met[0] = false;
			read_stepped(i / ARRAY_SIZE(bursts) % 2);
			ghost_check();
		}
	}
	ghost_free();
}

/* Records written meanwhile, of as many bytes as are missing, must not be taken for the missing ones. */
static void test_reader_beside_unfinished(void **state)
{
	static const u32 never[MAX_DEPTH] = NEVER;
	struct kt_room room;
	u32 write;

	memcpy(plan.at, never, sizeof(never));
	memcpy(plan.again, never, sizeof(never));
	ghost_create(128, 2);
	plan.burst[0] = 1;
	plan.met[0] = true;
	for (plan.at[0] = 0; plan.met[0]; plan.at[0]++) {
		ghost_reset(&plain, plan.at[0] % 2, 0);
		ghost_fill(2);
		room = begin_write(&write);
		plan.steps[0] = 0;
		plan.met[0] = false;
		read_stepped(0);
		end_write(room, write);
		ghost_check();
	}
	ghost_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_nested), cmocka_unit_test(test_many_nested),
		cmocka_unit_test(test_discard), cmocka_unit_test(test_reader),
		cmocka_unit_test(test_reader_beside_unfinished),
	};
	int failed = cmocka_run_group_tests_name("ring, instruction by instruction", tests, setup,
						 NULL);

	if (getenv("V"))
		fprintf(stderr, "%u writes were interrupted in different ways\n", runs);
	return failed;
}
