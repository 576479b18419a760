// SPDX-License-Identifier: GPL-2.0-or-later
/* sim_reader.c - the reader of simulator.c: is each event of the simulated writers in the rings once, and whole? */
#include <stdlib.h>
#include <string.h>

#include "pending.h"
#include "sim_int.h"

struct seen {
	uint64_t events, lost;
	uint8_t numbers[SIM_THREADS][MOST];	/* how often each event was read */
};

static void look_at(const struct user_ring *ring, struct seen *seen)
{
	uint32_t number, words[SIM_MOST_WORDS], n, who;

	memcpy(&number, ring->payload, sizeof(number));
	who = number >> 16;
	n = number & 0xffff;
	if (who >= SIM_THREADS || n >= sim_writers[who].begun || ring->site != sim_read_site_of(number)) {
		sim_wrong("an event that nobody wrote");
		return;
	}
	if (memcmp(ring->payload, words, 4 * sim_fill(words, number)))
		sim_wrong("a torn event");
	if (ring->thread != TID(who))
		sim_wrong("the event of another thread");
	if (seen->numbers[who][n]++)
		sim_wrong("an event twice");
	if (ring->end > 4 * UNITS)
		sim_wrong("a packet that is too long");
	if (sim_writers[who].returned[n] && ring->ticks != sim_writers[who].times[n])
		sim_wrong("a wrong time");
	seen->events++;
}

static void read_ring(uint32_t cpu, struct seen *seen)
{
	struct user_ring ring;
	struct error err;
	bool more = true;

	if (!user_ring_begin(&ring, &sim_file, cpu, &err)) {
		sim_wrong(err.text);
		return;
	}
	while (more && !*sim.problem) {
		if (!user_ring_next(&ring, &more, &err))
			sim_wrong(err.text);
		seen->lost += ring.lost;
		if (more && !*sim.problem)
			look_at(&ring, seen);
	}
	user_ring_end(&ring);
}

static bool is_zero(const uint8_t *at, const uint8_t *end)
{
	while (at < end && !*at)
		at++;
	return at == end;
}

/* Nobody writes behind the used part of a sub-buffer; and in a packet that is complete, nothing old is behind its events. */
static void look_behind(uint32_t cpu)
{
	const uint32_t newest = ((const struct ktu_ring *)sim_image.rings[cpu].ring)->word >> 32;

	for (uint32_t i = 0; i < SUBBUFS; i++) {
		const uint8_t *start = sim_image.rings[cpu].ring + KTU_PAGE + i * SUB;
		const struct ktu_packet *packet = (const struct ktu_packet *)start;

		if (!is_zero(start + 4 * UNITS, start + 4 * UNITS + 64))
			sim_wrong("something behind a packet");
		if (packet->magic == KTU_PACKET_MAGIC && packet->seq < newest && !is_zero(start + packet->content_bits / 8, start + 4 * UNITS))
			sim_wrong("something behind the events of a packet");
	}
}

static void find_ends(void)
{
	free(sim_file.ends);
	user_file_find_ends(&sim_file);
}

static void read_rings(struct seen *seen)
{
	for (uint32_t cpu = 0; cpu < SIM_CPUS && !*sim.problem; cpu++) {
		read_ring(cpu, seen);
		look_behind(cpu);
	}
}

/* Between the moments when the ends are found and when the rings are read, anything may happen. */
void sim_look_meanwhile(void)
{
	struct seen seen = { 0 };

	pending_hide();
	if (!sim_file.ends || rand() % 2)
		find_ends();
	if (rand() % 2)
		read_rings(&seen);
	pending_show();
}

/* Packets may have been overwritten. */
void sim_check_total(void)
{
	struct seen seen = { 0 };
	uint64_t written = 0;

	find_ends();
	read_rings(&seen);
	for (int i = 0; i < SIM_THREADS; i++)
		written += sim_writers[i].begun;
	if (seen.events + seen.lost != written)
		sim_wrong("events that are neither read nor counted as lost");
}

/* As if the process ended now: what has returned is there, once. */
void sim_check(void)
{
	struct seen seen = { 0 };

	find_ends();
	read_rings(&seen);
	for (int i = 0; i < SIM_THREADS && !*sim.problem; i++)
		for (uint32_t n = 0; n < sim_writers[i].begun; n++)
			if (sim_writers[i].returned[n] && !seen.numbers[i][n])
				sim_wrong("an event is missing");
	if (seen.lost)
		sim_wrong("events are counted as lost");
}
