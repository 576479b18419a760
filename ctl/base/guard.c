// SPDX-License-Identifier: GPL-2.0-or-later
/* guard.c - see guard.h. */
#include "ctl/base/guard.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/base/put.h"

#define LONGEST	48	/* bytes of a marked sequence */

static const struct {
	const char *before, *parameter, *end;	/* what terminals read */
} sequences[NR_OWN] = {
	[OWN_PLAIN] = { "", "0", "m" },
	[OWN_BOLD] = { "", "1", "m" },
	[OWN_DIM] = { "", "2", "m" },
	[OWN_YELLOW] = { "", "33", "m" },
	[OWN_GREEN] = { "", "32", "m" },
	[OWN_RED] = { "", "31", "m" },
	[OWN_ERASE_LINE] = { "\r", "", "K" },
};

/* The sequences as they come to a guard; empty: no guard has been opened yet. */
static char marked[NR_OWN][LONGEST];

static void put_plain(FILE *out, enum own own)
{
	fprintf(out, "%s\033[%s%s", sequences[own].before, sequences[own].parameter, sequences[own].end);
}

void guard_put_own(FILE *out, enum own own)
{
	if (*marked[own])
		fputs(marked[own], out);
	else
		put_plain(out, own);
}

static void draw_number(void)
{
	uint64_t number[2];

	/* Without random bytes, which only a booting kernel lacks, the address and the time must do. */
	if (getrandom(number, sizeof(number), GRND_NONBLOCK) != sizeof(number)) {
		number[0] = (uintptr_t)&number;
		number[1] = now_ms();
	}
	for (size_t i = 0; i < NR_OWN; i++)
		snprintf(marked[i], LONGEST, "\033[%s;%" PRIu64 "%" PRIu64 "%s", *sequences[i].parameter ? sequences[i].parameter : "0",
			 number[0] >> 12, number[1] >> 12, sequences[i].end);
}

/* -------------------------------------------------------------------- stream */

/* The open guards, the newest first. */
static struct guard {
	FILE *to, *stream;
	char rest[LONGEST];	/* the begin of a sequence or a character whose end has not come yet */
	size_t nr_rest;
	struct guard *next;
} *all;

/* Returns its bytes; 0: the text does not begin with a marked sequence; -1: with a part of one only. */
static ssize_t own_length(const char *text, size_t len, enum own *own)
{
	for (*own = 0; *own < NR_OWN; ++*own) {
		const size_t whole = strlen(marked[*own]);

		if (!memcmp(text, marked[*own], len < whole ? len : whole))
			return len < whole ? -1 : (ssize_t)whole;
	}
	return 0;
}

/* May the text, which is no whole character, become one by more bytes? */
static bool is_part(const char *text, size_t len)
{
	const unsigned char first = *text;
	const size_t whole = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;

	if (first < 0xc2 || first > 0xf4 || len >= whole)
		return false;
	for (size_t i = 1; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* Write one character or sequence.  Returns its bytes; 0: its end has not come yet. */
static size_t put_one(FILE *to, const char *text, size_t len, bool is_last)
{
	enum own own;
	const ssize_t n = *text == '\033' ? own_length(text, len, &own) : 0;

	if (n > 0) {
		put_plain(to, own);
		return n;
	}
	if (!is_last && (n < 0 || (!escape_utf8_length((const uint8_t *)text, len) && is_part(text, len))))
		return 0;
	return escape_put_harmless(to, (const uint8_t *)text, len);
}

/* How many bytes at the begin of a text are plain or ends of lines.  Most output has no others. */
static size_t harmless_length(const char *text, size_t len)
{
	size_t n = 0;

	for (;;) {
		n += escape_plain_length(text + n, len - n);
		if (n == len || text[n] != '\n')
			return n;
		n++;
	}
}

/* Returns how many bytes at the end are left, because their end has not come yet. */
static size_t filter(FILE *to, const char *text, size_t len, bool is_last)
{
	while (len) {
		size_t n = harmless_length(text, len);

		if (n)
			put_bytes(to, text, n);
		else
			n = put_one(to, text, len, is_last);
		if (!n)
			break;
		text += n;
		len -= n;
	}
	return len;
}

static ssize_t take(void *cookie, const char *text, size_t len)
{
	struct guard *guard = cookie;
	size_t done = 0;

	/* Complete what was left, byte by byte. */
	while (guard->nr_rest && done < len) {
		guard->rest[guard->nr_rest++] = text[done++];

		const size_t left = filter(guard->to, guard->rest, guard->nr_rest, false);

		memmove(guard->rest, guard->rest + guard->nr_rest - left, left);
		guard->nr_rest = left;
	}
	if (done < len) {
		guard->nr_rest = filter(guard->to, text + done, len - done, false);
		memcpy(guard->rest, text + len - guard->nr_rest, guard->nr_rest);
	}
	if (!fflush(guard->to) && !ferror(guard->to))
		return len;
	clearerr(guard->to);
	return 0;
}

static int forget(void *cookie)
{
	struct guard *guard = cookie, **at = &all;

	filter(guard->to, guard->rest, guard->nr_rest, true);
	fflush(guard->to);
	while (*at != guard)
		at = &(*at)->next;
	*at = guard->next;
	free(guard);
	return 0;
}

FILE *guard_open(FILE *to)
{
	struct guard *guard = mem_zalloc(1, sizeof(*guard));

	if (!*marked[0])
		draw_number();
	*guard = (struct guard){ .to = to, .next = all };
	guard->stream = fopencookie(guard, "w", (cookie_io_functions_t){ .write = take, .close = forget });
	if (!guard->stream) {
		free(guard);
		return NULL;
	}
	all = guard;
	return guard->stream;
}

int guard_fd(FILE *stream)
{
	for (const struct guard *guard = all; guard; guard = guard->next)
		if (guard->stream == stream)
			return guard_fd(guard->to);
	return fileno(stream);
}

void guard_text(const char *text, FILE *to)
{
	filter(to, text, strlen(text), true);
}
