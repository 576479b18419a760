/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ioctl.h - shared by the parts of the fuzzer of /dev/ktrace and /dev/ktrace-user-control. */
#ifndef FUZZ_IOCTL_H
#define FUZZ_IOCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"
#include "live.h"
#include "rng.h"

#define NR_FDS		5
#define CONTROL		(NR_FDS - 1)	/* the file of KT_USER_CONTROL; the others are of KT_DEVICE */
#define NR_PAST		64	/* calls that may be repeated */
#define NR_MAPS		8
#define NR_ERRNOS	134
#define ROOM		65536	/* bytes for the data that arguments point at */

/* Data that all processes of the fuzzer share. */
struct world {
	struct kt_hello hello;
	struct live live;
	struct insn *insns;	/* instructions that may be named */
	size_t nr_insns;
	uint64_t *events;	/* addresses of static tracepoints */
	size_t nr_events;
};

struct past {
	unsigned long request;
	uint8_t arg[1024];
	size_t len;
};

struct map {
	uint8_t *at;
	size_t len;
};

struct fuzzer {
	const struct world *world;
	struct rng rng;
	int fds[NR_FDS];
	unsigned int fd;	/* index of the file for the next call */
	bool greeted[NR_FDS];
	uint8_t *arg;		/* a page; the page behind it is not mapped */
	uint8_t *locked;	/* a page that is not writable */
	uint8_t *room;		/* ROOM bytes that arguments point into */
	struct past past[NR_PAST];
	struct map maps[NR_MAPS];
	uint64_t done[NR_ERRNOS];	/* calls by outcome: errno, or 0 */
	uint64_t mapped, resized;	/* of these: rings mapped, and size or mode changed */
	uint32_t measures[NR_FDS];	/* the newest measurement of each open file, perhaps an old one */
	uint64_t measured;	/* measurements made */
	uint32_t aggregates[NR_FDS];	/* the same of aggregates */
	uint64_t aggregated;
};

static inline uint64_t roll(struct fuzzer *f, uint64_t sides)
{
	return rng_below(&f->rng, sides);
}

static inline bool one_in(struct fuzzer *f, uint64_t n)
{
	return rng_below(&f->rng, n) == 0;
}

/* A number that is probably close to a limit. */
uint64_t odd_number(struct fuzzer *f);

/*
 * Write a sensible argument of some call to arg, and the data that it points at to f->room. Returns the request
 * number; *len gets the size.
 */
unsigned long make_argument(struct fuzzer *f, uint8_t *arg, size_t *len);

/* Make a descriptor, correct or absurd. */
size_t make_descriptor(struct fuzzer *f, uint8_t *to, size_t room);

/* Make a role in one of the measurements, to be passed with a site. */
void make_role(struct fuzzer *f, unsigned int fd, struct kt_role *role);

/* Arguments of the calls about measurements; see make_argument(). */
size_t make_measure(struct fuzzer *f, uint8_t *arg);
size_t make_measure_run(struct fuzzer *f, uint8_t *arg);
size_t make_tally(struct fuzzer *f, uint8_t *arg);
size_t make_calibrate(struct fuzzer *f, uint8_t *arg);

/* The argument of KT_IOC_FILE, and a site in a program. */
size_t make_file(struct fuzzer *f, uint8_t *arg);
void make_user_site(struct fuzzer *f, struct kt_site_req *site);

/* This process offers tracepoints; arguments of the calls about such processes. */
void offer(void);
size_t make_user_hello(struct fuzzer *f, uint8_t *arg);
size_t make_user_list(struct fuzzer *f, uint8_t *arg);
size_t make_user_open(struct fuzzer *f, uint8_t *arg);
size_t make_user_switch(struct fuzzer *f, uint8_t *arg);
/* The descriptor that the next call gets which makes one. */
int lowest_free_fd(void);

/* The id of some aggregate; arguments of the calls about aggregates. */
uint32_t some_aggregate(struct fuzzer *f);
size_t make_aggregate(struct fuzzer *f, uint8_t *arg);
size_t make_aggregate_release(struct fuzzer *f, uint8_t *arg);
size_t make_aggregate_get(struct fuzzer *f, uint8_t *arg);

/* An address in the room for an argument to point at, mostly at this offset. */
uint64_t room_at(struct fuzzer *f, size_t offset);

/* Call mmap or a related function once. */
void fuzz_map(struct fuzzer *f);

#endif
