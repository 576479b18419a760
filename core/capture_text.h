/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* capture_text.h - a part of the interpreter of capture programs: strings and bytes.  Only capture_run.c includes it. */
#ifndef KTRACE_CAPTURE_TEXT_H
#define KTRACE_CAPTURE_TEXT_H

#include "core/capture_run.h"

/* May this program read at addr?  A confined one may read only memory of the traced program.  aux: of the instruction. */
static __always_inline bool may_read(u8 aux, u64 addr)
{
	return !(aux & KT_AUX_USER) || kt_is_user(addr);
}

static __always_inline kt_item *behind(kt_item *out, u32 bytes)
{
	return (kt_item *)((u8 *)out + bytes);
}

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

static kt_noinline bool emit_bytes(kt_item *to, u64 addr, u32 size, bool bad)
{
	u32 at, part;

	for (at = 0; !bad && at < size; at += part) {
		part = size - at >= 8 ? 8 : size - at >= 4 ? 4 : 2;
		bad = !kt_load((u8 *)to + at, addr + at, part);
	}
	if (bad)
		memset(to, 0, size);
	return !bad;
}
NOKPROBE_SYMBOL(emit_bytes);

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

/* A text or bytes that could not be read.  `known`: the address is not the reason. */
static kt_noinline void mark_unread(const struct kt_insn *in, u64 addr, u64 length, bool known, kt_item *faults)
{
	if (faults)
		*faults |= 1U << in->dst;
	if (known)
		kt_read_failed(in, addr, length);
}
NOKPROBE_SYMBOL(mark_unread);

/* KT_OP_EMITPART. */
static kt_noinline kt_item *emit_measured(const struct kt_insn *in, const u64 *r, u32 bad, kt_item *out, kt_item *faults)
{
	const u64 addr = r[in->src], length = r[in->aux & ~KT_AUX_USER];

	bad = (bad >> in->src | bad >> (in->aux & ~KT_AUX_USER)) & 1;
	if (!emit_part((u8 *)out, addr, length, in->imm, bad || (length && !may_read(in->aux, addr))))
		mark_unread(in, addr, length, !bad, faults);
	return out + in->imm / 4;
}
NOKPROBE_SYMBOL(emit_measured);

u32 kt_capture_again(const struct kt_insn *in, u64 addr, u64 length, void *out)
{
	kt_item *end = behind(out, in->imm);
	bool good;

	switch (in->op) {
	case KT_OP_EMITSTR:
		good = emit_string(out, addr, in->imm, false);
		break;
	case KT_OP_EMITBYTES:
		good = emit_bytes(out, addr, in->imm, false);
		break;
	case KT_OP_EMITPART:
		good = emit_part(out, addr, length, in->imm, false);
		break;
	default: /* KT_OP_EMITTEXT */
		end = out;
		good = emit_text(&end, addr, in->imm, false);
		break;
	}
	return good ? (u8 *)end - (u8 *)out : 0;
}

#endif
