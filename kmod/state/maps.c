// SPDX-License-Identifier: GPL-2.0-only
/*
 * maps.c - KT_STATE_MAPS: the mappings of every address space.
 *
 * At most KT_STATE_BATCH of them are read under one hold of mmap_lock.  Paths are made without the lock.  The walk
 * continues behind the last address, so it does not matter what changes before it.
 *
 * A task may keep mmap_lock for as long as it likes, for instance while a file system does not answer.  A reader that
 * waited for the lock would then hang, too.  So try for a second, and report that these mappings are not known.
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/compat/compat.h"
#include "kmod/state/dump.h"

static u64 memory_of(const struct task_struct *task)
{
	return (unsigned long)READ_ONCE(task->mm);
}

/* False: another task keeps the lock, or the caller was killed. */
static bool try_for_a_second(struct mm_struct *mm)
{
	const unsigned long end = jiffies + HZ;

	while (!mmap_read_trylock(mm)) {
		if (time_after(jiffies, end) || fatal_signal_pending(current))
			return false;
		usleep_range(50, 200);
	}
	return true;
}

/* What /proc/PID/maps shows for a mapping without a file.  Under mmap_lock. */
static const char *special_name(struct vm_area_struct *vma)
{
	const char *name = vma->vm_ops && vma->vm_ops->name ? vma->vm_ops->name(vma) : NULL;

	return name ?: kt_vma_is_heap(vma) ? "[heap]" : kt_vma_is_stack(vma) ? "[stack]" : "";
}

/* Under mmap_lock. */
static void take_map(struct kt_map_ref *ref, struct vm_area_struct *vma)
{
	*ref = (struct kt_map_ref){ .start = vma->vm_start, .end = vma->vm_end, .flags = vma->vm_flags };
	if (vma->vm_file) {
		ref->file = get_file(vma->vm_file);
		ref->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	} else {
		strscpy(ref->name, special_name(vma), sizeof(ref->name));
	}
}

/* Under mmap_lock.  Returns the number of mappings; *at moves on. */
static u32 take_maps(struct kt_map_ref *refs, struct mm_struct *mm, u64 *at)
{
	struct vm_area_struct *vma;
	u32 n = 0;

	/* find_vma() is slower than the iterators of the kernels, but all kernels have it. */
	for (vma = find_vma(mm, *at); vma && n < KT_STATE_BATCH; vma = find_vma(mm, vma->vm_end))
		take_map(&refs[n++], vma);
	*at = vma ? vma->vm_start : KT_WALK_DONE;
	return n;
}

/* The same for a task.  *memory identifies its address space.  Without the lock, it is one mapping of zeros. */
static u32 take(struct kt_map_ref *refs, struct task_struct *task, u64 *memory, u64 *at)
{
	struct mm_struct *mm = get_task_mm(task);
	u32 n = 1;

	*memory = (unsigned long)mm;
	if (!mm) {
		*at = KT_WALK_DONE;
		return 0;
	}
	if (try_for_a_second(mm)) {
		n = take_maps(refs, mm, at);
		mmap_read_unlock(mm);
	} else {
		refs[0] = (struct kt_map_ref){ NULL };
		*at = KT_WALK_DONE;
	}
	mmput(mm);
	return n;
}

static bool add(struct kt_dump *dump, struct kt_state_map *entry, const struct kt_map_ref *ref)
{
	const struct inode *inode = ref->file ? kt_file_user_inode(ref->file) : NULL;

	if (!kt_dump_fits(dump, sizeof(*entry) + KT_MAX_STATE_NAME))
		return false;
	entry->start = ref->start;
	entry->end = ref->end;
	entry->offset = ref->offset;
	entry->flags = ref->flags;
	entry->inode = inode ? inode->i_ino : 0;
	entry->dev = inode ? inode->i_sb->s_dev : 0;
	kt_dump_add(dump, entry, sizeof(*entry),
		    ref->file ? kt_dump_path(dump, kt_file_user_path(ref->file)) : ref->name);
	return true;
}

static int read_batch(struct kt_dump *dump, struct task_struct *task)
{
	struct kt_walk *walk = &dump->walk;
	struct kt_state_map entry = {
		.head = { .pid = walk->pid, .time = kt_clock_now() }, .tgid = task_tgid_nr(task),
	};
	u64 next = walk->at;
	const u32 n = take(dump->maps, task, &entry.memory, &next);
	u32 added = 0, i;

	while (added < n && add(dump, &entry, &dump->maps[added]))
		added++;
	/* If none fits, stay: the first may begin before, if it has grown, or may be the one of zeros. */
	if (added == n)
		walk->at = next;
	else if (added)
		walk->at = dump->maps[added].start;
	for (i = 0; i < n; i++)
		if (dump->maps[i].file)
			fput(dump->maps[i].file);
	return added < n ? -EAGAIN : 0;
}

int kt_state_maps(struct kt_dump *dump)
{
	return kt_walk_objects(dump, memory_of, read_batch);
}
