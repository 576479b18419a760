// SPDX-License-Identifier: GPL-2.0-or-later
/* memory_read.c - see memory_read.h. */
#include "ctl/base/device/memory_read.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/device/lockdown.h"
#include "ctl/base/memory.h"

struct range {
	uint64_t low, high;
};

struct segment {
	struct range range;
	uint64_t offset;	/* in the file */
	bool has_holes;		/* some of its pages may not be mapped */
};

struct memory {
	int core, process;	/* -1: none */
	struct segment *segments;
	size_t nr_segments;
};

static bool contains(const struct range *range, uint64_t addr, size_t size)
{
	return addr >= range->low && addr < range->high && size <= range->high - addr;
}

/* --------------------------------------------------------------------- open */

static void add_segment(struct memory *memory, const Elf64_Phdr *head)
{
	struct segment segment = {
		.range = { head->p_vaddr, head->p_vaddr + head->p_memsz }, .offset = head->p_offset,
	};

	if (head->p_type != PT_LOAD)
		return;
	/* Only what is mapped in one piece has a physical address. */
	segment.has_holes = head->p_paddr == UINT64_MAX;
	memory->segments = MEM_MORE(memory->segments, memory->nr_segments);
	memory->segments[memory->nr_segments++] = segment;
}

static bool read_segments(struct memory *memory)
{
	Elf64_Ehdr elf;
	Elf64_Phdr head;

	if (pread(memory->core, &elf, sizeof(elf), 0) != sizeof(elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_phentsize != sizeof(head))
		return false;
	for (unsigned int i = 0; i < elf.e_phnum; i++) {
		if (pread(memory->core, &head, sizeof(head), elf.e_phoff + i * sizeof(head)) != sizeof(head))
			return false;
		add_segment(memory, &head);
	}
	return memory->nr_segments;
}

struct memory *memory_open(const char *root, struct error *err)
{
	AUTO_FREE char *path = mem_printf("%s/proc/kcore", root);
	struct memory *memory = mem_zalloc(1, sizeof(*memory));

	memory->process = -1;
	memory->core = open(path, O_RDONLY | O_CLOEXEC);
	if (memory->core < 0 && errno == EPERM && lockdown_now(root) == LOCKDOWN_CONFIDENTIALITY)
		error_set(err, STATUS_NO_ACCESS, "%s: " LOCKDOWN_SENTENCE, path);
	else if (memory->core < 0)
		error_set(err, errno == EPERM || errno == EACCES ? STATUS_NO_ACCESS : STATUS_FAILURE,
			  "%s: %s: run as root, on a kernel that is not locked down", path, strerror(errno));
	if (memory->core >= 0 && read_segments(memory))
		return memory;
	if (memory->core >= 0)
		error_set(err, STATUS_FAILURE, "%s: not the memory of a kernel: run as root, on a kernel that is not locked down", path);
	memory_close(memory);
	return NULL;
}

void memory_close(struct memory *memory)
{
	if (!memory)
		return;
	memory_of_process(memory, 0);
	if (memory->core >= 0)
		close(memory->core);
	free(memory->segments);
	free(memory);
}

void memory_of_process(struct memory *memory, pid_t pid)
{
	char path[64];

	if (memory->process >= 0)
		close(memory->process);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	memory->process = pid ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

/* --------------------------------------------------------------------- read */

static bool read_all(int fd, void *to, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

#define PAGE	UINT64_C(4096)

/* kcore reads a page that is not mapped as zeros, and does not tell.  Look at each page of the object. */
static bool is_mapped(const struct memory *memory, const struct segment *segment, uint64_t addr, size_t size)
{
	static const uint8_t zeros[PAGE];
	uint8_t page[PAGE];

	for (uint64_t at = addr & -PAGE; at < addr + size; at += PAGE)
		if (!contains(&segment->range, at, PAGE) ||
		    !read_all(memory->core, page, PAGE, segment->offset + (at - segment->range.low)) || !memcmp(page, zeros, PAGE))
			return false;
	return true;
}

bool memory_read(const struct memory *memory, uint64_t addr, void *to, size_t size)
{
	/* The upper half of the addresses is the kernel's. */
	if ((int64_t)addr >= 0)
		return memory->process >= 0 && read_all(memory->process, to, size, addr);
	for (size_t i = 0; i < memory->nr_segments; i++) {
		const struct segment *segment = &memory->segments[i];

		if (!contains(&segment->range, addr, size))
			continue;
		if (segment->has_holes && !is_mapped(memory, segment, addr, size))
			return false;
		return read_all(memory->core, to, size, segment->offset + (addr - segment->range.low));
	}
	return false;
}
