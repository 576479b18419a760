// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctfcount DIR WORDS: count the events of a saved trace by its layout alone, without ktrace. All events have
 * WORDS words of payload. For each CPU it prints a line
 *
 * 	cpu N records R lost L packets P bytes B
 *
 * Exit status 1 if anything is wrong: the layout, times that do not increase, counts that are not consecutive.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ktrace_abi.h"

#define MAX_PACKET (1 << 20)

struct count {
	const char *name;
	uint64_t records, packets, bytes;
	uint64_t next;		/* number of the next record */
	uint64_t missing;	/* missing records, by their numbers */
	uint64_t discarded;	/* discarded records, by the last packet; includes missing ones */
	uint64_t last;		/* time of the last event */
	bool any;
};

static void __attribute__((noreturn, format(printf, 2, 3))) die(const struct count *c, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "ctfcount: %s, packet %llu: ", c->name, (unsigned long long)c->packets);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* The time of the event at *at; afterwards *at is behind the event's header. */
static uint64_t event_time(const uint32_t **at, uint64_t before)
{
	uint32_t word = *(*at)++;
	uint64_t time;

	if ((word & KT_ID_EXT) != KT_ID_EXT)
		return before + (((word >> 8) - before) & ((1U << KT_TS_BITS) - 1));
	time = (uint64_t)(*at)[1] << 32 | (*at)[0];
	*at += 2;
	return time;
}

static void count_events(struct count *c, const struct kt_packet *packet, unsigned int words)
{
	const uint32_t *at = (const uint32_t *)(packet + 1);
	const uint32_t *end = (const uint32_t *)packet + packet->content_bits / 32;
	uint64_t time = packet->ts_begin;
	uint32_t n = 0;

	for (; at < end; at += words, n++) {
		time = event_time(&at, time);
		if (c->any && time <= c->last)
			die(c, "event %u at %llu is not behind %llu", n, (unsigned long long)time,
			    (unsigned long long)c->last);
		c->last = time;
		c->any = true;
	}
	if (at != end || n != packet->records)
		die(c, "%u records where %u should be", n, packet->records);
	if (time > packet->ts_end)
		die(c, "an event is younger than its packet");
}

static void count_packet(struct count *c, const struct kt_packet *packet, unsigned int words)
{
	if (packet->magic != KT_CTF_MAGIC || packet->content_bits > packet->packet_bits)
		die(c, "no packet");
	if (c->packets && packet->count < c->next)
		die(c, "record %llu comes twice", (unsigned long long)packet->count);
	if (c->packets)
		c->missing += packet->count - c->next;
	if (packet->discarded < c->missing)
		die(c, "more records are missing than were counted as lost");
	c->next = packet->count + packet->records;
	c->discarded = packet->discarded;
	c->records += packet->records;
	c->bytes += packet->packet_bits / 8;
	count_events(c, packet, words);
	c->packets++;
}

static bool count_file(const char *dir, int cpu, unsigned int words)
{
	static uint32_t buf[MAX_PACKET / 4];
	struct kt_packet *packet = (struct kt_packet *)buf;
	char path[512];
	struct count c = { .name = path };
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu%d", dir, cpu);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (fread(packet, sizeof(*packet), 1, file) == 1) {
		size_t rest = packet->packet_bits / 8 - sizeof(*packet);

		if (rest > sizeof(buf) - sizeof(*packet) || (rest && fread(packet + 1, rest, 1, file) != 1))
			die(&c, "cut off");
		count_packet(&c, packet, words);
	}
	fclose(file);
	printf("cpu %d records %llu lost %llu packets %llu bytes %llu\n", cpu, (unsigned long long)c.records,
	       (unsigned long long)c.discarded, (unsigned long long)c.packets, (unsigned long long)c.bytes);
	return true;
}

int main(int argc, char **argv)
{
	int found = 0;

	if (argc != 3) {
		fputs("usage: ctfcount DIR WORDS\n", stderr);
		return 2;
	}
	for (int cpu = 0; cpu < 1024; cpu++)
		found += count_file(argv[1], cpu, atoi(argv[2]));
	return found ? 0 : 1;
}
