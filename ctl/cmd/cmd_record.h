/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_record.h - what the modes of `record` share: see struct record_mode. */
#ifndef KTRACE_CMD_RECORD_H
#define KTRACE_CMD_RECORD_H

#include "ctl/lang/plan.h"
#include "ctl/measure/oneshot.h"

struct disk;
struct flight;
struct flight_saved;
struct recording;

/* How a recording is kept: the functions are called in this order, with `round` several times. */
struct record_mode {
	const char *name;		/* of --mode */
	uint32_t ring_mode;		/* KT_MODE_... */
	bool drains;			/* call round when the rings fill, too */
	/* The rings exist. */
	bool (*create)(struct session *s, struct recording *r, struct error *err);
	/* A descriptor of the recording, with its id. */
	bool (*add)(struct recording *r, uint32_t id, struct error *err);
	/* All tracepoints are set, and all descriptors known. */
	bool (*begin)(struct session *s, struct recording *r, struct error *err);
	bool (*round)(struct session *s, struct recording *r, struct progress *progress, struct error *err);
	/* No tracepoint is set any more: write the rest, and say what was written. */
	bool (*finish)(struct session *s, struct recording *r, struct error *err);
	/* The recording failed: leave what can be read. */
	void (*fail)(struct recording *r);
	void (*release)(struct recording *r);
};

extern const struct record_mode record_disk, record_flight;

struct recording {
	struct words *words;		/* of each --trace; the requests point to them */
	size_t nr_words;
	struct requests requests;
	struct plans plans;
	struct kt_site_req *reqs;	/* [plans.n]: the answers */
	const struct record_mode *mode;
	bool armed;
	bool with_state;		/* write the state of the system, too */
	char *dir, *name;
	uint64_t buffer;
	int64_t began, ended;		/* now_ms() */
	struct disk *disk;		/* of --mode disk */
	struct flight *flight;		/* of --mode flight */
	int listener;			/* the socket of remote.h; -1: none */
};

/* Say what a snapshot has.  type is for JSON. */
void snapshot_say(struct session *s, const char *type, const char *dir, const struct flight_saved *saved);

#endif
