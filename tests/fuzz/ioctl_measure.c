// SPDX-License-Identifier: GPL-2.0-or-later
/* ioctl_measure.c - measurements, and the roles of tracepoints in them.  See ioctl.h. */
#include <string.h>

#include "insn_arch.h"
#include "ioctl.h"

/* Numbers of measurements are reused, so the numbers of all processes are small. */
_Static_assert(sizeof(struct kt_measure_run) <= sizeof(((struct past *)0)->arg), "the largest argument has room");

static uint32_t some_measure(struct fuzzer *f)
{
	if (one_in(f, 20))
		return odd_number(f);
	return one_in(f, 6) ? 1 + roll(f, 40) : f->measures[roll(f, NR_FDS)];
}

/* Mostly small tables, so that they overflow; and the guest has little memory. */
size_t make_measure(struct fuzzer *f, uint8_t *arg)
{
	struct kt_measure measure = {
		.size = sizeof(measure), .flags = one_in(f, 30) ? odd_number(f) : one_in(f, 2) ? roll(f, 4) : 0,
		.slots = one_in(f, 20) ? odd_number(f) : (uint64_t)KT_MIN_SLOTS << roll(f, 5),
		.saved = one_in(f, 20) ? odd_number(f) : one_in(f, 2) ? 4 * roll(f, 33) : 0,
		.groups = one_in(f, 20) ? odd_number(f) : roll(f, 9), .top = one_in(f, 20) ? odd_number(f) : roll(f, 5),
		.reserved = one_in(f, 50),
	};

	if (one_in(f, 6)) {
		measure.flags = KT_MEASURE_LINES | KT_MEASURE_EXITS | (one_in(f, 2) ? KT_MEASURE_SPLIT : 0);
		measure.saved = 4 * one_in(f, 8);
	}
	if (one_in(f, 3))
		measure.flags |= KT_MEASURE_TOGETHER;
	memcpy(arg, &measure, sizeof(measure));
	return sizeof(measure);
}

size_t make_measure_run(struct fuzzer *f, uint8_t *arg)
{
	struct kt_measure_run run = {
		.size = sizeof(run), .id = some_measure(f), .on = one_in(f, 30) ? odd_number(f) : !one_in(f, 4),
		.reserved = one_in(f, 50), .quota = one_in(f, 4) ? odd_number(f) : one_in(f, 2) ? roll(f, 100) : 0,
	};

	for (unsigned int from = 0; from < KT_NR_METHODS; from++)
		for (unsigned int to = 0; to < KT_NR_METHODS; to++)
			run.cost[from][to] = one_in(f, 4) ? odd_number(f) : roll(f, 1000);
	for (unsigned int method = 0; method < KT_NR_METHODS; method++) {
		run.nested[0][method] = one_in(f, 8) ? odd_number(f) : roll(f, 1000);
		run.nested[1][method] = one_in(f, 8) ? odd_number(f) : roll(f, 1000);
	}
	memcpy(arg, &run, sizeof(run));
	return sizeof(run);
}

size_t make_tally(struct fuzzer *f, uint8_t *arg)
{
	static const uint32_t special[] = { KT_TALLY_ALL, KT_TALLY_OTHERS };
	struct kt_tally tally = {
		.size = sizeof(tally), .id = some_measure(f),
		.group = one_in(f, 8) ? odd_number(f) : one_in(f, 2) ? special[roll(f, 2)] : roll(f, 10),
		.buckets = one_in(f, 2) ? 0 : room_at(f, 0),
	};

	memcpy(arg, &tally, sizeof(tally));
	return sizeof(tally);
}

/* Few calls: other processes wait for the CPU meanwhile. */
size_t make_calibrate(struct fuzzer *f, uint8_t *arg)
{
	struct kt_calibrate calibrate = {
		.size = sizeof(calibrate), .calls = one_in(f, 8) ? odd_number(f) : 1 + roll(f, 64),
		.id = one_in(f, 3) ? 0 : some_measure(f),
		.flags = one_in(f, 50) ? odd_number(f) : one_in(f, 8),
	};

	memcpy(arg, &calibrate, sizeof(calibrate));
	return sizeof(calibrate);
}

/* A role that opens or closes calls, in a form that the module accepts. */
static void tame_role(struct fuzzer *f, struct kt_role *role)
{
	static const uint32_t what[] = { KT_ROLE_BEGIN, KT_ROLE_END, KT_ROLE_STEP, KT_ROLE_STEP | KT_ROLE_END };

	role->what = what[roll(f, 4)] | (one_in(f, 2) ? KT_ROLE_SILENT : 0) | (one_in(f, 2) ? KT_ROLE_TALLY : 0) |
		     (one_in(f, 4) ? KT_ROLE_THREAD : 0) | (one_in(f, 8) ? KT_ROLE_TOP : 0) |
		     (one_in(f, 8) ? KT_ROLE_MARK : 0) | (one_in(f, 8) ? KT_ROLE_SLOW_PATH : 0) |
		     (one_in(f, 4) ? KT_ROLE_OUT : 0);
	/* The key is the stack pointer, at different instructions of some functions, or any register. */
	role->reg = one_in(f, 2) ? insn_reg_sp : roll(f, 33);
	role->bias = one_in(f, 3) ? 0 : 8 * (int)roll(f, 16) - 64;
	role->group = roll(f, 9);
	role->saved = one_in(f, 3) ? 4 * roll(f, 33) : 0;
	if (one_in(f, 3)) {
		role->by = 4 * roll(f, 5);
		role->by_at = 4 * roll(f, 8);
	}
}

void make_role(struct fuzzer *f, unsigned int fd, struct kt_role *role)
{
	*role = (struct kt_role){ .size = one_in(f, 50) ? odd_number(f) : sizeof(*role) };
	role->measure = one_in(f, 8) ? some_measure(f) : f->measures[fd];
	tame_role(f, role);
	if (one_in(f, 10)) {
		role->what = odd_number(f);
		role->bias = odd_number(f);
		role->by = odd_number(f);
		role->by_at = odd_number(f);
	}
}
