/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* capture_text.h - a part of the interpreter of capture programs: strings.  Only capture_run.c includes it. */
#ifndef KTRACE_CAPTURE_TEXT_H
#define KTRACE_CAPTURE_TEXT_H

#include "core/env.h"

/* The bytes before the first 0; size: there is none. */
static u32 text_length(const u8 *text, u32 size)
{
	const u64 ones = ~0ULL / 255;
	u32 n;
	u64 v;

	for (n = 0; n + 8 <= size; n += 8) {
		memcpy(&v, text + n, 8);
		if ((v - ones) & ~v & (ones << 7))
			break;
	}
	while (n < size && text[n])
		n++;
	return n;
}
NOKPROBE_SYMBOL(text_length);

/*
 * How many bytes of a string to load at once.  They are behind each other in one aligned block, so that no page is touched
 * behind the string's last byte.
 */
static u32 text_part(u64 addr, u32 size)
{
	const u32 block = kt_load_block(addr), part = block - addr % block;

	if (block > 8)
		return part < size ? part : size;
	return part < block || size < block ? 1 : block;
}
NOKPROBE_SYMBOL(text_part);

/* *len: bytes before the string's end.  False: some byte is unreadable; *len is the bytes before it. */
static bool load_string(u8 *to, u64 addr, u32 size, u32 *len)
{
	const enum kt_text_end end = kt_load_text(to, addr, size, len);
	u32 part, n;

	if (end != KT_TEXT_GOES_ON)
		return end == KT_TEXT_ENDS;
	for (; *len < size; *len += n) {
		part = text_part(addr + *len, size - *len);
		if (!kt_load(to + *len, addr + *len, part))
			return false;
		n = text_length(to + *len, part);
		if (n < part) {
			*len += n;
			return true;
		}
	}
	return true;
}
NOKPROBE_SYMBOL(load_string);

/* Emit the readable part of the string, and 0 behind it. */
static bool emit_string(u8 *to, u64 addr, u32 size, bool bad)
{
	u32 len = 0;

	if (likely(!bad && load_string(to, addr, size, &len))) {
		memset(to + len, 0, size - len);
		return true;
	}
	memset(to + len, 0, size - len);
	if (!len)
		*to = KT_NO_TEXT;
	return false;
}
NOKPROBE_SYMBOL(emit_string);

/* Emit the readable part of the first `length` bytes, and 0 behind it. */
static kt_noinline bool emit_part(u8 *to, u64 addr, u64 length, u32 size, bool bad)
{
	const u32 all = length < size ? length : size;
	u32 len = 0, part;

	for (; !bad && len < all; len += bad ? 0 : part) {
		part = text_part(addr + len, all - len);
		bad = !kt_load(to + len, addr + len, part);
	}
	memset(to + len, 0, size - len);
	if (bad && !len)
		*to = KT_NO_TEXT;
	return !bad;
}
NOKPROBE_SYMBOL(emit_part);

/* Emit the readable part of the string, and its 0.  *to moves behind them; false: a byte is unreadable. */
static kt_noinline bool emit_text(kt_item **to, u64 addr, u32 size, bool bad)
{
	u8 *const at = (u8 *)*to;
	u32 len = 0;

	if (likely(!bad && load_string(at, addr, size - 1, &len))) {
		at[len++] = 0;
		*to = (kt_item *)(at + len);
		return true;
	}
	if (!len)
		at[len++] = KT_NO_TEXT;
	at[len++] = 0;
	*to = (kt_item *)(at + len);
	return false;
}
NOKPROBE_SYMBOL(emit_text);

#endif
