// SPDX-License-Identifier: GPL-2.0-or-later
/* sim_events.c - the events that the simulator's threads write.  See sim_events.h. */
#include "sim_events.h"

#include <string.h>

/*
 * What events have.  Without bytes: so many words.  With bytes: so many words, then one word with the number of bytes, then the
 * bytes.  section.S copies short and long bytes by different code; the lengths here reach all of that code.
 */
static const struct kind {
	uint32_t words, bytes;
} kinds[SIM_SITES] = {
	{ 1, 0 }, { 1, 0 }, { 1, 0 }, { 9, 0 },
	{ 1, 0 }, { 17, 0 }, { 8, 0 }, { 3, 0 },
	{ 1, 13 }, { 2, 50 }, { 1, 3 }, { 3, 4 },
	{ 2, 21 }, { 1, 32 }, { 1, 1 }, { 1, 7 },
	{ 1, 256 }, { 2, 77 }, { 1, 64 }, { 1, 129 },
};

static struct ktrace_site sites[SIM_SITES];
struct user_site sim_read_sites[SIM_SITES];

/* Each writer begins with another kind. */
static uint32_t index_of(uint32_t number)
{
	return sim.group * SIM_KINDS + ((number >> 16) + number) % SIM_KINDS;
}

struct ktrace_site *sim_site_of(uint32_t number)
{
	return &sites[index_of(number)];
}

const struct user_site *sim_read_site_of(uint32_t number)
{
	return &sim_read_sites[index_of(number)];
}

uint32_t sim_fill(uint32_t *payload, uint32_t number)
{
	const struct kind *kind = &kinds[index_of(number)];
	uint32_t nr = kind->words;

	for (uint32_t i = 0; i < nr; i++)
		payload[i] = number * (i + 1);
	if (!kind->bytes)
		return nr;
	payload[nr++] = kind->bytes;
	payload[nr + (kind->bytes - 1) / 4] = 0;
	for (uint32_t i = 0; i < kind->bytes; i++)
		((uint8_t *)(payload + nr))[i] = number + 3 * i;
	return nr + (kind->bytes + 3) / 4;
}

bool sim_fill_parts(struct sim_parts *event, uint32_t number)
{
	const struct kind *kind = &kinds[index_of(number)];
	uint32_t payload[SIM_MOST_WORDS], total;

	if (!kind->bytes)
		return false;
	memset(event, 0x55, sizeof(*event));
	total = sim_fill(payload, number);
	event->parts.nr = kind->words + 1;
	event->parts.sizes = (uint64_t)kind->bytes << 32 | total;
	event->parts.bytes = event->bytes + 8;
	memcpy(event->words, payload, 4 * event->parts.nr);
	memcpy(event->bytes + 8, payload + event->parts.nr, kind->bytes);
	return true;
}

uint32_t sim_longer(void)
{
	static const uint32_t units[SIM_GROUPS] = { 6, 12, 16, 12, 124 };

	return units[sim.group];
}

void sim_make_sites(void)
{
	static unsigned char types[SIM_SITES][KTRACE_MAX_ARGS];

	for (uint32_t i = 0; i < SIM_SITES; i++) {
		uint32_t nr = kinds[i].words / 2 + kinds[i].words % 2;

		memset(types[i], KTRACE_U64, nr);
		if (kinds[i].words % 2)
			types[i][0] = KTRACE_U32;
		if (kinds[i].bytes)
			types[i][nr++] = KTRACE_BYTES;
		sites[i] = (struct ktrace_site){ .id = i + 1, .short_id = i + 1, .nr_args = nr, .types = types[i] };
		sim_read_sites[i] = (struct user_site){ .id = i + 1, .nr = nr };
		memcpy(sim_read_sites[i].types, types[i], nr);
	}
}
