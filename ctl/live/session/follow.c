// SPDX-License-Identifier: GPL-2.0-or-later
/* follow.c - see follow.h. */
#include "ctl/live/session/follow.h"

#include "ctl/base/interrupt.h"
#include "ctl/base/now.h"
#include "ctl/live/session/brake.h"

/* Shortest round: at high rates it wakes up no more often. */
#define ROUND_MS	50
/* Longest single sleep. */
#define MAX_SLEEP_MS	3600000
/* How often in a row another controller may clear records while we save them. */
#define MAX_STALE	3
/* A follower that prefers many records waits for that many packets, for at most MAX_WAIT_MS. */
#define PACKETS(dev)	((dev)->hello.nr_subbufs / 4)
#define MAX_WAIT_MS	250

/* Milliseconds until deadline (-1: none), at most `most`. */
static int left_ms(int64_t deadline, int most)
{
	int64_t left = deadline < 0 ? most : deadline - now_ms();

	return left < 0 ? 0 : left > most ? most : (int)left;
}

static bool follow_ends(int64_t deadline)
{
	return interrupt_pending() || (deadline >= 0 && now_ms() >= deadline);
}

struct rounds {
	uint64_t total;		/* records up to the newest snapshot */
	unsigned int stale;	/* in a row */
	bool told;
};

/*
 * Continue after another controller has cleared the records: what is printed twice does no harm.  What is saved twice does,
 * so that ends when it happens MAX_STALE times in a row.
 */
static bool follow_take(struct session *s, const struct follower *follower, struct snapshot *snap, struct rounds *rounds,
			struct error *err)
{
	if (!snapshot_count(snap) || follower->take(s, follower->arg, snap, err)) {
		rounds->stale = 0;
		return true;
	}
	if (interrupt_pending() || !snapshot_stale(snap) || (++rounds->stale > MAX_STALE && follower->files))
		return false;
	if (!rounds->told)
		session_note(s, "another ktrace clears records, too: some are shown by both");
	rounds->told = true;
	return true;
}

static bool follow_round(struct session *s, const struct follower *follower, struct rounds *rounds, struct error *err)
{
	struct snapshot *snap = reader_snapshot(s->reader, err);
	bool ok;

	if (!snap)
		return false;
	rounds->total = snapshot_total(snap);
	ok = follow_take(s, follower, snap, rounds, err);
	snapshot_free(snap);
	return ok;
}

static void gather(struct session *s, const struct follower *follower, uint64_t total,
		   int64_t deadline)
{
	if (follower->files)
		device_wait_packets(&s->dev, total, PACKETS(&s->dev),
				    left_ms(deadline, MAX_WAIT_MS));
	else
		interrupt_nap(left_ms(deadline, ROUND_MS));
}

/* Signals are blocked except during this sleep, so that none is missed. */
static void follow_sleep(struct session *s, const struct follower *follower, uint64_t total,
			 int64_t deadline)
{
	interrupt_hold();
	do {
		if (!interrupt_pending())
			gather(s, follower, total, deadline);
	} while (!follow_ends(deadline) &&
		 !device_wait(&s->dev, total, left_ms(deadline, MAX_SLEEP_MS)));
	interrupt_let();
}

/* The end of the next sleep: the deadline, or the next second. */
static int64_t next_end(const struct follower *follower, int64_t deadline, int64_t tick)
{
	return (follower->each_second || follower->until_frozen) && (deadline < 0 || tick < deadline) ? tick : deadline;
}

/* When a second is over, or at the end.  *tick: when it is over. */
static bool follow_second(struct session *s, const struct follower *follower, bool last, int64_t *tick, struct error *err)
{
	const int64_t now = now_ms();

	if (now < *tick && !last)
		return true;
	while (*tick <= now)
		*tick += 1000;
	return !follower->each_second || follower->each_second(s, follower->arg, err);
}

/* *frozen: has recording stopped, if the follower wants to know?  Asked before the records are taken. */
static bool look_frozen(struct session *s, const struct follower *follower, bool *frozen, struct error *err)
{
	struct kt_status status;

	*frozen = false;
	if (!follower->until_frozen)
		return true;
	if (!device_status(&s->dev, &status, NULL, err))
		return false;
	*frozen = status.frozen;
	return true;
}

bool follow_until(struct session *s, const struct follower *follower, int64_t deadline,
		  struct error *err)
{
	int64_t tick = now_ms() + 1000;
	struct brake_watch brake;
	struct rounds rounds = { 0 };
	bool ok = true, last = false, frozen = false;

	brake_watch(s, &brake);
	/* One more round when the time is up takes the records that arrived until then. */
	while (ok) {
		const bool stopped = interrupt_pending();

		ok = look_frozen(s, follower, &frozen, err) && follow_round(s, follower, &rounds, err) &&
		     follow_second(s, follower, last || frozen || interrupt_pending(), &tick, err);
		brake_say(s, &brake, false);
		if (last || frozen || stopped || (interrupt_pending() && !follower->files))
			break;
		if (ok)
			follow_sleep(s, follower, rounds.total, next_end(follower, deadline, tick));
		last = follow_ends(deadline);
	}
	brake_say(s, &brake, true);
	if (ok && frozen)
		session_note(s, "ended: recording is stopped (FREEZE): 'unfreeze' starts it again");
	return ok || interrupt_pending();
}
