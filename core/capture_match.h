/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* capture_match.h - a part of the interpreter of capture programs: patterns.  Only capture_run.c includes it. */
#ifndef KTRACE_CAPTURE_MATCH_H
#define KTRACE_CAPTURE_MATCH_H

#include "core/capture.h"

/* How many KT_OP_PATTERN follow a KT_OP_MATCH. */
static __always_inline u32 pattern_words(const struct kt_insn *in)
{
	return in->aux & ~(KT_MATCH_ENDS | KT_AUX_USER);
}

struct pattern {
	const struct kt_insn *in;	/* its KT_OP_PATTERN */
	u32 words;
};

/* Byte n of a pattern; 0: it has ended. */
static __always_inline u8 pattern_byte(const struct pattern *p, u32 n)
{
	return n / 4 < p->words ? (u32)p->in[n / 4].imm >> 8 * (n % 4) : 0;
}

/* Does the byte match the part of the pattern at *n, which is no star?  *n moves behind that part. */
static bool pattern_takes(const struct pattern *p, u32 *n, u8 byte)
{
	u8 c = pattern_byte(p, (*n)++);

	if (c == '?')
		return true;
	if (c == '\\' && pattern_byte(p, *n))
		c = pattern_byte(p, (*n)++);
	return c == byte;
}
NOKPROBE_SYMBOL(pattern_takes);

/*
 * Does the whole text, which has no 0, match?  Where it does not, only the last star takes one byte more: at most
 * len * KT_MAX_PATTERN comparisons.
 */
static bool matches(const struct kt_insn *in, u32 words, const u8 *text, u32 len)
{
	const struct pattern p = { in, words };
	u32 at = 0, n = 0, star = 0, from = 0;

	while (at < len) {
		if (pattern_byte(&p, n) == '*') {
			star = ++n;
			from = at;
		} else if (pattern_takes(&p, &n, text[at])) {
			at++;
		} else if (star) {
			n = star;
			at = ++from;
		} else {
			return false;
		}
	}
	while (pattern_byte(&p, n) == '*')
		n++;
	return !pattern_byte(&p, n);
}
NOKPROBE_SYMBOL(matches);

#endif
