// SPDX-License-Identifier: GPL-2.0-or-later
/* show.c - the forms in which a value can be shown, by name.  See show.h. */
#include "ctl/base/device/show.h"

#include <stdio.h>
#include <string.h>

static const char *const names[NR_SHOWS] = {
	[SHOW_HEX] = "x",
	[SHOW_DECIMAL] = "d",
	[SHOW_OCTAL] = "o",
	[SHOW_BINARY] = "b",
	[SHOW_CHARACTER] = "c",
	[SHOW_ERROR] = "e",
	[SHOW_TIME] = "t",
	[SHOW_IP] = "ip",
	[SHOW_DEV] = "dev",
	[SHOW_MODE] = "mode",
	[SHOW_RESULT] = "ret",
	[SHOW_FLAGS] = "flags",
	[SHOW_MAC] = "mac",
	[SHOW_UUID] = "uuid",
	[SHOW_IP6] = "ip6",
	[SHOW_BYTES] = "bytes",
	[SHOW_TEXT] = "s",
	[SHOW_POINTER] = "p",
	[SHOW_PACKET] = "packet",
	[SHOW_PIDS] = "pids",
};

const char *show_name(enum show show)
{
	return names[show];
}

bool show_named(const char *name, size_t len, enum show *out)
{
	for (size_t i = SHOW_BY_TYPE + 1; i < NR_SHOWS; i++) {
		if (strlen(names[i]) != len || strncmp(names[i], name, len))
			continue;
		*out = i;
		return true;
	}
	return false;
}

const char *show_names(char buf[SHOW_NAMES_SIZE])
{
	size_t n = 0;

	for (size_t i = SHOW_BY_TYPE + 1; i < NR_SHOWS; i++)
		n += snprintf(buf + n, SHOW_NAMES_SIZE - n, "%s%s", n ? ", " : "", names[i]);
	return buf;
}
