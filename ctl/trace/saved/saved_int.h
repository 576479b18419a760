/* SPDX-License-Identifier: GPL-2.0-or-later */
/* saved_int.h - a saved trace and its files; for saved.c and saved_streams.c. */
#ifndef KTRACE_SAVED_INT_H
#define KTRACE_SAVED_INT_H

#include "ctl/trace/reader/reader_int.h"
#include "ctl/trace/saved/packet_io.h"
#include "ctl/trace/saved/saved.h"

#define MAX_PACKET	(KT_SUBBUF_MAX + sizeof(struct kt_packet))

struct indexed {
	struct packet_extent extent;
	uint64_t ts_begin, ts_end;
	uint64_t discarded;	/* of this CPU, since the file begins */
	uint32_t bytes, records;
	uint64_t overwritten;	/* records just before it */
};

/* One file: the records of a CPU in one part, or the state of the system (state_file.h). */
struct stream {
	char *path;
	int fd;
	uint32_t cpu, part;
	bool any_cpu;		/* the first packet says which */
	struct indexed *packets;
	size_t nr_packets;
	uint64_t count;		/* of its first packet */
	uint64_t records;
	uint64_t end;		/* number behind the last record */
	/* The reading position. */
	size_t next;
	uint64_t to, discarded_to;
	struct stop stop;	/* in packets[next] */
	struct reader_cpu from;
};

struct saved {
	char *dir, *symbols;
	struct trace_info *info;
	bool info_is_given;	/* it belongs to another */
	struct stream *streams;	/* by part, then by CPU */
	size_t nr_streams;
	uint32_t part;		/* the part being read */
	bool leaves_out;	/* what is behind a damaged place */
	saved_note_fn *note;	/* whom to tell that; NULL: nobody */
	void *note_arg;
	struct error damage;	/* the last such place; "": none */
	struct saved_progress progress;
};

/* Returns false: err says what is wrong with the file. */
bool saved_damaged(const struct stream *stream, const char *what, struct error *err);

/* saved_streams.c: open all files with packets, and find the packets in them. */
bool saved_open_streams(struct saved *saved, struct error *err);

#endif
