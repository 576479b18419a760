// SPDX-License-Identifier: GPL-2.0-only
/* buffer.c - the rings' memory and the seen position.  See buffer.h. */
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>
#include <linux/vmalloc.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/memory.h"
#include "kmod/compat/compat.h"
#include "kmod/records/buffer_int.h"

DEFINE_PER_CPU(struct kt_cpu, kt_cpus);

struct kt_rings kt_prompt_rings = {
	.cpu = &kt_cpus.prompt,
	.recording = ATOMIC64_INIT(0), .wake_mark = KT_WAKE_NOBODY,
	.lock = __MUTEX_INITIALIZER(kt_prompt_rings.lock), .change_lock = __MUTEX_INITIALIZER(kt_prompt_rings.change_lock),
	.users = KREF_INIT(1),
};

/* The mapping of one CPU: a page with ctl, then the area. */
#define AREA_OFF	((u32)PAGE_SIZE)
/* Distance between the mappings of two CPUs.  It does not depend on the size of the rings. */
#define STRIDE		(2 * KT_BUFFER_MAX)
/* How many rings have static addresses, besides those of the prompt. */
#define NR_STATIC		2

struct kt_geometry kt_geometry_for(u32 bytes, u32 sub_bytes)
{
	u32 nr = bytes / sub_bytes;
	u32 data_off = PAGE_ALIGN(sizeof(struct kt_ring_area) + nr * sizeof(u64));

	return (struct kt_geometry){ sub_bytes, nr, data_off, data_off + bytes };
}

struct kt_ring_area *kt_area_alloc(const struct kt_geometry *g, u64 generation, size_t freed)
{
	struct kt_ring_area *area;

	area = kt_memory_alloc(g->area_bytes, freed);
	if (!area)
		return NULL;
	area->generation = generation;
	area->subbuf_bytes = g->sub_bytes;
	area->nr_subbufs = g->nr_subbufs;
	return area;
}

static int ring_create(struct kt_rings *rings, unsigned int cpu)
{
	struct kt_ring_cpu *here = per_cpu_ptr(rings->cpu, cpu);
	const struct kt_geometry *g = &rings->geometry;
	struct kt_ring_ctl *ctl = (void *)get_zeroed_page(GFP_KERNEL);

	if (!ctl)
		return -ENOMEM;
	here->rings = rings;
	here->area = kt_area_alloc(g, 0, 0);
	if (!here->area) {
		free_page((unsigned long)ctl);
		return -ENOMEM;
	}
	kt_ring_init(&here->ring, ctl, kt_area_commit(here->area), kt_area_data(here->area, g), g->sub_bytes,
		     g->nr_subbufs, cpu, rings->wide, rings->uuid);
	here->ring.discard = rings->mode == KT_MODE_DISCARD;
	return 0;
}

/* Sixteen sub-buffers if the limits of their size allow it: overwriting loses one sub-buffer at a time. */
u32 kt_subbuf_for(u32 bytes, bool wide)
{
	return clamp(bytes / 16, KT_SUBBUF_MIN, wide ? KT_SUBBUF_WIDE_MAX : KT_SUBBUF_MAX);
}

static void rings_clear(struct kt_rings *rings)
{
	struct kt_ring_cpu *here;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		here = per_cpu_ptr(rings->cpu, cpu);
		free_page((unsigned long)here->ring.ctl);
		vfree(here->area);
		here->ring.ctl = NULL;
		here->area = NULL;
	}
}

static int rings_fill(struct kt_rings *rings, u64 bytes, enum kt_mode mode)
{
	unsigned int cpu;
	int err = 0;

	if (bytes < KT_BUFFER_MIN || bytes > KT_BUFFER_MAX || mode >= KT_NR_MODES)
		return -EINVAL;
	bytes = roundup_pow_of_two(bytes);
	rings->geometry = kt_geometry_for(bytes, kt_subbuf_for(bytes, rings->wide));
	/* Refuse at once, before the kernel drops caches for a part of it. */
	if (!kt_memory_enough((u64)num_possible_cpus() * rings->geometry.area_bytes, 0))
		return -ENOMEM;
	rings->mode = mode;
	generate_random_uuid(rings->uuid);
	for_each_possible_cpu(cpu) {
		err = ring_create(rings, cpu);
		if (err)
			break;
		cond_resched();
	}
	if (err)
		rings_clear(rings);
	return err;
}

