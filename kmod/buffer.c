// SPDX-License-Identifier: GPL-2.0-only
/* buffer.c - the rings' memory and the seen position.  See buffer.h. */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>
#include <linux/vmalloc.h>

#include "ktrace.h"
#include "buffer.h"
#include "compat/compat.h"

DEFINE_PER_CPU(struct kt_cpu, kt_cpus);

static u32 sub_bytes, nr_subbufs, data_off, ring_bytes;
static u8 uuid[16];
static DEFINE_MUTEX(seen_lock);	/* seen, cleared, *_seen, seen_seq of all rings */

#define COMMIT_OFF	((u32)sizeof(struct kt_ring_ctl))

static struct kt_ring *ring_of(unsigned int cpu)
{
	return &per_cpu_ptr(&kt_cpus, cpu)->ring;
}

/* Sixteen sub-buffers where their size allows it: overwriting loses one of them at a time. */
static int choose_geometry(unsigned int ring_kb)
{
	u32 bytes;

	if (ring_kb < 8 || ring_kb > 1024 * 1024) {
		pr_err("ring_kb=%u is out of range: choose 8 to 1048576\n", ring_kb);
		return -EINVAL;
	}
	bytes = roundup_pow_of_two(ring_kb) * 1024;
	sub_bytes = clamp(bytes / 16, KT_SUBBUF_MIN, KT_SUBBUF_MAX);
	nr_subbufs = bytes / sub_bytes;
	data_off = PAGE_ALIGN(COMMIT_OFF + nr_subbufs * sizeof(u64));
	ring_bytes = data_off + bytes;
	return 0;
}

static int ring_create(unsigned int cpu)
{
	u8 *mem = vmalloc_user(ring_bytes);

	if (!mem)
		return -ENOMEM;
	kt_ring_init(ring_of(cpu), (void *)mem, (void *)(mem + COMMIT_OFF), mem + data_off,
		     sub_bytes, nr_subbufs, cpu, uuid);
	return 0;
}

int kt_buffer_init(unsigned int ring_kb)
{
	unsigned int cpu;
	int err;

	err = choose_geometry(ring_kb);
	if (err)
		return err;
	generate_random_uuid(uuid);
	for_each_possible_cpu(cpu) {
		err = ring_create(cpu);
		if (err) {
			pr_err("no memory for rings of %u KiB on %u CPUs: choose a smaller ring_kb\n",
			       ring_kb, num_possible_cpus());
			kt_buffer_exit();
			return err;
		}
	}
	return 0;
}

void kt_buffer_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		vfree(ring_of(cpu)->ctl);
		ring_of(cpu)->ctl = NULL;
	}
}

void kt_buffer_describe(struct kt_hello *hello)
{
	hello->nr_cpus = nr_cpu_ids;
	hello->ring_stride = ring_bytes;
	hello->ring_bytes = ring_bytes;
	hello->off_data = data_off;
	hello->off_commit = COMMIT_OFF;
	hello->subbuf_bytes = sub_bytes;
	hello->nr_subbufs = nr_subbufs;
	hello->features |= KT_FEATURE_OVERWRITE;
	memcpy(hello->uuid, uuid, sizeof(hello->uuid));
}

int kt_buffer_mmap(struct vm_area_struct *vma)
{
	unsigned long pages = ring_bytes >> PAGE_SHIFT;
	unsigned long cpu = vma->vm_pgoff / pages;

	if (vma->vm_pgoff % pages || cpu >= nr_cpu_ids || !cpu_possible(cpu) ||
	    vma_pages(vma) > pages)
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	kt_vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	return remap_vmalloc_range(vma, ring_of(cpu)->ctl, 0);
}

u64 kt_buffer_total(void)
{
	u64 sum = 0, total;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		kt_ring_position(ring_of(cpu), &total, NULL, NULL);
		sum += total + READ_ONCE(ring_of(cpu)->ctl->discarded);
	}
	return sum;
}

