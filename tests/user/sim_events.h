/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_events.h - the events that the simulator's threads write.  The number of an event is that of its writer, shifted by 16,
 * plus its own; all else follows from it and from sim.group.
 */
#ifndef KTRACE_SIM_EVENTS_H
#define KTRACE_SIM_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/trace/user/user_file.h"
#include "simulator.h"
#include "user/ktrace/ktrace.h"

#define SIM_KINDS		4	/* of a group */
#define SIM_SITES		(SIM_KINDS * SIM_GROUPS)
#define SIM_MOST_WORDS	70

/* The site of the program, and the reader's. */
struct ktrace_site *sim_site_of(uint32_t number);
const struct user_site *sim_read_site_of(uint32_t number);
extern struct user_site sim_read_sites[SIM_SITES];

/* The words of the event: at most SIM_MOST_WORDS.  Returns how many. */
uint32_t sim_fill(uint32_t *payload, uint32_t number);

/* The same for ktrace_write_parts().  Behind what it copies is something that it must not copy. */
struct sim_parts {
	struct ktrace_parts parts;
	uint32_t words[SIM_MOST_WORDS];
	uint8_t bytes[4 * SIM_MOST_WORDS];
};

/* False: the event has no bytes. */
bool sim_fill_parts(struct sim_parts *event, uint32_t number);

/* How many units to add to the size of a packet, so that the events of sim.group have room. */
uint32_t sim_longer(void);
void sim_make_sites(void);

#endif
