// SPDX-License-Identifier: GPL-2.0-only
/*
 * resize.c - KT_IOC_BUFFER: other rings, while hits go on.
 *
 * All memory is had first.  Then packets that are complete are copied ahead,
 * from where the writers go on.  At last each CPU, with interrupts off, closes its ring, copies
 * the few packets that came meanwhile (or, to a ring that is small, the newest records one by one)
 * and opens it over the new memory: hits
 * run with interrupts off, too, so none is under way there but NMIs nested in this one, which the
 * closed ring refuses and counts.  So when the last CPU has answered, nobody
 * writes to the old memory; kernel readers are kept out by kt_buffer_lock, and
 * mappings hold their pages.
 */
#include <linux/cpu.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "kmod/base/ktrace.h"
#include "kmod/records/buffer_int.h"
#include "kmod/records/desc.h"

/* One CPU's ring on its way. */
struct move {
	struct kt_ring *ring;		/* that in use */
	struct kt_ring to;		/* in the new memory */
	struct kt_ring_ctl ctl;		/* of `to`, until the ring itself goes on there */
	struct kt_ring_area *area;
	u64 first, next;		/* packets copied: from first on, up to next */
	u64 dropped;
};

static u64 bytes_of(const struct kt_ring *ring)
{
	return (u64)ring->nr_subbufs * ring->sub_bytes;
}

/*
 * In a smaller ring, records are written once more: packets do not fit into smaller sub-buffers, and each of few may be
 * nearly empty.  In a large one, that would take too long with interrupts off; choose() leaves its sub-buffers alone.
 */
static bool replays(const struct move *m)
{
	return bytes_of(&m->to) < min(bytes_of(m->ring), 4ULL * KT_SUBBUF_MAX);
}

static DEFINE_MUTEX(change_lock);	/* one change at a time */

#define MAX_ROUNDS	20	/* of copying ahead, if writers are fast */
#define MAX_LAST	8U	/* packets copied with interrupts off */

/*
 * Copy one complete packet.  False: it cannot be had.  The room that it then has is that of
 * the new sub-buffers.
 */
static bool carry(struct move *m, u64 seq)
{
	struct kt_packet *packet = (struct kt_packet *)kt_ring_subbuf(&m->to, seq);
	struct kt_read_info info;

	if (kt_ring_read(m->ring, seq, packet, &info) != KT_READ_OK || !info.complete)
		return false;
	packet->packet_bits = (u64)m->to.sub_bytes * 8;
	return true;
}

/*
 * Packets [from, to), as far as they were not copied yet.  Writers go on meanwhile: one that cannot be had
 * now is tried again the next time; the last time, it and what is older is of no use.
 */
static void carry_all(struct move *m, u64 from, u64 to, bool last)
{
	m->first = max(m->first, from);
	m->next = max(m->next, m->first);
	for (; m->next < to; m->next++) {
		if (carry(m, m->next))
			continue;
		if (!last)
			return;
		m->first = m->next + 1;
	}
}

/* The oldest packet that is worth to be copied when `next` is the one to come. */
static u64 wanted_from(const struct move *m, u64 next)
{
	u64 from = max(kt_ring_oldest(m->ring, next - 1), (u64)READ_ONCE(m->ring->ctl->seen_seq));
	u64 room = m->to.nr_subbufs - 1;	/* one is for the packet to come */

	return next > room ? max(from, next - room) : from;
}

/* The number of the first record in packet seq, where the one to come begins with `count`. */
static u64 first_count(const struct kt_ring *ring, u64 seq, u64 next, u64 count)
{
	return seq == next ? count : ((struct kt_packet *)kt_ring_subbuf(ring, seq))->count;
}

/* The last packets, as they are. */
static void carry_last(struct move *m, u64 next)
{
	u64 from = wanted_from(m, next);

	if (next - max(m->next, from) > MAX_LAST)
		from = next - MAX_LAST;
	carry_all(m, from, next, true);
	kt_ring_open(m->ring, &m->to, m->first);
}

static const struct kt_packet *packet_of(const struct move *m, u64 seq)
{
	return (const struct kt_packet *)kt_ring_subbuf(m->ring, seq);
}

/* Where to begin in the closed ring: what is older would be overwritten by the rest. */
static u64 replay_from(const struct move *m, u64 next)
{
	u64 oldest = max(kt_ring_oldest(m->ring, next - 1), (u64)READ_ONCE(m->ring->ctl->seen_seq));
	u64 bytes = 0, seq = next;

	while (seq > oldest && bytes < bytes_of(&m->to))
		bytes += packet_of(m, --seq)->content_bits / 8;
	return seq;
}

