// SPDX-License-Identifier: GPL-2.0-or-later
/* pending.c - stores that other CPUs may not see yet.  See pending.h. */
#include "pending.h"

#include <stdlib.h>
#include <string.h>

#include "simulator.h"

#define PENDING		64	/* of a CPU; older ones have been seen */

/* The oldest first. */
static struct pending {
	unsigned int nr;
	uint64_t group;		/* of the next store */
	struct store {
		uint8_t *to;
		uint64_t before, value, real;
		unsigned int bytes;
		uint64_t group;
		bool release, seen;
	} stores[PENDING];
} pending[SIM_CPUS];

void pending_next_group(uint32_t cpu)
{
	pending[cpu].group++;
}

void pending_store(uint32_t cpu, void *to, uint64_t value, unsigned int bytes, bool release)
{
	struct pending *p = &pending[cpu];
	struct store *s = &p->stores[p->nr];

	if (p->nr == PENDING) {
		memmove(p->stores, p->stores + 1, sizeof(p->stores) - sizeof(p->stores[0]));
		p->nr--;
		s--;
	}
	*s = (struct store){ .to = to, .value = value, .bytes = bytes, .group = p->group, .release = release };
	memcpy(&s->before, to, bytes);
	memcpy(to, &value, bytes);
	p->nr++;
}

void pending_forget(void)
{
	memset(pending, 0, sizeof(pending));
}

/* The reader sees all groups before one at random, and some of that; and what it has seen before. */
static void choose_seen(struct pending *p)
{
	const uint64_t group = p->stores[rand() % p->nr].group;
	const bool all = rand() % 4 == 0;

	for (unsigned int i = 0; i < p->nr; i++) {
		struct store *s = &p->stores[i];

		if (s->group < group || (s->group == group && (all || rand() % 2)))
			s->seen = true;
	}
	for (unsigned int i = p->nr; i-- > 0;)
		for (unsigned int k = 0; p->stores[i].release && p->stores[i].seen && k < i; k++)
			p->stores[k].seen = true;
}

static void hide_some(struct pending *p)
{
	if (p->nr)
		choose_seen(p);
	for (unsigned int i = 0; i < p->nr; i++)
		memcpy(&p->stores[i].real, p->stores[i].to, p->stores[i].bytes);
	for (unsigned int i = p->nr; i-- > 0;)
		memcpy(p->stores[i].to, &p->stores[i].before, p->stores[i].bytes);
	for (unsigned int i = 0; i < p->nr; i++)
		if (p->stores[i].seen)
			memcpy(p->stores[i].to, &p->stores[i].value, p->stores[i].bytes);
}

static void show_all(const struct pending *p)
{
	for (unsigned int i = 0; i < p->nr; i++)
		memcpy(p->stores[i].to, &p->stores[i].real, p->stores[i].bytes);
}

void pending_hide(void)
{
	for (uint32_t cpu = 0; cpu < SIM_CPUS; cpu++)
		hide_some(&pending[cpu]);
}

void pending_show(void)
{
	for (uint32_t cpu = 0; cpu < SIM_CPUS; cpu++)
		show_all(&pending[cpu]);
}
