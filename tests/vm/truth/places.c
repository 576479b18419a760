// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses of every kind, most of which must not be read. ktruth_look(address, number) is called with each of
 * them. /proc/ktruth shows their numbers and names.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "truth.h"
#include "truth_arch.h"

#define FACTOR	0x10001 /* so that the function is long enough for a jump */
#define KNOWN	0x6b6f6f6c2061206bULL /* "k a look": the value at readable addresses */

static const char *const names[] = {
	"null",
	"member-of-null",
	"user-unmapped",
	"user-untouched",
	"user-mapped",
	"end-of-user",
	"noncanonical",
	"tagged",
	"start-of-kernel",
	"hole-of-vmalloc",
	"freed-vmalloc",
	"freed-init-text",
	"end-of-modules",
	"device",
	"device-write-combining",
	"fixed",
	"error-pointer",
	"last-byte",
	"stack-guard",
	"kmalloc",
	"vmalloc",
	"end-of-vmalloc",
	"stack",
	"module-data",
	"last-of-page",
};

static u64 places[ARRAY_SIZE(names)];
static u64 in_module[3] = { 0, KNOWN, 0 };
static void __iomem *device, *combining;
static u64 *allocated, *mapped;

TRUTH long ktruth_look(u64 address, long number)
{
	OPTIMIZER_HIDE_VAR(address);
	return number * FACTOR;
}

static u64 *place(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return &places[i];
	WARN(1, "no place %s", name);
	return &places[0];
}

/* A page of the calling process, written or never touched. */
static u64 user_page(bool touch)
{
	u64 known[2] = { KNOWN, 0 };
	unsigned long at = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);

	if (!IS_ERR_VALUE(at) && touch && copy_to_user((void __user *)at, known, sizeof(known)))
		return 0;
	return at;
}

static void free_page_of(u64 at)
{
	if (!IS_ERR_VALUE((unsigned long)at))
		vm_munmap(at, PAGE_SIZE);
}

long ktruth_look_everywhere(void)
{
	u64 on_stack[2] = { KNOWN, 0 };
	long sum = 0;
	int i;

	OPTIMIZER_HIDE_VAR(on_stack[0]);
	*place("user-untouched") = user_page(false);
	*place("user-mapped") = user_page(true);
	*place("user-unmapped") = user_page(true);
	free_page_of(*place("user-unmapped"));
	*place("stack") = (unsigned long)on_stack;
	*place("stack-guard") = (unsigned long)task_stack_page(current) - 64;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		sum += ktruth_look(places[i], i);
	barrier_data(on_stack);
	free_page_of(*place("user-untouched"));
	free_page_of(*place("user-mapped"));
	return sum - FACTOR * (long)(ARRAY_SIZE(names) * (ARRAY_SIZE(names) - 1) / 2);
}

void ktruth_show_places(struct seq_file *out)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		seq_printf(out, "place %d %s\n", i, names[i]);
}

int ktruth_places_init(void *init_text)
{
	void *freed = vmalloc(PAGE_SIZE);

	device = ioremap(TRUTH_DEVICE, PAGE_SIZE);
	combining = ioremap_wc(TRUTH_DEVICE_COMBINING, PAGE_SIZE);
	allocated = kzalloc(64, GFP_KERNEL);
	mapped = vzalloc(PAGE_SIZE);
	if (!freed || !device || !combining || !allocated || !mapped) {
		vfree(freed);
		ktruth_places_exit();
		return -ENOMEM;
	}
	vfree(freed);
	/* The words before this one and in_module[1] belong to nobody else: tests read them, too. */
	allocated[1] = KNOWN;
	mapped[0] = KNOWN;
	strcpy((char *)mapped + PAGE_SIZE - 4, "end");
	*place("member-of-null") = 0x18;
	*place("end-of-user") = TRUTH_END_OF_USER - 4;
	*place("noncanonical") = 0x8000000000000000;
	*place("start-of-kernel") = 0xffff800000000000;
	*place("hole-of-vmalloc") = VMALLOC_END - 0x1000000;
	*place("freed-vmalloc") = (unsigned long)freed;
	*place("freed-init-text") = (unsigned long)init_text;
	*place("end-of-modules") = MODULES_END - 4;
	*place("device") = (unsigned long)device;
	*place("device-write-combining") = (unsigned long)combining;
	*place("fixed") = TRUTH_FIXED;
	*place("error-pointer") = (u64)-ENOENT;
	*place("last-byte") = ~0ULL;
	*place("kmalloc") = (unsigned long)&allocated[1];
	/* Bit 55 says that it is of the kernel, bit 63 that it is not. */
	*place("tagged") = (unsigned long)&allocated[1] & GENMASK_ULL(55, 0);
	*place("vmalloc") = (unsigned long)mapped;
	*place("end-of-vmalloc") = (unsigned long)mapped + PAGE_SIZE;
	*place("module-data") = (unsigned long)&in_module[1];
	*place("last-of-page") = (unsigned long)mapped + PAGE_SIZE - 4;
	return 0;
}

void ktruth_places_exit(void)
{
	if (device)
		iounmap(device);
	if (combining)
		iounmap(combining);
	kfree(allocated);
	vfree(mapped);
}