void kt_buffer_status(unsigned int cpu, struct kt_cpu_status *out)
{
	const struct kt_ring_ctl *ctl = ring_of(cpu)->ctl;
	u64 oldest, gone;

	mutex_lock(&seen_lock);
	kt_ring_position(ring_of(cpu), &out->recorded, NULL, &oldest);
	gone = oldest > ctl->seen ? oldest - ctl->seen : 0;
	out->discarded = READ_ONCE(ctl->discarded);
	out->recursed = READ_ONCE(ctl->recursed);
	out->filtered = READ_ONCE(ctl->filtered);
	out->frozen = READ_ONCE(ctl->frozen);
	out->seen = ctl->seen;
	out->cleared = ctl->cleared;
	out->lost = ctl->lost_seen + gone;
	out->pending = out->recorded - ctl->seen - gone;
	mutex_unlock(&seen_lock);
}

/* As struct kt_seen_cpu says; from where does not matter. */
static void seen_move(struct kt_ring_ctl *ctl, const struct kt_seen_cpu *move)
{
	WRITE_ONCE(ctl->lost_seen, ctl->lost_seen + (move->to - ctl->seen - move->printed));
	WRITE_ONCE(ctl->cleared, ctl->cleared + move->printed);
	WRITE_ONCE(ctl->discarded_seen, move->discarded_to);
	WRITE_ONCE(ctl->seen, move->to);
	/*
	 * Whoever finds the packet moved finds the position moved, and the writer may
	 * overwrite what was read before; pairs with the reader's kt_smp_rmb() between the
	 * two and with packet_free(), on which the writer's stores depend.
	 */
	smp_store_release(&ctl->seen_seq, move->seq);
}

static void seen_all(struct kt_seen *arg)
{
	struct kt_seen_cpu move;
	unsigned int cpu;
	u64 oldest;

	for_each_possible_cpu(cpu) {
		struct kt_ring_ctl *ctl = ring_of(cpu)->ctl;

		move.discarded_to = READ_ONCE(ctl->discarded);
		kt_ring_position(ring_of(cpu), &move.to, &move.seq, &oldest);
		move.printed = move.to - max(oldest, ctl->seen);
		seen_move(ctl, &move);
		arg->nr_cleared += move.printed;
	}
}

static int seen_check(const struct kt_seen_cpu *move)
{
	const struct kt_ring_ctl *ctl;
	u64 total, seq;

	if (move->cpu >= nr_cpu_ids || !cpu_possible(move->cpu) || move->reserved)
		return -EINVAL;
	ctl = ring_of(move->cpu)->ctl;
	kt_ring_position(ring_of(move->cpu), &total, &seq, NULL);
	if (move->from != ctl->seen || move->discarded_from != ctl->discarded_seen)
		return -ESTALE;
	if (move->to < move->from || move->to > total || move->printed > move->to - move->from ||
	    move->seq < ctl->seen_seq || move->seq > seq ||
	    move->discarded_to < move->discarded_from ||
	    move->discarded_to > READ_ONCE(ctl->discarded))
		return -EINVAL;
	return 0;
}

static int seen_some(struct kt_seen *arg, const struct kt_seen_cpu *moves)
{
	u32 i;
	int err;

	for (i = 0; i < arg->nr; i++) {
		err = seen_check(&moves[i]);
		if (err)
			return err;
		if (i && moves[i].cpu <= moves[i - 1].cpu)
			return -EINVAL;
	}
	for (i = 0; i < arg->nr; i++) {
		seen_move(ring_of(moves[i].cpu)->ctl, &moves[i]);
		arg->nr_cleared += moves[i].printed;
	}
	return 0;
}

int kt_buffer_seen(struct kt_seen *arg)
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
	mutex_lock(&seen_lock);
	if (arg->flags & KT_SEEN_ALL)
		seen_all(arg);
	else
		err = seen_some(arg, moves);
	mutex_unlock(&seen_lock);
	kfree(moves);
	return err;
}

u64 kt_buffer_newest(unsigned int cpu)
{
	u64 seq;

	kt_ring_position(ring_of(cpu), NULL, &seq, NULL);
	return seq;
}

u64 kt_buffer_oldest_wanted(unsigned int cpu)
{
	u64 newest = kt_buffer_newest(cpu);
	u64 oldest = newest < nr_subbufs ? 0 : newest - nr_subbufs + 1;

	return max(oldest, (u64)READ_ONCE(ring_of(cpu)->ctl->seen_seq));
}
