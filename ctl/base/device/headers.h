/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * headers.h - the headers of a packet as events record them (KT_OBJECT_PACKET in core/abi_program.h), as data.  Their names, and
 * the order of their fields, are those of lttng-modules 2.13.
 */
#ifndef KTRACE_HEADERS_H
#define KTRACE_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"

/* A field, the highest bit first.  Fields follow each other without gaps. */
struct header_field {
	const char *name;	/* NULL: behind the last */
	uint8_t bits;
	uint8_t count;		/* elements of an array; 0: it is none */
	bool is_hex;
	bool is_protocol;	/* the number of the header that follows: see header_protocols */
};

struct header {
	const char *name;	/* "tcp" */
	uint8_t bytes;
	const struct header_field *fields;
};

extern const struct header header_networks[KT_NR_NETWORKS], header_transports[KT_NR_TRANSPORTS];

/* The names of protocols, as ranges that have no gap. */
struct protocol_range {
	const char *name;
	uint8_t from, to;
};

#define PROTOCOL_RANGES	7
extern const struct protocol_range header_protocols[PROTOCOL_RANGES];

/* A packet's headers.  transport is NULL where network is unknown. */
struct packet_headers {
	const struct header *network, *transport;
	const uint8_t *network_at, *transport_at;
	size_t bytes;		/* of all */
};

/* False: there is no such packet in `room` bytes. */
bool headers_read(const uint8_t *at, size_t room, struct packet_headers *out);

/* The value of a field by its name; of an array its first bytes, at most eight.  Header and field exist. */
uint64_t header_value(const struct header *header, const uint8_t *at, const char *name);
/* Where a field begins; it does at a byte. */
const uint8_t *header_at(const struct header *header, const uint8_t *at, const char *name);

#endif
