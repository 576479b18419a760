/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_scene.h - hit contexts for the tests of the ring: a write after some others is interrupted at a chosen
 * step by nested writers, which may be interrupted themselves.
 */
#ifndef RING_SCENE_H
#define RING_SCENE_H

#include <stdio.h>

#include "ring_ghost.h"

#include "ctl/base/memory.h"

#define NONE	UINT32_MAX
#define NEVER	{ NONE, NONE, NONE, NONE }

/* --------------------------------------------------------- interruptions */

/* When a writer at depth d is interrupted: at step at[d], or again[d]. */
static struct {
	bool on;
	u32 at[MAX_DEPTH], again[MAX_DEPTH], burst[MAX_DEPTH];
	u32 steps[MAX_DEPTH];
	bool met[MAX_DEPTH];	/* it reached the last of these steps */
	u32 chance;		/* instead: the chance of each step, of 1000 */
	bool clears;		/* interruptions also mark the complete packets as seen */
	bool must_fit;		/* a write that interrupts one other finds room, unless packets are being exchanged */
} plan;

static void look(void)
{
	bool on = plan.on;

	plan.on = false;
	ghost_read_all();
	plan.on = on;
}

/* Clear all complete packets, as a reader does. */
static void clear_all(void)
{
	WRITE_ONCE(ghost->ctl.seen_seq, READ_ONCE(ghost->ctl.seq));
}

static void interrupt(u32 burst)
{
	const bool closed = kt_word_closed(ghost->ctl.word);
	const u32 dropped = ghost->dropped;

	plan.steps[++ghost->depth] = 0;
	look();
	if (plan.clears)
		clear_all();
	ghost_fill(burst);
	look();
	ghost->depth--;
	if (plan.must_fit)
		assert_int_equal(ghost->dropped - dropped, closed ? burst : 0);
}

static u32 by_chance(void)
{
	static const u32 bursts[] = { 1, 1, 1, 1, 2, 5, 13 };

	return (u32)rand() % 1000 < plan.chance ? bursts[rand() % ARRAY_SIZE(bursts)] : 0;
}

static u32 by_plan(u32 depth)
{
	u32 step = plan.steps[depth]++;
	u32 last = plan.again[depth] == NONE ? plan.at[depth] : plan.again[depth];

	plan.met[depth] |= step == last;
	return step == plan.at[depth] || step == plan.again[depth] ? plan.burst[depth] : 0;
}

/* Called between any two steps of a writer or reader. */
static void ghost_step(void)
{
	u32 burst;

	if (!plan.on || ghost->depth + 1 == MAX_DEPTH)
		return;
	burst = plan.chance ? by_chance() : by_plan(ghost->depth);
	if (burst)
		interrupt(burst);
}

/* Begin a write, with all its interruptions. */
static struct kt_room begin_write(u32 *write)
{
	struct kt_room room;

	*write = ghost->writes++;
	room = kt_ring_reserve(&ghost->ring, ghost->ring.wide, 1, ghost_units(1));
	assert_non_null(room.at);
	return room;
}

static void end_write(struct kt_room room, u32 write)
{
	*(kt_item *)room.at = ghost_word(write, 0);
	kt_ring_commit(room, ghost->ring.wide, ghost_units(1));
	ghost->write[write].taken = true;
	ghost->taken++;
}

/* ------------------------------------------------------------------ scenes */

static u32 one(u32 write)
{
	return 1;
}

static u32 one_to_three(u32 write)
{
	return 1 + write % 3;
}

/* Compact and extended headers in turns. */
static u32 mixed_ids(u32 write)
{
	static const u32 ids[] = { 1, 254, 255, 7, 300, KT_MAX_ID, 2 };

	return ids[write % ARRAY_SIZE(ids)];
}

static u32 wide_ids(u32 write)
{
	static const u32 ids[] = { 1, 255, KT_WIDE_MAX_ID, 700 };

	return ids[write % ARRAY_SIZE(ids)];
}

static u64 tick(u64 reads)
{
	return 1;
}

