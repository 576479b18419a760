// SPDX-License-Identifier: GPL-2.0-only
/* load_text.c - load a string word by word, where that is possible.  See load.h. */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "core/text_end.h"
#include "core/ktrace_abi.h"
#include "kmod/base/load.h"

/*
 * Does this word contain the end of the text?  Then add the number of bytes before it to *len.  The first test is true for a 0 and
 * for a byte above 0x80, the second for a 0 and sometimes for bytes behind it.  So the lowest byte that it finds is the 0.
 */
static __always_inline bool text_ends(u64 word, long *len)
{
	const u64 ones = REPEAT_BYTE(0x01), highs = REPEAT_BYTE(0x80);
	u64 zeros = (word - ones) & highs;

	if (likely(!zeros))
		return false;
	zeros &= ~word;
	if (zeros)
		*len += __ffs64(zeros) / 8;
	return zeros;
}

/* Not by memcpy(): in kernels with KASAN that is a function, which must not be called while user memory is accessible. */
struct unaligned_word {
	u64 word;
} __packed;

static __always_inline void put_word(u8 *to, u64 word)
{
	((struct unaligned_word *)to)->word = word;
}

/* Word by word.  The last one may be in the next page, as in load_unaligned_zeropad(): if that is not there, kt_load() is right. */
static noinline enum kt_text_end load_direct_text(u8 *to, u64 addr, u32 size, u32 *len)
{
	const long last = (long)size - sizeof(u64);
	long n;
	u64 v;

	for (n = 0; n <= last && kt_load_direct(&v, addr + n); n += sizeof(v)) {
		put_word(to + n, v);
		if (text_ends(v, &n)) {
			*len = n;
			return KT_TEXT_ENDS;
		}
	}
	*len = n;
	return KT_TEXT_GOES_ON;
}
NOKPROBE_SYMBOL(load_direct_text);

/*
 * Of a program's memory, only while it is there to be read, with interrupts off.  As strncpy_from_user() does, word by word.
 * Generated code may have a function of its own for that.
 */
static enum kt_text_end load_call_text(u8 *to, u64 addr, u32 size, u32 *len)
{
	enum kt_text_end end = KT_TEXT_GOES_ON;
	const long last = (long)size - sizeof(u64);
	long n = 0;
	u64 v;

	pagefault_disable();
	if (user_access_begin((void __user *)addr, size)) {
		for (; n <= last; n += sizeof(v)) {
			unsafe_get_user(v, (u64 __user *)(addr + n), unreadable);
			put_word(to + n, v);
			if (text_ends(v, &n)) {
				end = KT_TEXT_ENDS;
				break;
			}
		}
		user_access_end();
	}
	pagefault_enable();
	*len = n;
	return end;

unreadable:
	user_access_end();
	pagefault_enable();
	*len = n;
	/* Of a word in two pages, the first bytes may be readable.  Where faults are allowed, kt_load() has them. */
	if (!irqs_disabled() || offset_in_page(addr + n) + sizeof(v) > PAGE_SIZE)
		return KT_TEXT_GOES_ON;
	if (!n) {
		to[0] = KT_NO_TEXT;
		*len = 1;
	}
	return KT_TEXT_UNREADABLE;
}
NOKPROBE_SYMBOL(load_call_text);

enum kt_text_end kt_load_text(u8 *to, u64 addr, u32 size, u32 *len)
{
	if (!kt_is_user(addr))
		return load_direct_text(to, addr, size, len);
	if (kt_has_user_memory(addr, size))
		return load_call_text(to, addr, size, len);
	*len = 0;
	return KT_TEXT_GOES_ON;
}
NOKPROBE_SYMBOL(kt_load_text);