int kt_buffer_init(u64 bytes, enum kt_mode mode)
{
	const int err = rings_fill(&kt_prompt_rings, bytes, mode);

	if (err == -ENOMEM)
		pr_err("no memory for rings of %llu KiB on %u CPUs: choose a smaller ring_kb\n",
		       bytes >> 10, num_possible_cpus());
	return err;
}

void kt_buffer_exit(void)
{
	rings_clear(&kt_prompt_rings);
}

/*
 * Rings in the static data of the module.  Generated code reaches them by addresses of 32 bits, so its instructions are fewer.  The
 * first clients get these rings, and all others allocated ones.
 */
static struct kt_rings static_rings[NR_STATIC];
static DEFINE_PER_CPU(struct kt_ring_cpu [NR_STATIC], static_cpus);
static unsigned long static_taken;

/* Returns zeroed rings; NULL if all are taken. */
static struct kt_rings *take_static(void)
{
	struct kt_rings *rings;
	unsigned int cpu;
	int i;

	for (i = 0; i < NR_STATIC; i++)
		if (!test_and_set_bit(i, &static_taken))
			break;
	if (i == NR_STATIC)
		return NULL;
	rings = &static_rings[i];
	memset(rings, 0, sizeof(*rings));
	for_each_possible_cpu(cpu)
		memset(&per_cpu(static_cpus, cpu)[i], 0, sizeof(struct kt_ring_cpu));
	rings->cpu = &static_cpus[i];
	return rings;
}

static struct kt_rings *rings_alloc(void)
{
	struct kt_rings *rings = take_static();

	if (rings)
		return rings;
	rings = kzalloc(sizeof(*rings), GFP_KERNEL);
	if (rings)
		rings->cpu = alloc_percpu(struct kt_ring_cpu);
	return rings;
}

static void rings_drop(struct kt_rings *rings)
{
	free_percpu(rings->drafts);
	mutex_destroy(&rings->lock);
	mutex_destroy(&rings->change_lock);
	if (rings >= static_rings && rings < static_rings + NR_STATIC) {
		clear_bit_unlock(rings - static_rings, &static_taken);
		return;
	}
	free_percpu(rings->cpu);
	kfree(rings);
}

struct kt_rings *kt_rings_create(u64 bytes, enum kt_mode mode, bool wide)
{
	struct kt_rings *rings = rings_alloc();
	int err;

	if (!rings)
		return ERR_PTR(-ENOMEM);
	if (wide)
		rings->drafts = alloc_percpu(struct kt_drafts);
	mutex_init(&rings->lock);
	mutex_init(&rings->change_lock);
	rings->wake_mark = KT_WAKE_NOBODY;
	rings->wide = wide;
	kref_init(&rings->users);
	err = rings->cpu && (rings->drafts || !wide) ? rings_fill(rings, bytes, mode) : -ENOMEM;
	if (!err)
		return rings;
	rings_drop(rings);
	return ERR_PTR(err);
}

void kt_rings_get(struct kt_rings *rings)
{
	kref_get(&rings->users);
}

static void rings_free(struct kref *users)
{
	struct kt_rings *rings = container_of(users, struct kt_rings, users);

	rings_clear(rings);
	rings_drop(rings);
}

void kt_rings_put(struct kt_rings *rings)
{
	kref_put(&rings->users, rings_free);
}

void kt_buffer_describe(struct kt_rings *rings, struct kt_hello *hello)
{
	mutex_lock(&rings->lock);
	hello->nr_cpus = nr_cpu_ids;
	hello->ring_stride = STRIDE;
	hello->ring_bytes = AREA_OFF + rings->geometry.area_bytes;
	hello->off_area = AREA_OFF;
	hello->off_commit = AREA_OFF + sizeof(struct kt_ring_area);
	hello->off_data = AREA_OFF + rings->geometry.data_off;
	hello->subbuf_bytes = rings->geometry.sub_bytes;
	hello->nr_subbufs = rings->geometry.nr_subbufs;
	if (rings->mode == KT_MODE_OVERWRITE)
		hello->features |= KT_FEATURE_OVERWRITE;
	if (rings->wide)
		hello->features |= KT_FEATURE_WIDE;
	memcpy(hello->uuid, rings->uuid, sizeof(hello->uuid));
	mutex_unlock(&rings->lock);
}