/* The records of a packet.  False: it or one of them cannot be had, *number is that of the next one. */
static bool replay_packet(struct move *m, u64 seq, u64 *number)
{
	const struct kt_packet *packet = packet_of(m, seq);
	const u32 *at = (const u32 *)(packet + 1), *end = (const u32 *)packet + packet->content_bits / 32;
	u64 ts = packet->ts_begin;
	u32 id, words;

	*number = packet->count + packet->records;
	if (*kt_ring_count(m->ring, seq) != kt_ring_count_base(m->ring, seq) + m->ring->sub_bytes)
		return false;
	while (at < end) {
		if (!kt_event_header(&at, end, &id, &ts) || !kt_desc_words(id, &words) || end - at < words ||
		    !kt_ring_replay(&m->to, id, ts, at, words))
			return false;
		at += words;
	}
	m->ctl.discarded = packet->discarded;
	return true;
}

/* The newest records stay, as if the ring always had been so small. */
static void replay(struct move *m, u64 next)
{
	u64 seq = replay_from(m, next), number, end = m->ring->ctl->count;

	m->first = next;
	number = seq == next ? end : packet_of(m, seq)->count;
	kt_ring_replay_begin(&m->to, next, number, seq == next ? kt_clock_read() : packet_of(m, seq)->ts_begin);
	for (; seq < next; seq++) {
		if (replay_packet(m, seq, &number))
			continue;
		/* What is older is of no use: records are numbered without a gap. */
		m->first = m->ctl.seq + 1;
		kt_ring_replay_begin(&m->to, m->first, number, packet_of(m, seq)->ts_end);
	}
	m->first = max(m->first, kt_ring_oldest(&m->to, m->ctl.seq));
	kt_ring_adopt(m->ring, &m->to, m->first);
}

/* On the CPU of that ring with interrupts off, or while it is offline. */
static void move_ring(void *arg)
{
	struct move *m = arg;
	const struct kt_ring_ctl *ctl = m->ring->ctl;
	u64 next = kt_ring_close(m->ring), before, after;

	before = first_count(m->ring, kt_ring_oldest(m->ring, next - 1), next, ctl->count);
	before = max(before, (u64)ctl->seen);
	if (replays(m))
		replay(m, next);
	else
		carry_last(m, next);
	after = first_count(&m->to, m->first, ctl->seq, ctl->count);
	m->dropped = after > before ? after - before : 0;
}

/* Under cpus_read_lock(): none comes or goes. */
static void move_on(unsigned int cpu, struct move *m)
{
	unsigned long flags;

	if (cpu_online(cpu)) {
		smp_call_function_single(cpu, move_ring, m, true);
		return;
	}
	local_irq_save(flags);
	move_ring(m);
	local_irq_restore(flags);
}

static void moves_free(struct move *moves)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		vfree(moves[cpu].area);
	kfree(moves);
}

static void move_prepare(struct move *m, unsigned int cpu, const struct kt_geometry *g)
{
	m->ring = kt_ring_of(cpu);
	kt_ring_attach(&m->to, &m->ctl, kt_area_commit(m->area), kt_area_data(m->area, g),
		       g->sub_bytes, g->nr_subbufs, cpu);
	m->to.discard = m->ring->discard;
	memcpy(m->to.uuid, m->ring->uuid, sizeof(m->to.uuid));
}

/* The memory for all rings, or -ENOMEM: so much is not asked for that others would suffer. */
static int moves_create(const struct kt_geometry *g, struct move **out)
{
	u64 pages = (u64)num_possible_cpus() * (g->area_bytes >> PAGE_SHIFT);
	struct move *moves, *m;
	unsigned int cpu;

	if (pages > si_mem_available())
		return -ENOMEM;
	moves = kcalloc(nr_cpu_ids, sizeof(*moves), GFP_KERNEL);
	if (!moves)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		m = &moves[cpu];
		m->area = kt_area_alloc(g, kt_ring_of(cpu)->ctl->generation + 1);
		if (!m->area) {
			moves_free(moves);
			return -ENOMEM;
		}
		move_prepare(m, cpu, g);
		cond_resched();
	}
	*out = moves;
	return 0;
}

