// SPDX-License-Identifier: GPL-2.0-or-later
/* recording.c - the course of `record`.  See recording.h. */
#include "ctl/live/recorder/recording.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/trace/saved/disk.h"

static bool add_one(void *arg, uint32_t id, const struct desc *planned, struct error *err)
{
	struct recording *r = arg;

	return r->mode->add(r, id, planned, err);
}

/* Nothing is recorded before all descriptors are known: to read them takes hundreds of system calls. */
bool recording_arm(struct session *s, struct recording *r, struct error *err)
{
	return device_recording(r->dev, KT_RECORDING_FREEZE, err) && record_events_set(s, &r->events, err) &&
	       record_events_each(&r->events, add_one, r, err) &&
	       record_events_own(r->dev, &r->events, add_one, r, err) &&
	       device_recording(r->dev, KT_RECORDING_UNFREEZE, err);
}

bool recording_disarm(struct session *s, struct recording *r, struct error *err)
{
	struct error another;
	const bool frozen = device_recording(r->dev, KT_RECORDING_FREEZE, err);

	return record_events_remove(s, &r->events, frozen ? err : &another) && frozen;
}

/* Before the command starts.  A flight recording has said more. */
static void say_began(struct session *s, const struct oneshot *o, const struct recording *r)
{
	char n[DURATION_SIZE];

	if (r->mode->drains)
		session_note(s, "recording into %s: %s tracepoint%s set%s", r->dir, count_text(r->events.plans.n, n),
			     r->events.plans.n == 1 ? " is" : "s are",
			     o->command ? "" : "; Ctrl-C ends it");
}

static bool arm(struct session *s, struct oneshot *o, void *arg, struct error *err)
{
	struct recording *r = arg;
	const bool armed = recording_arm(s, r, err);

	r->began = now_ms();
	if (!armed || !r->mode->begin(s, r, err))
		return false;
	r->began = r->part_began = now_ms();
	say_began(s, o, r);
	return true;
}

static bool round_once(struct session *s, void *arg, struct progress *progress, struct error *err)
{
	struct recording *r = arg;

	return r->mode->round(s, r, progress, err);
}

static bool disarm(struct session *s, void *arg, struct error *err)
{
	struct recording *r = arg;

	if (r->events.is_set)
		r->ended = now_ms();
	return recording_disarm(s, r, err);
}

void recording_say_brake(struct session *s, uint64_t braked, uint32_t off)
{
	AUTO_FREE char *switched = off ? mem_printf(" and switched %" PRIu32 " tracepoint%s off", off, off == 1 ? "" : "s") : NULL;
	char n[DURATION_SIZE];

	if (braked || off)
		session_warn(s, "the brake turned away %s hit%s%s, besides the lost events: record fewer --events, or raise the module's parameter 'brake'",
			     count_text(braked, n), braked == 1 ? "" : "s", switched ? switched : "");
}

const struct symbols_source *recording_symbols(struct session *s, const struct recording *r, bool wanted,
					       struct symbols_source *out)
{
	if (!wanted || !session_want_symbols(s))
		return NULL;
	*out = (struct symbols_source){ .tab = s->tab, .reduce = true, .only_code = !r->events.nr_words };
	return out;
}

bool recording_open(struct session *s, struct recording *r, const char *name, struct error *err)
{
	struct device *dev = mem_zalloc(1, sizeof(*dev));

	dev->fd = -1;
	if (!device_open(dev, err)) {
		free(dev);
		return false;
	}
	r->dev = dev;
	if (!device_rings(dev, name, r->mode->ring_mode, r->buffer, err) || !task_rules_send(r->rules, dev, err))
		return false;
	s->dev = *dev;
	return true;
}

void recording_close(struct recording *r)
{
	r->mode->release(r);
	if (r->dev)
		device_close(r->dev);
	free(r->dev);
	free(r->trace);
	r->dev = NULL;
	r->trace = NULL;
}

static bool open_first(struct session *s, struct recording *r, struct error *err)
{
	if (r->rotate_bytes || r->rotate_ms)
		return rotate_prepare(s, r, err);
	r->trace = mem_strdup(r->dir);
	return recording_open(s, r, r->name, err) && r->mode->create(s, r, err);
}

/*
 * A recording to disk is woken by all that it waits for, unless it has parts, and its rounds make events of their own: it
 * looks seldom.
 */
static int longest_sleep(const struct recording *r)
{
	return r->mode->drains && !r->rotate_bytes && !r->rotate_ms ? 1000 : 0;
}

static bool measure(struct session *s, struct oneshot *o, struct recording *r, struct error *err)
{
	struct oneshot_ops ops = {
		.arm = arm, .round = round_once, .disarm = disarm, .drains = r->mode->drains, .arg = r,
		.everywhere = r->rules->n || !r->rules->children,
		.longest_ms = longest_sleep(r),
	};

	if (!open_first(s, r, err))
		return false;
	ops.wakes = r->listener;
	if (oneshot_measure(s, o, &ops, err))
		return r->mode->finish(s, r, err) && session_flush(s, err) && oneshot_conclude(s, o, NULL, err);
	r->mode->fail(s, r);
	return false;
}

bool recording_run(struct session *s, struct oneshot *o, struct recording *r, struct error *err)
{
	const struct device prompt = s->dev;
	const bool ok = measure(s, o, r, err);

	recording_close(r);
	rotate_release(r);
	s->dev = prompt;
	return ok;
}
