// SPDX-License-Identifier: GPL-2.0-or-later
/* values_strict.c - arguments of every type, compiled with the warnings that other projects have: see mk/usertest.mk. */
#include <ktrace/ktrace.h>

struct packet {
	char text[6];
	unsigned short port;
};

void strict_values(const struct packet *packet, long number, unsigned long size);

void strict_values(const struct packet *packet, long number, unsigned long size)
{
	const signed char tiny = -1;
	const float part = 0.5F;

	KTRACE(strict, all, tiny, (unsigned char)7, (short)-2, packet->port, (int)number, (unsigned int)size, number, size, part, 0.25,
	       packet->text, packet);
	KTRACE(strict, texts, packet->text, "literal", ktrace_bytes(packet, sizeof(*packet)));
	KTRACE(strict, last, packet->text);
	KTRACE(strict, number, number);
	KTRACE(strict, size, size);
	KTRACE(strict, nothing);
}