/* The complete packets of one ring, while writers go on.  True: hardly any are left. */
static bool carry_ahead(struct move *m, unsigned int cpu)
{
	u64 newest = kt_buffer_newest(cpu);

	if (!newest || replays(m))
		return true;
	carry_all(m, wanted_from(m, newest), newest, false);
	return kt_buffer_newest(cpu) - m->next <= MAX_LAST / 4;
}

static void carry_rounds(struct move *moves)
{
	unsigned int cpu, round = 0;
	bool done;

	do {
		done = true;
		for_each_possible_cpu(cpu) {
			done &= carry_ahead(&moves[cpu], cpu);
			cond_resched();
		}
	} while (!done && ++round < MAX_ROUNDS && !fatal_signal_pending(current));
}

static u64 move_all(struct move *moves, const struct kt_geometry *g)
{
	struct kt_cpu *here;
	unsigned int cpu;
	u64 dropped = 0;

	kt_desc_hold();
	cpus_read_lock();
	mutex_lock(&kt_buffer_lock);
	for_each_possible_cpu(cpu) {
		here = per_cpu_ptr(&kt_cpus, cpu);
		move_on(cpu, &moves[cpu]);
		swap(here->area, moves[cpu].area);	/* the old one is freed with moves */
		dropped += moves[cpu].dropped;
	}
	kt_geometry = *g;
	mutex_unlock(&kt_buffer_lock);
	cpus_read_unlock();
	kt_desc_release();
	return dropped;
}

/* Sub-buffers as they are rather than smaller ones, so that records can be kept. */
static struct kt_geometry choose(u32 bytes)
{
	u32 usual = kt_subbuf_for(bytes), now = kt_geometry.sub_bytes;

	return kt_geometry_for(bytes, now > usual && bytes / now >= 4 ? now : usual);
}

static int change_size(struct kt_buffer *arg)
{
	u32 bytes = roundup_pow_of_two(arg->bytes);
	const struct kt_geometry g = choose(bytes);
	struct move *moves;
	int err;

	if (bytes == kt_geometry.sub_bytes * kt_geometry.nr_subbufs)
		return 0;
	err = moves_create(&g, &moves);
	if (err)
		return err;
	carry_rounds(moves);
	arg->dropped = move_all(moves, &g);
	moves_free(moves);
	return 0;
}

/* Whether there is room is asked at the end of each packet: it counts from the next one on. */
static void change_mode(enum kt_mode mode)
{
	unsigned int cpu;

	mutex_lock(&kt_buffer_lock);
	for_each_possible_cpu(cpu)
		WRITE_ONCE(kt_ring_of(cpu)->discard, mode == KT_MODE_DISCARD);
	kt_mode = mode;
	mutex_unlock(&kt_buffer_lock);
}

static void tell(struct kt_buffer *arg)
{
	struct kt_hello hello = { 0 };

	kt_buffer_describe(&hello);
	arg->mode = hello.features & KT_FEATURE_OVERWRITE ? KT_MODE_OVERWRITE : KT_MODE_DISCARD;
	arg->subbuf_bytes = hello.subbuf_bytes;
	arg->nr_subbufs = hello.nr_subbufs;
	arg->bytes = (u64)hello.subbuf_bytes * hello.nr_subbufs;
	arg->off_data = hello.off_data;
	arg->ring_bytes = hello.ring_bytes;
}

static int valid(const struct kt_buffer *arg)
{
	if (arg->flags & ~(KT_BUFFER_SIZE | KT_BUFFER_MODE))
		return -EOPNOTSUPP;
	if (arg->flags & KT_BUFFER_SIZE &&
	    (arg->bytes < KT_BUFFER_MIN || arg->bytes > KT_BUFFER_MAX))
		return -EINVAL;
	return arg->flags & KT_BUFFER_MODE && arg->mode >= KT_NR_MODES ? -EINVAL : 0;
}

int kt_buffer_change(struct kt_buffer *arg)
{
	int err = valid(arg);

	if (err)
		return err;
	arg->dropped = 0;
	if (arg->flags) {
		if (mutex_lock_interruptible(&change_lock))
			return -EINTR;
		if (arg->flags & KT_BUFFER_SIZE)
			err = change_size(arg);
		if (!err && arg->flags & KT_BUFFER_MODE)
			change_mode(arg->mode);
		mutex_unlock(&change_lock);
	}
	tell(arg);
	return err;
}
