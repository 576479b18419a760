// SPDX-License-Identifier: GPL-2.0-only
/*
 * resize.c - KT_IOC_BUFFER: change the size or mode of the rings while hits go on.
 *
 * A change of size has three steps:
 * 1. Allocate all memory.
 * 2. Copy complete packets to the new memory, while writers continue in the old one.
 * 3. On each CPU, with interrupts off: close the ring, copy the few packets that are new since step 2, and open the
 *    ring over the new memory.  A ring that becomes small gets the newest records one by one instead of packets.
 *
 * Hits run with interrupts off, too, so only an NMI can hit during step 3; the closed ring refuses and counts it.  When
 * the last CPU is done, no writer uses the old memory.  The lock of the rings keeps kernel readers out, and user
 * mappings hold references to their pages.
 *
 * The size of wide rings cannot be changed: replay_packet() knows only narrow events.
 */
#include <linux/cpu.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/memory.h"
#include "kmod/records/buffer_int.h"
#include "kmod/records/desc.h"

/* The move of one CPU's ring to new memory. */
struct move {
	struct kt_ring *ring;		/* the ring in use */
	struct kt_ring to;		/* describes the new memory */
	struct kt_ring_ctl ctl;		/* of `to`, until the ring moves there */
	struct kt_ring_area *area;	/* the new memory, later the old memory; moves_free() frees it */
	u64 first, next;		/* the copied packets: [first, next) */
	u64 dropped;			/* unseen records that the move lost */
};

static u64 bytes_of(const struct kt_ring *ring)
{
	return (u64)ring->nr_subbufs * ring->sub_bytes;
}

/*
 * Does the move write record by record?  It does so for a small ring that shrinks: packets do not fit into smaller
 * sub-buffers, and a few nearly empty packets would fill the ring.  For a large ring that would take too long with
 * interrupts off, so choose() keeps its sub-buffer size and the move copies packets.
 */
static bool replays(const struct move *m)
{
	return bytes_of(&m->to) < min(bytes_of(m->ring), 4ULL * KT_SUBBUF_MAX);
}

#define MAX_ROUNDS	20	/* of step 2: fast writers may stay ahead of it */
#define MAX_LAST	8U	/* packets that step 3 copies with interrupts off */

/* Copy one complete packet.  False: it is incomplete, busy or overwritten.  The copy has the new packet size. */
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
 * Copy the packets [from, to) that are not copied yet, while writers continue.  Stop at a packet that cannot be copied;
 * the next call tries it again.  The last call skips it, and gives up all older packets as well: the copies must have
 * no gap.
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

/* The oldest packet that is worth copying: unseen, and not overwritten before packet `next` begins. */
static u64 wanted_from(const struct move *m, u64 next)
{
	u64 from = max(kt_ring_oldest(m->ring, next - 1), (u64)READ_ONCE(m->ring->ctl->seen_seq));
	u64 room = m->to.nr_subbufs - 1;	/* one sub-buffer is for packet `next` */

	return next > room ? max(from, next - room) : from;
}

/* The number of the first record in packet seq.  Packet `next`, which has not begun, begins with record `count`. */
static u64 first_count(const struct kt_ring *ring, u64 seq, u64 next, u64 count)
{
	return seq == next ? count : ((struct kt_packet *)kt_ring_subbuf(ring, seq))->count;
}

/* Step 3 for a ring that copies packets. */
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

/* The packet of the closed ring to begin with.  Later records would overwrite all older packets in the new ring. */
static u64 replay_from(const struct move *m, u64 next)
{
	u64 oldest = max(kt_ring_oldest(m->ring, next - 1), (u64)READ_ONCE(m->ring->ctl->seen_seq));
	u64 bytes = 0, seq = next;

	while (seq > oldest && bytes < bytes_of(&m->to))
		bytes += packet_of(m, --seq)->content_bits / 8;
	return seq;
}

/*
 * Write the records of a packet to the new ring.  False: the packet, or one of its records, is unusable.  *number is
 * the number of the first record after the packet.
 */
