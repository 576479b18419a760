// SPDX-License-Identifier: GPL-2.0-or-later
/* calls.c - read all entries of a kind. */
#include <time.h>

#include "statedev.h"

int device;
uint32_t room = KT_MAX_STATE_ROOM;
uint64_t buf[KT_MAX_STATE_ROOM / 8];

const char *const kinds[KT_NR_STATES] = { "tasks", "pids", "files", "maps", "end" };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void next_part(struct kt_state *part, struct cost *cost)
{
	const uint64_t began = now();
	uint64_t took;

	must(device, KT_IOC_STATE, part, "KT_IOC_STATE");
	took = now() - began;
	cost->entries += part->nr;
	cost->calls++;
	cost->sum += took;
	cost->longest = took > cost->longest ? took : cost->longest;
}

struct cost read_kind(uint32_t kind, void (*each)(const void *entry))
{
	struct kt_state part = { .size = sizeof(part), .kind = kind, .buf = (uintptr_t)buf, .room = room };
	struct cost cost = { 0 };

	do {
		const char *at = (const char *)buf;

		next_part(&part, &cost);
		for (uint32_t i = 0; i < part.nr; i++) {
			const struct kt_state_head *head = (const void *)at;

			if (head->len < sizeof(*head) || head->len % 8 || at + head->len > (const char *)buf + part.len)
				die("%s: entry %u has %u bytes", kinds[kind], i, head->len);
			if (each)
				each(head);
			at += head->len;
		}
		if (at != (const char *)buf + part.len)
			die("%s: %u bytes are not those of %u entries", kinds[kind], part.len, part.nr);
	} while (!part.done);
	return cost;
}
