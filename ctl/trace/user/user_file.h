/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_file.h - read the file of a process that libktrace has written (user/file.h).
 *
 * The process may be at work: a ring is read as far as it was when the file was opened.  Nothing in the file is trusted, nor
 * that it stays the same: whatever matters is copied first and then checked.
 */
#ifndef KTRACE_USER_FILE_READER_H
#define KTRACE_USER_FILE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/error.h"
#include "user/file.h"
#include "user/ktrace/types.h"

/* A tracepoint of the program.  The texts are printable. */
struct user_site {
	uint32_t id, line;
	uint32_t nr;
	uint8_t types[KTRACE_MAX_ARGS];
	char *provider, *name, *args, *source;
};

struct user_enum {
	char *name;
	uint32_t nr;
	int64_t *values;
	char **names;
};

/* How far a ring was when the file was opened. */
struct user_end {
	bool used;
	const char *wrong;		/* what is damaged; NULL: the rest is valid */
	uint64_t last;			/* number of the newest packet */
	uint32_t last_bytes, last_records;	/* of that */
	uint64_t total;			/* events up to there */
	uint64_t discarded;		/* events that found no room, in all */
	uint64_t skip;			/* events that do not belong to the trace */
};

struct user_file {
	char *path;
	const uint8_t *map;
	size_t bytes;
	struct ktu_file head;		/* a copy, checked */
	struct user_end *ends;		/* of each ring: read before the descriptions, so that each event has its own; or NULL */
	struct user_site *sites;
	size_t nr_sites;
	uint32_t *by_id;		/* [nr_ids] the number of the site, plus 1; 0: there is none */
	size_t nr_ids;
	struct user_enum *enums;
	size_t nr_enums;
};

/* How often something is read that a process may change meanwhile: one that means ill does so each time. */
#define USER_TRIES	100

/* The names of these files end so. */
#define USER_FILE_SUFFIX	".rings"

/* False: the process has just begun, or was killed while it did, and has no events. */
bool user_file_is_begun(const char *path);
/* NULL: err is set. */
struct user_file *user_file_open(const char *path, struct error *err);
/*
 * The memory of a running process, without its rings: header and descriptions.  The caller keeps fd; the mapping stays when
 * it is closed.  name: for messages.  NULL: err is set; it may not be sealed, so that reading it could end this program.
 */
struct user_file *user_file_open_memory(int fd, const char *name, struct error *err);
void user_file_close(struct user_file *file);
/* NULL: there is none. */
const struct user_site *user_file_site(const struct user_file *file, uint32_t id);
const struct user_enum *user_file_enum(const struct user_file *file, const char *name, size_t len);
/* One for each CPU and slot. */
uint32_t user_file_rings(const struct user_file *file);
/* Fill in file->ends.  Part of user_file_open(). */
void user_file_find_ends(struct user_file *file);

/* A ring, and the event that was read last. */
struct user_ring {
	const struct user_file *file;
	uint32_t number;
	const struct user_end *end_of;
	uint64_t next;			/* packet to read next */
	uint64_t count;			/* number of the next event */
	uint64_t lost;			/* overwritten before this event and behind the last one */
	uint64_t discarded;		/* events that found no room, and are not yet in `lost` */
	/* The packet that is being read. */
	uint8_t *packet;
	uint32_t at, end, records;
	/* The event. */
	uint64_t ticks;
	uint32_t thread;		/* 0: not known yet */
	const struct user_site *site;
	const uint8_t *payload;
	size_t payload_len;
};

/* False: the ring is damaged, err is set. */
bool user_ring_begin(struct user_ring *ring, const struct user_file *file, uint32_t number, struct error *err);
void user_ring_end(struct user_ring *ring);
/* Read the next event.  *more is false behind the last one; then ring->lost are the events lost at the end. */
bool user_ring_next(struct user_ring *ring, bool *more, struct error *err);

/* Bytes of an argument in the payload.  0: there are not so many. */
size_t user_arg_length(uint8_t type, const uint8_t *at, size_t room);

#endif