static bool replay_packet(struct move *m, u64 seq, u64 *number)
{
	const struct kt_packet *packet = packet_of(m, seq);
	const void *at = packet + 1, *end = (const u8 *)packet + packet->content_bits / 8;
	u64 ts = packet->ts_begin;
	u32 id, words;

	*number = packet->count + packet->records;
	if (*kt_ring_count(m->ring, seq) != kt_ring_count_base(m->ring, seq) + m->ring->sub_bytes)
		return false;
	while (at < end) {
		if (!kt_event_header(false, &at, end, &id, &ts) || !kt_desc_units(id, &words) ||
		    end - at < words * 4 || !kt_ring_replay(&m->to, id, ts, at, words))
			return false;
		at += words * 4;
	}
	m->ctl.discarded = packet->discarded;
	return true;
}

/* Step 3 for a ring that writes record by record: keep the newest records, as if the ring had always been so small. */
static void replay(struct move *m, u64 next)
{
	u64 seq = replay_from(m, next), number, end = m->ring->ctl->count;

	m->first = next;
	number = seq == next ? end : packet_of(m, seq)->count;
	kt_ring_replay_begin(&m->to, next, number, seq == next ? kt_clock_read() : packet_of(m, seq)->ts_begin);
	for (; seq < next; seq++) {
		if (replay_packet(m, seq, &number))
			continue;
		/* Give up all older records: record numbers must have no gap. */
		m->first = m->ctl.seq + 1;
		kt_ring_replay_begin(&m->to, m->first, number, packet_of(m, seq)->ts_end);
	}
	m->first = max(m->first, kt_ring_oldest(&m->to, m->ctl.seq));
	kt_ring_adopt(m->ring, &m->to, m->first);
}

/* Step 3.  On the CPU of the ring, or on any CPU while that one is offline; interrupts off. */
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

/* Under cpus_read_lock(), so no CPU goes online or offline. */
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

static void move_prepare(struct move *m, const struct kt_rings *rings, unsigned int cpu, const struct kt_geometry *g)
{
	m->ring = kt_ring_of(rings, cpu);
	kt_ring_attach(&m->to, &m->ctl, kt_area_commit(m->area), kt_area_data(m->area, g),
		       g->sub_bytes, g->nr_subbufs, cpu, rings->wide);
	m->to.discard = m->ring->discard;
	memcpy(m->to.uuid, m->ring->uuid, sizeof(m->to.uuid));
}

/* Step 1.  -ENOMEM also if others would not have enough memory. */
static int moves_create(const struct kt_rings *rings, const struct kt_geometry *g, struct move **out)
{
	const u64 old = rings->geometry.area_bytes, cpus = num_possible_cpus();
	struct move *moves, *m;
	unsigned int cpu;

	if (!kt_memory_enough(cpus * g->area_bytes, cpus * old))
		return -ENOMEM;
	moves = kcalloc(nr_cpu_ids, sizeof(*moves), GFP_KERNEL);
	if (!moves)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		m = &moves[cpu];
		m->area = kt_area_alloc(g, kt_ring_of(rings, cpu)->ctl->generation + 1, old);
		if (!m->area) {
			moves_free(moves);
			return -ENOMEM;
		}
		move_prepare(m, rings, cpu, g);
		cond_resched();
	}
	*out = moves;
	return 0;
}

/* Step 2 for one ring.  True: at most a few packets are left for step 3. */
static bool carry_ahead(const struct kt_rings *rings, struct move *m, unsigned int cpu)
{
	u64 newest = kt_buffer_newest(rings, cpu);

	if (!newest || replays(m))
		return true;
	carry_all(m, wanted_from(m, newest), newest, false);
	return kt_buffer_newest(rings, cpu) - m->next <= MAX_LAST / 4;
}

static void carry_rounds(const struct kt_rings *rings, struct move *moves)
{
	unsigned int cpu, round = 0;
	bool done;

	do {
		done = true;
		for_each_possible_cpu(cpu) {
			done &= carry_ahead(rings, &moves[cpu], cpu);
			cond_resched();
		}
	} while (!done && ++round < MAX_ROUNDS && !fatal_signal_pending(current));
}

