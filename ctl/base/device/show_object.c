// SPDX-License-Identifier: GPL-2.0-or-later
/* show_object.c - see show_object.h. */
#include "ctl/base/device/show_object.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ctl/base/device/headers.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"

/* ------------------------------------------------------------------- text */

/* Text that is written to a buffer; what has no room is left out. */
struct line {
	char *buf;
	size_t len;
};

static void __attribute__((format(printf, 2, 3))) add(struct line *line, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line->buf + line->len, SHOW_OBJECT_SIZE - line->len, format, args);
	va_end(args);
	line->len += n;
	if (line->len >= SHOW_OBJECT_SIZE)
		line->len = SHOW_OBJECT_SIZE - 1;
}

static const char *address(const struct packet_headers *packet, const char *name, char buf[INET6_ADDRSTRLEN])
{
	const bool is_ipv4 = packet->network == &header_networks[KT_NETWORK_IPV4];

	return inet_ntop(is_ipv4 ? AF_INET : AF_INET6, header_at(packet->network, packet->network_at, name), buf, INET6_ADDRSTRLEN);
}

static uint64_t value_of(const struct packet_headers *packet, const char *name)
{
	return header_value(packet->transport, packet->transport_at, name);
}

static void add_ports(struct line *line, const struct packet_headers *packet)
{
	add(line, " %" PRIu64 " > %" PRIu64, value_of(packet, "source_port"), value_of(packet, "dest_port"));
}

static void add_tcp(struct line *line, const struct packet_headers *packet)
{
	static const char *const names[] = { "FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR", "NS" };
	const uint64_t flags = value_of(packet, "flags");
	const char *before = " flags=";

	add_ports(line, packet);
	add(line, " seq=%" PRIu64 " ack=%" PRIu64, value_of(packet, "seq"), value_of(packet, "ack_seq"));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(flags >> i & 1))
			continue;
		add(line, "%s%s", before, names[i]);
		before = "|";
	}
}

static void add_udp(struct line *line, const struct packet_headers *packet)
{
	add_ports(line, packet);
	add(line, " len=%" PRIu64, value_of(packet, "len"));
}

static void add_icmp(struct line *line, const struct packet_headers *packet)
{
	add(line, " type=%" PRIu64 " code=%" PRIu64, value_of(packet, "type"), value_of(packet, "code"));
}

static void add_transport(struct line *line, const struct packet_headers *packet)
{
	static void (*const fields[KT_NR_TRANSPORTS])(struct line *line, const struct packet_headers *packet) = {
		[KT_TRANSPORT_TCP] = add_tcp, [KT_TRANSPORT_UDP] = add_udp, [KT_TRANSPORT_ICMP] = add_icmp,
	};
	const size_t type = packet->transport - header_transports;
	const bool is_ipv4 = packet->network == &header_networks[KT_NETWORK_IPV4];

	if (fields[type]) {
		add(line, " %s", packet->transport->name);
		fields[type](line, packet);
		return;
	}
	add(line, " protocol=%" PRIu64, header_value(packet->network, packet->network_at, is_ipv4 ? "protocol" : "nexthdr"));
}

static void add_packet(struct line *line, const uint8_t *at, size_t length)
{
	char from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];
	struct packet_headers packet;

	if (!headers_read(at, length, &packet))
		return;
	add(line, "%s", packet.network->name);
	if (!packet.transport)
		return;
	add(line, " %s > %s", address(&packet, "saddr", from), address(&packet, "daddr", to));
	add_transport(line, &packet);
}

static int32_t number_at(const uint8_t *at, size_t i)
{
	int32_t number;

	memcpy(&number, at + 1 + i * sizeof(number), sizeof(number));
	return number;
}

static void add_numbers(struct line *line, const uint8_t *at)
{
	add(line, "[");
	for (size_t i = 0; i < *at; i++)
		add(line, "%s%" PRId32, i ? ", " : "", number_at(at, i));
	add(line, "]");
}

const char *show_object(enum field_kind kind, const uint8_t *at, size_t length, char buf[SHOW_OBJECT_SIZE])
{
	struct line line = { .buf = buf };

	buf[0] = '\0';
	if (kind == FIELD_PACKET)
		add_packet(&line, at, length);
	else if (length)
		add_numbers(&line, at);
	return buf;
}

/* ------------------------------------------------------------------- JSON */

static bool is_address(const char *name)
{
	return !strcmp(name, "saddr") || !strcmp(name, "daddr");
}

/* The fields of a header; addresses as texts. */
static void put_fields(struct json *j, const struct packet_headers *packet, const struct header *header, const uint8_t *at)
{
	char text[INET6_ADDRSTRLEN];

	json_text(j, "type", header->name);
	for (const struct header_field *field = header->fields; field->name; field++) {
		/* An ICMP header has a type, too. */
		const char *key = strcmp(field->name, "type") ? field->name : "icmp_type";

		if (is_address(field->name))
			json_text(j, key, address(packet, field->name, text));
		else
			json_number(j, key, header_value(header, at, field->name));
	}
}

static void put_packet(struct json *j, const char *key, const uint8_t *at, size_t length)
{
	struct packet_headers packet;

	if (!headers_read(at, length, &packet)) {
		json_null(j, key);
		return;
	}
	json_open(j, key);
	put_fields(j, &packet, packet.network, packet.network_at);
	if (packet.transport) {
		json_open(j, "transport_header");
		put_fields(j, &packet, packet.transport, packet.transport_at);
		json_close(j);
	}
	json_close(j);
}

void show_object_json(struct json *j, const char *key, enum field_kind kind, const uint8_t *at, size_t length)
{
	if (kind == FIELD_PACKET) {
		put_packet(j, key, at, length);
		return;
	}
	json_open_array(j, key);
	for (size_t i = 0; length && i < *at; i++)
		json_signed(j, NULL, number_at(at, i));
	json_close(j);
}
