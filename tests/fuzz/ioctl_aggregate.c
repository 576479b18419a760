// SPDX-License-Identifier: GPL-2.0-or-later
/* ioctl_aggregate.c - aggregates.  See ioctl.h. */
#include "ioctl.h"

#include <string.h>

/* Ids are reused, so those of all processes are small. */
uint32_t some_aggregate(struct fuzzer *f)
{
	if (one_in(f, 20))
		return odd_number(f);
	return one_in(f, 6) ? 1 + roll(f, 40) : f->aggregates[roll(f, NR_FDS)];
}

/* Mostly small tables, whose keys are as long as those that simple programs emit. */
size_t make_aggregate(struct fuzzer *f, uint8_t *arg)
{
	struct kt_aggregate_req req = {
		.size = sizeof(req), .flags = one_in(f, 30) ? odd_number(f) : roll(f, 2) * KT_AGGREGATE_SIGNED,
		.kind = one_in(f, 30) ? odd_number(f) : roll(f, KT_NR_AGGS),
		.keys = one_in(f, 30) ? odd_number(f) : 1 + roll(f, one_in(f, 10) ? 5000 : 16),
		.key_bytes = one_in(f, 30) ? odd_number(f) : 4 * roll(f, one_in(f, 4) ? 257 : 6),
		.value_bit = one_in(f, 30) ? odd_number(f) : one_in(f, 2) ? roll(f, 32) : KT_AGG_READABLE,
	};

	if (req.kind == KT_AGG_LHIST || one_in(f, 30)) {
		req.low = one_in(f, 4) ? (int64_t)odd_number(f) : (int64_t)roll(f, 100) - 50;
		req.step = one_in(f, 4) ? odd_number(f) : 1 + roll(f, 100);
		req.buckets = one_in(f, 10) ? odd_number(f) : 1 + roll(f, 50);
	}
	memcpy(arg, &req, sizeof(req));
	return sizeof(req);
}

size_t make_aggregate_release(struct fuzzer *f, uint8_t *arg)
{
	struct kt_aggregate_release release = { .size = sizeof(release), .id = some_aggregate(f) };

	memcpy(arg, &release, sizeof(release));
	return sizeof(release);
}

size_t make_aggregate_get(struct fuzzer *f, uint8_t *arg)
{
	struct kt_aggregate_get get = {
		.size = sizeof(get), .flags = one_in(f, 30) ? odd_number(f) : one_in(f, 3) ? KT_AGGREGATE_CLEAR : 0,
		.id = some_aggregate(f), .entries = room_at(f, 0), .room = one_in(f, 4) ? odd_number(f) : ROOM / 2,
		.reserved = one_in(f, 50),
	};

	memcpy(arg, &get, sizeof(get));
	return sizeof(get);
}
