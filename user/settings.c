/* SPDX-License-Identifier: MIT */
/* settings.c - the variables of the environment. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "internal.h"

#define DEFAULT_BYTES	(1ULL << 20)
#define DEFAULT_SUBBUF	65536ULL

/* "4096", "64k", "1M", "1G". */
static bool parse_size(const char *text, uint64_t *out)
{
	static const char units[] = "kKmMgG";
	char *end;
	const char *unit;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (errno || (*end && (!unit || end[1])))
		return false;
	if (unit) {
		const unsigned int shift = 10 + 10 * ((unit - units) / 2);

		if (*out >> (64 - shift))
			return false;
		*out <<= shift;
	}
	return true;
}

static bool is_power(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* A variable whose value is a size, a power of two between two bounds. */
static bool size_variable(const char *name, uint64_t usual, uint64_t low, uint64_t high, uint64_t *out)
{
	const char *text = secure_getenv(name);

	*out = usual;
	if (!text || !*text || (parse_size(text, out) && is_power(*out) && *out >= low && *out <= high))
		return true;
	return ktu_fail("%s=%s: give a power of two from %llu to %llu, such as %llu", name, text, (unsigned long long)low,
			(unsigned long long)high, (unsigned long long)usual);
}

bool ktu_sizes(void)
{
	uint64_t bytes, sub;

	if (!size_variable("KTRACE_SIZE", DEFAULT_BYTES, 2 * KTU_SUBBUF_MIN, KTU_MAX_RING, &bytes))
		return false;
	if (!size_variable("KTRACE_SUBBUF", bytes / 2 < DEFAULT_SUBBUF ? bytes / 2 : DEFAULT_SUBBUF, KTU_SUBBUF_MIN,
			   KTU_SUBBUF_MAX, &sub))
		return false;
	if (sub > bytes / 2)
		return ktu_fail("KTRACE_SUBBUF=%llu: must be at most half of KTRACE_SIZE", (unsigned long long)sub);
	ktu.sub_bytes = sub;
	ktu.nr_subbufs = bytes / sub;
	return true;
}

static bool read_mode(void)
{
	const char *text = secure_getenv("KTRACE_MODE");

	ktu.mode = text && !strcmp(text, "discard") ? KTU_DISCARD : KTU_OVERWRITE;
	if (!text || !*text || !strcmp(text, "discard") || !strcmp(text, "overwrite"))
		return true;
	return ktu_fail("KTRACE_MODE=%s: give overwrite or discard", text);
}

/* The directory is made if it is not there.  Its path must lead there later, too, when the program has moved. */
static bool find_dir(const char *name)
{
	char *path;

	if (mkdir(name, 0700) && errno != EEXIST)
		return ktu_fail("KTRACE_FILE=%s: %s", name, strerror(errno));
	path = realpath(name, NULL);
	if (!path)
		return ktu_fail("KTRACE_FILE=%s: %s", name, strerror(errno));
	snprintf(ktu.dir, sizeof(ktu.dir), "%s", path);
	free(path);
	return true;
}

bool ktu_settings(bool *wanted)
{
	const char *name = secure_getenv("KTRACE_FILE");
	const char *events = secure_getenv("KTRACE_EVENTS");

	*wanted = name && *name;
	if (!*wanted)
		return true;
	/* The program may change its environment. */
	ktu.events = events && *events ? strdup(events) : NULL;
	return ktu_sizes() && read_mode() && find_dir(name);
}

/* Patterns are separated by commas; one that begins with "!" excludes. */
static bool matches(const char *pattern, size_t len, const char *event)
{
	char text[256];

	if (len >= sizeof(text))
		return false;
	memcpy(text, pattern, len);
	text[len] = '\0';
	return fnmatch(text, event, 0) == 0;
}

bool ktu_is_chosen(const char *provider, const char *name)
{
	const char *at = ktu.events;
	bool chosen = !at || *at == '!';
	char event[512];

	snprintf(event, sizeof(event), "%s:%s", provider, name);
	while (at && *at) {
		const bool out = *at == '!';
		const size_t len = strcspn(at += out, ",");

		if (matches(at, len, event))
			chosen = !out;
		at += len + (at[len] == ',');
	}
	return chosen;
}