static u64 move_all(struct kt_rings *rings, struct move *moves, const struct kt_geometry *g)
{
	struct kt_ring_cpu *here;
	unsigned int cpu;
	u64 dropped = 0;

	kt_desc_hold();
	cpus_read_lock();
	mutex_lock(&rings->lock);
	for_each_possible_cpu(cpu) {
		here = per_cpu_ptr(rings->cpu, cpu);
		move_on(cpu, &moves[cpu]);
		swap(here->area, moves[cpu].area);	/* the old one is freed with moves */
		dropped += moves[cpu].dropped;
	}
	rings->geometry = *g;
	mutex_unlock(&rings->lock);
	cpus_read_unlock();
	kt_desc_release(rings);
	return dropped;
}

/* Keep the current sub-buffer size rather than choose a smaller one, so that packets can be copied. */
static struct kt_geometry choose(const struct kt_rings *rings, u32 bytes)
{
	u32 usual = kt_subbuf_for(bytes, rings->wide), now = rings->geometry.sub_bytes;

	return kt_geometry_for(bytes, now > usual && bytes / now >= 4 ? now : usual);
}

static int change_size(struct kt_rings *rings, struct kt_buffer *arg)
{
	u32 bytes = roundup_pow_of_two(arg->bytes);
	const struct kt_geometry g = choose(rings, bytes);
	struct move *moves;
	int err;

	if (bytes == rings->geometry.sub_bytes * rings->geometry.nr_subbufs)
		return 0;
	err = moves_create(rings, &g, &moves);
	if (err)
		return err;
	carry_rounds(rings, moves);
	arg->dropped = move_all(rings, moves, &g);
	moves_free(moves);
	return 0;
}

/* The writer reads the mode at the end of a packet, so the change takes effect with the next packet. */
static void change_mode(struct kt_rings *rings, enum kt_mode mode)
{
	unsigned int cpu;

	mutex_lock(&rings->lock);
	for_each_possible_cpu(cpu)
		WRITE_ONCE(kt_ring_of(rings, cpu)->discard, mode == KT_MODE_DISCARD);
	rings->mode = mode;
	mutex_unlock(&rings->lock);
}

static void tell(struct kt_rings *rings, struct kt_buffer *arg)
{
	struct kt_hello hello = { 0 };

	kt_buffer_describe(rings, &hello);
	arg->mode = hello.features & KT_FEATURE_OVERWRITE ? KT_MODE_OVERWRITE : KT_MODE_DISCARD;
	arg->subbuf_bytes = hello.subbuf_bytes;
	arg->nr_subbufs = hello.nr_subbufs;
	arg->bytes = (u64)hello.subbuf_bytes * hello.nr_subbufs;
	arg->off_data = hello.off_data;
	arg->ring_bytes = hello.ring_bytes;
}

static int valid(const struct kt_rings *rings, const struct kt_buffer *arg)
{
	if (arg->flags & ~(KT_BUFFER_SIZE | KT_BUFFER_MODE) || (arg->flags & KT_BUFFER_SIZE && rings->wide))
		return -EOPNOTSUPP;
	if (arg->flags & KT_BUFFER_SIZE &&
	    (arg->bytes < KT_BUFFER_MIN || arg->bytes > KT_BUFFER_MAX))
		return -EINVAL;
	return arg->flags & KT_BUFFER_MODE && arg->mode >= KT_NR_MODES ? -EINVAL : 0;
}

int kt_buffer_change(struct kt_rings *rings, struct kt_buffer *arg)
{
	int err = valid(rings, arg);

	if (err)
		return err;
	arg->dropped = 0;
	if (arg->flags) {
		if (mutex_lock_interruptible(&rings->change_lock))
			return -EINTR;
		if (arg->flags & KT_BUFFER_SIZE)
			err = change_size(rings, arg);
		if (!err && arg->flags & KT_BUFFER_MODE)
			change_mode(rings, arg->mode);
		mutex_unlock(&rings->change_lock);
	}
	tell(rings, arg);
	return err;
}