/* Steps close to the limit of a compact header, another one at each reading of the clock. */
static u64 leaps(u64 reads)
{
	static const u64 by[] = { 1, 0xffffff, 3, 0x1000000, 2, 0x1000001, 0xfffffe, 1ULL << 40 };

	return by[reads % ARRAY_SIZE(by)];
}

/* Steps close to the limit of a compact header of a wide ring. */
static u64 wide_leaps(u64 reads)
{
	static const u64 by[] = { 1, 0xffffffff, 3, 0x100000000, 2, 0x100000001, 0xfffffffe, 1ULL << 50 };

	return by[reads % ARRAY_SIZE(by)];
}

static const struct shape plain = { one, one, tick, false };
static const struct shape motley = { one_to_three, mixed_ids, tick, false };
static const struct shape slow = { one, one, leaps, false };
static const struct shape wild = { one_to_three, mixed_ids, leaps, false };
static const struct shape wide = { one_to_three, wide_ids, tick, true };
static const struct shape wide_slow = { one_to_three, wide_ids, wide_leaps, true };

struct scene {
	const struct shape *shape;
	u32 sub_bytes, nr_subbufs;
	u32 least, prefills;	/* how many writes precede the tested one */
	u32 depths;		/* levels of interruptions */
	u32 burst[MAX_DEPTH];
	bool twice;		/* interrupt the tested write at two of its steps */
	bool discard, clears;
	u64 first;		/* number of the first packet */
};

#define SCENE(s, bytes, nr, most, deep) \
	.shape = &(s), .sub_bytes = (bytes), .nr_subbufs = (nr), .prefills = (most), .depths = (deep)

static u32 runs;

static void run(const struct scene *scene, u32 prefill)
{
	bool taken;
	u32 dropped;

	plan.on = false;
	ghost_reset(scene->shape, scene->discard, scene->first);
	ghost_fill(prefill);
	memset(plan.steps, 0, sizeof(plan.steps));
	memset(plan.met, 0, sizeof(plan.met));
	plan.on = true;
	taken = ghost_write();
	plan.on = false;
	assert_true(taken || scene->discard);
	ghost_check();
	/* Then it continues. */
	if (scene->discard)
		clear_all();
	dropped = ghost->dropped;
	ghost_fill(3);
	assert_int_equal(ghost->dropped, dropped);
	ghost_check();
	runs++;
}

static void explore(const struct scene *scene, u32 prefill, u32 depth)
{
	for (plan.at[depth] = 0;; plan.at[depth]++) {
		for (u32 d = depth + 1; d < MAX_DEPTH; d++)
			plan.at[d] = NONE;
		run(scene, prefill);
		if (!plan.met[depth])
			return;
		if (depth + 1 < scene->depths)
			explore(scene, prefill, depth + 1);
	}
}

static void explore_intervals(const struct scene *scene, u32 prefill)
{
	static const u32 never[MAX_DEPTH] = NEVER;

	memcpy(plan.at, never, sizeof(never));
	for (plan.at[0] = 0;; plan.at[0]++) {
		for (plan.again[0] = plan.at[0] + 1;; plan.again[0]++) {
			run(scene, prefill);
			if (!plan.met[0])
				break;
		}
		if (plan.again[0] == plan.at[0] + 1)
			break;
	}
	memcpy(plan.again, never, sizeof(never));
}

static void play(const struct scene *scene)
{
	static const u32 never[MAX_DEPTH] = NEVER;

	memcpy(plan.again, never, sizeof(never));
	memcpy(plan.burst, scene->burst, sizeof(plan.burst));
	plan.chance = 0;
	plan.clears = scene->clears;
	plan.must_fit = scene->depths == 1 && scene->burst[0] == 1 && !scene->discard;
	ghost_create(scene->sub_bytes, scene->nr_subbufs);
	for (u32 prefill = scene->least; prefill <= scene->prefills; prefill++)
		if (scene->twice)
			explore_intervals(scene, prefill);
		else
			explore(scene, prefill, 0);
	plan.must_fit = false;
	ghost_free();
}

#endif
