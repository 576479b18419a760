// SPDX-License-Identifier: GPL-2.0-only
/* fault_in.c - see fault_in.h. */
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched.h>
#include <linux/userfaultfd_k.h>

#include "kmod/base/fault_in.h"
#include "kmod/base/ktrace.h"

/* FUSE_SUPER_MAGIC; Linux 5.10 has it in no header. */
#define FUSE_MAGIC	0x65735546

/*
 * Does the kernel itself fill the pages of files like this, from memory or from a disk?  A process that serves them (FUSE),
 * or another machine, might never answer, and whoever removes the tracepoint would wait for it.
 */
static bool kernel_fills(const struct file *file)
{
	const struct super_block *sb = file_inode(file)->i_sb;

	switch (sb->s_magic) {
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
	case BTRFS_SUPER_MAGIC:
		return true;
	case FUSE_MAGIC:
		return false;
	default:
		return sb->s_bdev;
	}
}

static bool may_bring_in(struct vm_area_struct *vma, u64 addr)
{
	return vma && vma->vm_start <= addr && !userfaultfd_armed(vma) && !(vma->vm_flags & (VM_IO | VM_PFNMAP)) &&
	       (!vma->vm_file || kernel_fills(vma->vm_file));
}

/* NULL: keep mmap_lock all the time.  With it, fixup_user_fault() would release the lock and look at another mapping. */
bool kt_fault_in_page(u64 addr)
{
	struct mm_struct *mm = current->mm;
	bool good;

	addr = untagged_addr(addr);
	if (!mm || mmap_read_lock_killable(mm))
		return false;
	good = may_bring_in(find_vma(mm, addr), addr) && !fixup_user_fault(mm, addr, 0, NULL);
	mmap_read_unlock(mm);
	return good;
}
