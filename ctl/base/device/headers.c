// SPDX-License-Identifier: GPL-2.0-or-later
/* headers.c - see headers.h. */
#include "ctl/base/device/headers.h"

#include <string.h>

#define NUMBER(name, bits)	{ name, bits, 0, false, false }
#define HEX(name, bits)		{ name, bits, 0, true, false }
#define ARRAY(name, bits, n)	{ name, bits, n, false, false }
#define HEX_ARRAY(name, bits, n)	{ name, bits, n, true, false }
#define PROTOCOL(name)		{ name, 8, 0, false, true }
#define END			{ .name = NULL }

static const struct header_field nothing[] = { END };

static const struct header_field ipv4[] = {
	NUMBER("version", 4), NUMBER("ihl", 4), NUMBER("tos", 8), NUMBER("tot_len", 16), HEX("id", 16), NUMBER("frag_off", 16),
	NUMBER("ttl", 8), PROTOCOL("protocol"), HEX("checksum", 16), ARRAY("saddr", 8, 4), ARRAY("daddr", 8, 4), END
};

static const struct header_field ipv6[] = {
	NUMBER("version", 4), NUMBER("prio", 4), HEX_ARRAY("flow_lbl", 8, 3), NUMBER("payload_len", 16), PROTOCOL("nexthdr"),
	NUMBER("hop_limit", 8), HEX_ARRAY("saddr", 16, 8), HEX_ARRAY("daddr", 16, 8), END
};

static const struct header_field tcp[] = {
	NUMBER("source_port", 16), NUMBER("dest_port", 16), NUMBER("seq", 32), NUMBER("ack_seq", 32), NUMBER("data_offset", 4),
	NUMBER("reserved", 3), HEX("flags", 9), NUMBER("window_size", 16), HEX("checksum", 16), NUMBER("urg_ptr", 16), END
};

static const struct header_field udp[] = {
	NUMBER("source_port", 16), NUMBER("dest_port", 16), NUMBER("len", 16), NUMBER("check", 16), END
};

static const struct header_field icmp[] = {
	NUMBER("type", 8), NUMBER("code", 8), NUMBER("checksum", 16), NUMBER("gateway", 32), END
};

const struct header header_networks[KT_NR_NETWORKS] = {
	[KT_NETWORK_UNKNOWN] = { "unknown", 0, nothing }, [KT_NETWORK_IPV4] = { "ipv4", 20, ipv4 }, [KT_NETWORK_IPV6] = { "ipv6", 40, ipv6 },
};

const struct header header_transports[KT_NR_TRANSPORTS] = {
	[KT_TRANSPORT_UNKNOWN] = { "unknown", 0, nothing }, [KT_TRANSPORT_TCP] = { "tcp", 20, tcp }, [KT_TRANSPORT_UDP] = { "udp", 8, udp },
	[KT_TRANSPORT_ICMP] = { "icmp", 8, icmp },
};

const struct protocol_range header_protocols[PROTOCOL_RANGES] = {
	{ "unknown", 0, 0 }, { "icmp", 1, 1 }, { "unknown", 2, 5 }, { "tcp", 6, 6 }, { "unknown", 7, 16 }, { "udp", 17, 17 },
	{ "unknown", 18, 255 },
};

/* The header that the byte at *at names, with its bytes behind it.  *at moves behind them.  NULL: there is none. */
static const struct header *take(const struct header *headers, size_t nr, const uint8_t **at, size_t *room)
{
	const struct header *header = *room && **at < nr ? &headers[**at] : NULL;

	if (!header || *room - 1 < header->bytes)
		return NULL;
	*at += 1 + header->bytes;
	*room -= 1 + header->bytes;
	return header;
}

bool headers_read(const uint8_t *at, size_t room, struct packet_headers *out)
{
	const size_t before = room;

	*out = (struct packet_headers){ .network_at = at + 1 };
	out->network = take(header_networks, KT_NR_NETWORKS, &at, &room);
	if (out->network && out->network->bytes) {
		out->transport_at = at + 1;
		out->transport = take(header_transports, KT_NR_TRANSPORTS, &at, &room);
	}
	out->bytes = before - room;
	return out->network && (!out->network->bytes || out->transport);
}

static const struct header_field *find(const struct header *header, const char *name, unsigned int *bit)
{
	const struct header_field *field = header->fields;

	for (*bit = 0; strcmp(field->name, name); field++)
		*bit += field->bits * (field->count ? field->count : 1);
	return field;
}

uint64_t header_value(const struct header *header, const uint8_t *at, const char *name)
{
	unsigned int bit, bits;
	const struct header_field *field = find(header, name, &bit);
	uint64_t value = 0;

	bits = field->bits * (field->count ? field->count : 1);
	for (bits = bits < 64 ? bits : 64; bits; bits--, bit++)
		value = value << 1 | (at[bit / 8] >> (7 - bit % 8) & 1);
	return value;
}

const uint8_t *header_at(const struct header *header, const uint8_t *at, const char *name)
{
	unsigned int bit;

	find(header, name, &bit);
	return at + bit / 8;
}
