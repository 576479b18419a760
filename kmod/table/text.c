// SPDX-License-Identifier: GPL-2.0-only
/* text.c - read the kernel's text while it runs.  See text.h. */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/base/ksym.h"
#include "kmod/base/site.h"
#include "kmod/compat/compat.h"
#include "kmod/table/jump.h"
#include "kmod/table/table.h"
#include "kmod/table/text.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"

/* ------------------------------------------------------------- original bytes */

static size_t read_live(unsigned long addr, u8 *to, size_t n)
{
	size_t got = 0, part;

	for (; got < n; got += part) {
		part = min(n - got, (size_t)(PAGE_SIZE - offset_in_page(addr + got)));
		if (copy_from_kernel_nofault(to + got, (void *)(addr + got), part))
			break;
	}
	return got;
}

/* In the n bytes that were read at addr, write the original bytes was[len] of `at`, as far as they overlap. */
static void put_back(unsigned long addr, u8 *to, size_t n, unsigned long at, const u8 *was, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (at + i >= addr && at + i < addr + n)
			to[at + i - addr] = was[i];
}

static void unpatch(const struct kt_site *site, unsigned long addr, u8 *to, size_t n)
{
	if (site->lifted)
		return;
	if (site->state == KT_SITE_JUMP || site->state == KT_SITE_BROKEN)
		put_back(addr, to, n, site->addr, site->displaced, site->displaced_len);
	else if (site->state != KT_SITE_OFF)
		put_back(addr, to, n, site->addr, site->insn, site->insn_len);
}

/* Take out ktrace's patches.  A jump may begin before addr. */
static void unpatch_all(unsigned long addr, u8 *to, size_t n)
{
	const struct kt_site *site = kt_jump_count() ? kt_jump_covering(addr) : NULL;
	size_t i;

	if (site)
		unpatch(site, addr, to, n);
	for (i = kt_arch.next_patch(to, 0, n, addr); i < n; i = kt_arch.next_patch(to, i + 1, n, addr)) {
		site = kt_site_find(addr + i);
		if (site)
			unpatch(site, addr, to, n);
	}
}

size_t kt_text_live(unsigned long addr, u8 *to, size_t n)
{
	size_t got = read_live(addr, to, n);

	lockdep_assert_held(&kt_table_lock);
	unpatch_all(addr, to, got);
	return got;
}

/* Take out kprobes of others.  An optimised kprobe may begin before addr. */
static void unprobe_all(unsigned long addr, u8 *to, size_t n)
{
	unsigned long at;
	u8 was[KT_MAX_INSN];
	size_t i;

	for (at = addr - (kt_arch.probe_bytes - 1); at < addr; at++)
		put_back(addr, to, n, at, was, kt_arch.unprobe(at, was));
	for (i = kt_arch.next_patch(to, 0, n, addr); i < n; i = kt_arch.next_patch(to, i + 1, n, addr))
		put_back(addr, to, n, addr + i, was, kt_arch.unprobe(addr + i, was));
}

/* A kprobe may sit on a jump of ktrace, but never the other way round: take out the kprobe first. */
static size_t read_original(unsigned long addr, u8 *to, size_t n)
{
	size_t got = read_live(addr, to, n);

	lockdep_assert_held(&kt_table_lock);
	lockdep_assert_held(kt_text_mutex());
	unprobe_all(addr, to, got);
	unpatch_all(addr, to, got);
	return got;
}

/* ------------------------------------------------------------- a piece at a time */

/* Bytes to read in one hold of the text lock. */
#define PIECE	4096
/* An instruction may lie in two pieces, so the second piece is read with so many bytes of the first one. */
#define JOINT	KT_MAX_INSN

struct piece {
	unsigned long *patched;		/* a bitmap: bytes after the joint that the kernel itself patches; NULL: not asked for */
	u8 bytes[];			/* the joint, and a piece */
};

/*
 * Memory to read a text of n bytes.  Do not always take a whole piece, or the bitmap: most functions are short, and the kernel
 * clears memory.
 */
static struct piece *piece_alloc(size_t n, bool sum)
{
	struct piece *p;
	const size_t size = ALIGN(struct_size(p, bytes, JOINT + min_t(size_t, n, PIECE)), sizeof(*p->patched));

	p = kmalloc(size + (sum ? BITS_TO_LONGS(PIECE) * sizeof(*p->patched) : 0), GFP_KERNEL);
	if (p)
		p->patched = sum ? (void *)p + size : NULL;
	return p;
}

/* ftrace can only say whether a range contains one of its call sites: halve the range down to one byte. */
static void mark_ftrace(struct piece *p, unsigned long addr, size_t from, size_t n)
{
	if (!kt_ftrace_text_reserved((void *)(addr + from), (void *)(addr + from + n - 1)))
		return;
	if (n == 1) {
		__set_bit(from, p->patched);
		return;
	}
	mark_ftrace(p, addr, from, n / 2);
	mark_ftrace(p, addr, from + n / 2, n - n / 2);
}

/*
 * Read n bytes at addr, and `joint` bytes before them.  sum: also find the bytes that the kernel patches.  Returns how
 * many of the n bytes were readable.
 */
static size_t read_piece(struct piece *p, unsigned long addr, size_t joint, size_t n, bool sum)
{
	size_t got;

	kt_text_lock();
	got = read_original(addr - joint, p->bytes, joint + n);
	if (sum) {
		bitmap_zero(p->patched, n);
		kt_arch.mark_patched(addr, n, p->patched);
		if (kt_have(ftrace_text_reserved))
			mark_ftrace(p, addr, 0, n);
	}
	kt_text_unlock();
	return got > joint ? got - joint : 0;
}

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
#define SUM_START	0xcbf29ce484222325ULL
#define SUM_PRIME	0x100000001b3ULL

