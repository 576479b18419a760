/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strangers.h - what no output may have, and names that try. */
#ifndef KTRACE_STRANGERS_H
#define KTRACE_STRANGERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes per RFC 3629, 0: none; independent of the code under test. */
static inline size_t strangers_utf8(const uint8_t *at, size_t len)
{
	const size_t n = *at < 0x80 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : *at >= 0xe0 && *at < 0xf0 ? 3 :
			 *at >= 0xf0 && *at < 0xf5 ? 4 : 0;

	if (!n || n > len)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (at[i] < 0x80 || at[i] > 0xbf)
			return 0;
	if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) || (*at == 0xf0 && at[1] < 0x90) ||
	    (*at == 0xf4 && at[1] > 0x8f))
		return 0;
	return n;
}

/* Returns where there is a control character but \n and \t, an override of direction, or no UTF-8; NULL: nowhere. */
static inline const char *strangers_find(const char *text, size_t len)
{
	size_t n;

	for (const uint8_t *at = (const uint8_t *)text; len; at += n, len -= n) {
		n = strangers_utf8(at, len);
		if (!n || (n == 1 && ((*at < 0x20 && *at != '\n' && *at != '\t') || *at == 0x7f)))
			return (const char *)at;
		if (n == 2 && *at == 0xc2 && at[1] < 0xa0)
			return (const char *)at;
		if (n == 3 && ((!memcmp(at, "\342\200", 2) && at[2] >= 0xaa && at[2] <= 0xae) ||
			       (!memcmp(at, "\342\201", 2) && at[2] >= 0xa6 && at[2] <= 0xa9)))
			return (const char *)at;
	}
	return NULL;
}

/* For unit tests: */
#ifdef fail_msg

static inline void strangers_check(const char *text, size_t len)
{
	const char *bad = strangers_find(text, len);

	if (bad)
		fail_msg("byte %zu is 0x%02x: %.200s", (size_t)(bad - text), (unsigned char)*bad, text);
}

/* No blanks: some of them are words of a script.  At most 15 bytes, as names of tasks. */
static const char *const strangers_names[] = {
	"\033[31mred", "\033]0;title\a", "\302\2332J", "\302\205\302\220q", "\342\200\256gpj.exe", "\342\201\246a\342\201\251",
	"\377\376x", "\300\233x", "\355\240\200", "x\342\202", "\r\b\b\bxx", "\177del", "=1+1", "+cmd|x", "@SUM(A1)",
	"-2+3|calc", "'quoted'", "a\"b,c", "<b>bold", "</title><b>", "<script>x", "a\\x1b", "\303\244\303\266", "%s%n%99999d",
};

#define STRANGERS	(sizeof(strangers_names) / sizeof(*strangers_names))

/* None of the tags above is one. */
static inline void strangers_check_html(const char *text, size_t len)
{
	strangers_check(text, len);
	assert_null(strstr(text, "<b>"));
	assert_null(strstr(text, "<script>x"));
}

/* No cell is a formula: words of ktrace may begin with a minus. */
static inline void strangers_check_csv(const char *text, size_t len)
{
	bool quoted = false, begins = true;
	char *end;

	strangers_check(text, len);
	for (; *text; text++) {
		if (begins && *text == '"' && !quoted) {
			quoted = true;
			continue;
		}
		if (begins && strchr("=+@", *text))
			fail_msg("a formula: %.40s", text);
		if (begins && *text == '-' && text[1] != 'E' && (strtod(text, &end), !strchr(",\"\n", *end)))
			fail_msg("a formula: %.40s", text);
		begins = false;
		if (*text == '"')
			quoted = !quoted;
		if (!quoted && strchr(",\n", *text))
			begins = true;
	}
	assert_false(quoted);
}

#endif

#endif
