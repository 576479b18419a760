/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure_scene.h - a measurement, and the generated code of jumps that begin or end a call in it. */
#ifndef MEASURE_SCENE_H
#define MEASURE_SCENE_H

#include "core/histogram.h"
/* The generator has another function of this name. */
#define take	take_interval
#include "core/interval.c"
#undef take
#include "core/samples.h"
#include "direct_code.h"

#define SLOTS		16
#define KEYS		12

enum { METHODS = 4, MINE = 7, OTHER = 9 };

/* As kt_measurement_cpu. */
struct mine {
	u64 before;
	struct kt_interval *inner;
	u8 *samples;
	u64 entered, value;
};

static struct all {
	struct kt_interval slots[SLOTS + KT_INTERVAL_REACH];
	struct mine mine;
	struct kt_samples samples;
	u64 buckets[KT_HIST_BUCKETS];
	u64 left;
} all;

static struct kt_intervals intervals;
static u64 cost[METHODS][8], nested, quota, members[2];
static u8 running;
static s32 biases[KEYS];	/* the first keys have the same home */
static struct machine machine;

static u64 key_of(u32 k)
{
	return DIRECT_TOP + biases[k];
}

static void set_start_time(u64 start)
{
	memcpy(&task[2], &start, sizeof(start));
}

/* The stack of the test plays the kernel's: keys are within it, and the first of KEYS/2 have one home. */
static void find_keys(void)
{
	u32 home = 0, k = 0;

	kt_intervals_plan(&intervals, SLOTS, 0);
	intervals.slots = (u8 *)all.slots;
	home = kt_interval_home(&intervals, DIRECT_TOP);
	for (s32 bias = 0; k < KEYS / 2; bias -= 8)
		if (kt_interval_home(&intervals, DIRECT_TOP + bias) == home)
			biases[k++] = bias;
	for (s32 bias = -8; k < KEYS; bias -= 40)
		if (kt_interval_home(&intervals, DIRECT_TOP + bias) != home)
			biases[k++] = bias;
}

static void reset_all(void)
{
	memset(&all, 0, sizeof(all));
	kt_samples_clear(&all.samples);
	all.mine.samples = (u8 *)&all.samples;
	intervals.reach = 1;
	quota = 0;
	running = 1;
	members[0] = 1 << 5;
	direct_reset();
	machine_reset(&machine);
	machine_dice(&machine);
	machine.current[KT_CUR_PID] = 5;
	machine.current[KT_CUR_TGID] = 0x12345;
	move_in(&machine);
	set_start_time(MINE);
	memset(own_ids, 0, 256 * sizeof(*own_ids));
	for (u32 i = 0; i < METHODS; i++)
		for (u32 k = 0; k < METHODS; k++)
			cost[i][k] = 10 * i + k;
	nested = 1000;
}

static struct kt_hit_measure measure_at(bool begins, u32 k, bool tasks)
{
	return (struct kt_hit_measure){
		.begins = begins, .bias = biases[k], .intervals = &intervals, .running = &running, .quota = &quota,
		.left = &all.left, .cost = &cost[0][KT_METHOD_JUMP], .cost_shift = 6, .nested = &nested,
		.cpu = (unsigned long)&all.mine - (unsigned long)&hit_cpu, .inner = offsetof(struct mine, inner),
		.samples = offsetof(struct mine, samples), .entered = offsetof(struct mine, entered),
		.value = offsetof(struct mine, value), .members = tasks ? (unsigned long *)members : NULL,
	};
}

static __attribute__((unused)) const void *code_of(bool begins, u32 k, bool tasks)
{
	const struct kt_hit_measure measure = measure_at(begins, k, tasks);

	return hit_make_what((struct kt_hit_code){
		.counts = &hit_counts, .ring = offsetof(struct hit_cpu, ring), .is_direct = true, .own_ids = own_ids,
		.measure = &measure,
	});
}

static int begin_tests(void **state)
{
	find_keys();
	return make_own_ids(state);
}

#endif