static u64 sum_piece(const struct piece *p, size_t joint, size_t n, u64 sum)
{
	size_t i;

	for (i = 0; i < n; i++)
		sum = (sum ^ (test_bit(i, p->patched) ? 0 : p->bytes[joint + i])) * SUM_PRIME;
	return sum;
}

/* -EAGAIN: an instruction that lies in two pieces changed between them. */
static ssize_t read_pieces(struct piece *p, unsigned long addr, u8 *to, size_t n, u64 *sum)
{
	size_t done, joint, want, got;

	for (done = 0; done < n; done += got) {
		joint = min_t(size_t, done, JOINT);
		want = min_t(size_t, n - done, PIECE);
		mutex_lock(&kt_table_lock);
		got = read_piece(p, addr + done, joint, want, sum);
		mutex_unlock(&kt_table_lock);
		if (got && memcmp(p->bytes, to + done - joint, joint))
			return -EAGAIN;
		if (!got)
			break;
		memcpy(to + done, p->bytes + joint, got);
		if (sum)
			*sum = sum_piece(p, joint, got, *sum);
		cond_resched();
	}
	return done;
}

/* Give up after so many tries: the text between two pieces does not change that often. */
#define MOST_TRIES	64

static ssize_t text_read(unsigned long addr, u8 *to, size_t n, u64 *sum)
{
	struct piece *p = piece_alloc(n, sum);
	unsigned int tries = 0;
	ssize_t got = -EAGAIN;

	if (!p)
		return -ENOMEM;
	while (got == -EAGAIN && tries++ < MOST_TRIES && !fatal_signal_pending(current)) {
		if (sum)
			*sum = SUM_START;
		got = read_pieces(p, addr, to, n, sum);
	}
	kfree(p);
	return got == -EAGAIN && fatal_signal_pending(current) ? -EINTR : got;
}

/* ---------------------------------------------------------------------- ioctls */

/* How many of the n bytes are text.  Data may follow the last text page; a reader would take it for instructions. */
static size_t text_bytes(unsigned long addr, size_t n)
{
	unsigned long at = addr, end = addr + n;

	while (at < end && kt_is_text(at))
		at = (at & PAGE_MASK) + PAGE_SIZE;
	return min(at, end) - addr;
}

static int text_valid(const struct kt_text *arg)
{
	if (arg->flags & ~KT_TEXT_SUM)
		return -EOPNOTSUPP;
	if (!arg->len || arg->len > KT_MAX_TEXT || arg->reserved || arg->addr < TASK_SIZE_MAX ||
	    arg->addr + arg->len < arg->addr)
		return -EINVAL;
	return kt_is_text(arg->addr) ? 0 : -EACCES;
}

int kt_text_get(struct kt_text *arg)
{
	int err = text_valid(arg);
	ssize_t got;
	u8 *buf;

	if (err)
		return err;
	buf = kvmalloc(arg->len, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	arg->sum = 0;
	got = text_read(arg->addr, buf, text_bytes(arg->addr, arg->len), arg->flags & KT_TEXT_SUM ? &arg->sum : NULL);
	if (got < 0)
		err = got;
	else if (copy_to_user(u64_to_user_ptr(arg->buf), buf, got))
		err = -EFAULT;
	arg->len = err ? 0 : got;
	kvfree(buf);
	return err;
}

static bool scan_valid(const struct kt_scan *scan)
{
	return scan->len && scan->len <= KT_MAX_TEXT && !scan->reserved && scan->addr >= TASK_SIZE_MAX &&
	       scan->addr + scan->len >= scan->addr;
}

int kt_text_scans_copy(const struct kt_trace *arg, struct kt_scan **scans)
{
	struct kt_scan *copy;
	u32 i;

	*scans = NULL;
	if (arg->nr_scans > KT_MAX_SCANS || arg->reserved)
		return -EINVAL;
	if (!arg->nr_scans)
		return 0;
	copy = vmemdup_user(u64_to_user_ptr(arg->scans), array_size(arg->nr_scans, sizeof(*copy)));
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	for (i = 0; i < arg->nr_scans; i++) {
		if (scan_valid(&copy[i]))
			continue;
		kvfree(copy);
		return -EINVAL;
	}
	*scans = copy;
	return 0;
}

static bool scan_holds(struct piece *p, const struct kt_scan *scan)
{
	u64 sum = SUM_START;
	size_t done, want, got;

	if (!kt_is_text(scan->addr))
		return false;
	for (done = 0; done < scan->len; done += want) {
		want = min_t(size_t, scan->len - done, PIECE);
		mutex_lock(&kt_table_lock);
		got = read_piece(p, scan->addr + done, 0, want, true);
		mutex_unlock(&kt_table_lock);
		if (got < want)
			return false;
		sum = sum_piece(p, 0, want, sum);
		cond_resched();
	}
	return sum == scan->sum;
}

enum kt_refusal kt_text_scans_check(const struct kt_scan *scans, u32 nr)
{
	enum kt_refusal refusal = KT_REFUSE_NONE;
	struct piece *p;
	u32 i;

	lockdep_assert_held(&kt_change_lock);
	if (!nr)
		return KT_REFUSE_NONE;
	p = piece_alloc(PIECE, true);
	if (!p)
		return KT_REFUSE_NOMEM;
	for (i = 0; i < nr && !refusal; i++) {
		if (fatal_signal_pending(current))
			refusal = KT_REFUSE_INTERRUPTED;
		else if (!scan_holds(p, &scans[i]))
			refusal = KT_REFUSE_CHANGED;
	}
	kfree(p);
	return refusal;
}