/* The mapping holds references to the pages, so they stay when the ring moves to other memory. */
static int map_pages(struct vm_area_struct *vma, const struct kt_ring_cpu *here, u32 area_bytes)
{
	unsigned long at = vma->vm_start + AREA_OFF;
	u32 off;
	int err;

	err = vm_insert_page(vma, vma->vm_start, virt_to_page(here->ring.ctl));
	for (off = 0; !err && off < area_bytes; off += PAGE_SIZE)
		err = vm_insert_page(vma, at + off, vmalloc_to_page((u8 *)here->area + off));
	return err;
}

int kt_buffer_mmap(struct kt_rings *rings, struct vm_area_struct *vma)
{
	const unsigned long stride = STRIDE >> PAGE_SHIFT;
	unsigned long cpu = vma->vm_pgoff / stride;
	int err = -EINVAL;

	if (vma->vm_pgoff % stride || cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	kt_vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	kt_vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	mutex_lock(&rings->lock);
	if (vma->vm_end - vma->vm_start == AREA_OFF + rings->geometry.area_bytes)
		err = map_pages(vma, per_cpu_ptr(rings->cpu, cpu), rings->geometry.area_bytes);
	mutex_unlock(&rings->lock);
	return err;
}

void kt_buffer_sums(const struct kt_rings *rings, u64 *recorded, u64 *discarded)
{
	unsigned int cpu;
	u64 total;

	*recorded = *discarded = 0;
	for_each_possible_cpu(cpu) {
		kt_ring_position(kt_ring_of(rings, cpu), &total, NULL, NULL);
		*recorded += total;
		*discarded += READ_ONCE(kt_ring_of(rings, cpu)->ctl->discarded);
	}
}

u64 kt_buffer_total(const struct kt_rings *rings)
{
	u64 recorded, discarded;

	kt_buffer_sums(rings, &recorded, &discarded);
	return recorded + discarded;
}

void kt_buffer_status(struct kt_rings *rings, unsigned int cpu, struct kt_cpu_status *out)
{
	const struct kt_ring_ctl *ctl = kt_ring_of(rings, cpu)->ctl;
	u64 oldest, gone;

	mutex_lock(&rings->lock);
	kt_ring_position(kt_ring_of(rings, cpu), &out->recorded, NULL, &oldest);
	gone = oldest > ctl->seen ? oldest - ctl->seen : 0;
	out->discarded = READ_ONCE(ctl->discarded);
	out->recursed = READ_ONCE(ctl->recursed);
	out->filtered = READ_ONCE(ctl->filtered);
	out->frozen = READ_ONCE(ctl->frozen);
	out->measured = READ_ONCE(ctl->measured);
	out->braked = READ_ONCE(ctl->braked);
	out->seen = ctl->seen;
	out->cleared = ctl->cleared;
	out->lost = ctl->lost_seen + gone;
	out->pending = out->recorded - ctl->seen - gone;
	mutex_unlock(&rings->lock);
}

/* Move the seen position as struct kt_seen_cpu says.  The `from` members do not matter here. */
static void seen_move(struct kt_ring_ctl *ctl, const struct kt_seen_cpu *move)
{
	WRITE_ONCE(ctl->lost_seen, ctl->lost_seen + (move->to - ctl->seen - move->printed));
	WRITE_ONCE(ctl->cleared, ctl->cleared + move->printed);
	WRITE_ONCE(ctl->discarded_seen, move->discarded_to);
	WRITE_ONCE(ctl->seen, move->to);
	/*
	 * A reader that sees the new packet also sees the new position: pairs with its kt_smp_rmb() between the two
	 * reads.  And the reads of old packets are complete before the writer overwrites them: pairs with
	 * packet_free(), on which the writer's stores depend.
	 */
	smp_store_release(&ctl->seen_seq, move->seq);
}

static void seen_all(struct kt_rings *rings, struct kt_seen *arg)
{
	struct kt_seen_cpu move;
	unsigned int cpu;
	u64 oldest;

	for_each_possible_cpu(cpu) {
		struct kt_ring_ctl *ctl = kt_ring_of(rings, cpu)->ctl;

		move.discarded_to = READ_ONCE(ctl->discarded);
		kt_ring_position(kt_ring_of(rings, cpu), &move.to, &move.seq, &oldest);
		move.printed = move.to - max(oldest, ctl->seen);
		seen_move(ctl, &move);
		arg->nr_cleared += move.printed;
	}
}

static int seen_check(const struct kt_rings *rings, const struct kt_seen_cpu *move)
{
	const struct kt_ring_ctl *ctl;
	u64 total, seq;

	if (move->cpu >= nr_cpu_ids || !cpu_possible(move->cpu) || move->reserved)
		return -EINVAL;
	ctl = kt_ring_of(rings, move->cpu)->ctl;
	kt_ring_position(kt_ring_of(rings, move->cpu), &total, &seq, NULL);
	if (move->from != ctl->seen || move->discarded_from != ctl->discarded_seen)
		return -ESTALE;
	if (move->to < move->from || move->to > total || move->printed > move->to - move->from ||
	    move->seq < ctl->seen_seq || move->seq > seq ||
	    move->discarded_to < move->discarded_from ||
	    move->discarded_to > READ_ONCE(ctl->discarded))
		return -EINVAL;
	return 0;
}

static int seen_some(struct kt_rings *rings, struct kt_seen *arg, const struct kt_seen_cpu *moves)
{
	u32 i;
	int err;

	for (i = 0; i < arg->nr; i++) {
		err = seen_check(rings, &moves[i]);
		if (err)
			return err;
		if (i && moves[i].cpu <= moves[i - 1].cpu)
			return -EINVAL;
	}
	for (i = 0; i < arg->nr; i++) {
		seen_move(kt_ring_of(rings, moves[i].cpu)->ctl, &moves[i]);
		arg->nr_cleared += moves[i].printed;
	}
	return 0;
}

int kt_buffer_seen(struct kt_rings *rings, struct kt_seen *arg)
{
	struct kt_seen_cpu *moves = NULL;
	int err = 0;

	arg->nr_cleared = 0;
	if (arg->flags & ~KT_SEEN_ALL)
		return -EOPNOTSUPP;
	if (arg->reserved || arg->nr > nr_cpu_ids || (arg->flags && arg->nr))
		return -EINVAL;
	if (arg->nr) {
		moves = memdup_user(u64_to_user_ptr(arg->cpus), arg->nr * sizeof(*moves));
		if (IS_ERR(moves))
			return PTR_ERR(moves);
	}
	mutex_lock(&rings->lock);
	if (arg->flags & KT_SEEN_ALL)
		seen_all(rings, arg);
	else
		err = seen_some(rings, arg, moves);
	mutex_unlock(&rings->lock);
	kfree(moves);
	return err;
}

u64 kt_buffer_newest(const struct kt_rings *rings, unsigned int cpu)
{
	u64 seq;

	kt_ring_position(kt_ring_of(rings, cpu), NULL, &seq, NULL);
	return seq;
}

u64 kt_buffer_backlog(const struct kt_rings *rings)
{
	u64 most = 0, behind;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct kt_ring_ctl *ctl = kt_ring_of(rings, cpu)->ctl;

		behind = READ_ONCE(ctl->seq) - READ_ONCE(ctl->seen_seq);
		/* Compare signed: seen_seq may have passed the value of seq that was read before it. */
		if ((s64)behind > (s64)most)
			most = behind;
	}
	return most;
}

u64 kt_ring_oldest(const struct kt_ring *ring, u64 newest)
{
	u64 oldest = newest < ring->nr_subbufs ? 0 : newest - ring->nr_subbufs + 1;

	return max(oldest, (u64)ring->ctl->first_seq);
}

u64 kt_buffer_oldest_wanted(struct kt_rings *rings, unsigned int cpu)
{
	const struct kt_ring *ring = kt_ring_of(rings, cpu);
	u64 oldest;

	mutex_lock(&rings->lock);
	oldest = max(kt_ring_oldest(ring, kt_buffer_newest(rings, cpu)), (u64)ring->ctl->seen_seq);
	mutex_unlock(&rings->lock);
	return oldest;
}
