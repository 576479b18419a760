/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairing.h - pair what begins with what ends it, by a key: the records of `pairs`.
 *
 * An end ends the newest open begin of its key: of the same thread, if there is one, else of any.  With B hits that
 * begin and E that end:
 *
 *   B = paired + open + unreadable[0],   E = paired + unmatched + unreadable[1]
 */
#ifndef KTRACE_PAIRING_H
#define KTRACE_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/samples.h"

#define PAIRING_KEY	16	/* most bytes of a key */
#define PAIRING_MOST	(1U << 20)	/* begins that may be open at once */

/* One begin that has not ended. */
struct begun {
	uint8_t key[PAIRING_KEY];
	uint64_t ticks, count;		/* count: the number of its record */
	uint32_t thread;
	uint32_t point;			/* the caller's number */
	struct begun *older;		/* in the same bucket */
};

struct pairing {
	struct begun **buckets;
	struct samples times;		/* from begin to end, in ticks */
	uint64_t paired, open, unmatched, unreadable[2];
};

struct pairing *pairing_create(void);
void pairing_free(struct pairing *p);
/* False: PAIRING_MOST are open, and nothing is changed. */
bool pairing_begin(struct pairing *p, const struct begun *begun);
/* Returns false if nothing of that key was open; else *point is that of the begin. */
bool pairing_end(struct pairing *p, const uint8_t key[PAIRING_KEY], uint32_t thread, uint64_t ticks, uint32_t *point);
/* The numbers of the records that are still open, in order.  The caller frees the result; it has p->open elements. */
uint64_t *pairing_open(const struct pairing *p);

#endif
