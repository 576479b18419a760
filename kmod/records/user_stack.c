// SPDX-License-Identifier: GPL-2.0-only
/* user_stack.c - see user_stack.h. */
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched.h>

#include "kmod/base/ktrace.h"
#include "kmod/compat/compat.h"
#include "kmod/records/user_stack.h"

#define SEGMENTS	8	/* mappings of a file before the one with the code */

const struct kt_user_stack kt_user_stack_none;

static u32 copy_list(const struct kt_unwind *unwind, u64 *to, u32 most)
{
	const u32 n = min(unwind->n, most);

	memcpy(to, unwind->callers, n * sizeof(*to));
	return n;
}
NOKPROBE_SYMBOL(copy_list);

u32 kt_user_stack_on(struct kt_user_stack *stack, u64 *to, u32 most)
{
	kt_unwind_to(&stack->unwind, &stack->regs, most);
	return copy_list(&stack->unwind, to, most);
}

u32 kt_user_stack_take(const struct kt_user_stack *stack, u64 *to, u32 most)
{
	u32 n = copy_list(&stack->unwind, to, most);

	if (!n && most)
		to[n++] = instruction_pointer(task_pt_regs(current));
	if (n < most && !stack->unwind.over)
		to[n++] = KT_CALLER_UNKNOWN;
	return n;
}
NOKPROBE_SYMBOL(kt_user_stack_take);

/* Where the first bytes of the mapped file are.  The linker puts them before the code; mappings in between are of the same file. */
static u64 header_of(struct mm_struct *mm, struct vm_area_struct *vma)
{
	const struct inode *inode;
	u32 i;

	if (!vma->vm_file)
		return 0;
	inode = file_inode(vma->vm_file);
	for (i = 0; i < SEGMENTS && vma && vma->vm_file && file_inode(vma->vm_file) == inode; i++) {
		if (!vma->vm_pgoff)
			return vma->vm_start;
		vma = kt_vma_before(mm, vma->vm_start);
	}
	return 0;
}

bool kt_code_map(u64 addr, struct kt_code_map *map)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool found;

	if (!mm || mmap_read_lock_killable(mm))
		return false;
	vma = find_vma(mm, addr);
	found = vma && vma->vm_start <= addr && vma->vm_flags & VM_EXEC;
	if (found) {
		map->start = vma->vm_start;
		map->end = vma->vm_end;
		map->header = header_of(mm, vma);
	}
	mmap_read_unlock(mm);
	return found;
}
