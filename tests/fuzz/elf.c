// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf.c - fuzz the readers of debug information: ELF files and the index made of their DWARF, indexes, BTF,
 * location expressions, lists of symbols, programs of user space. The first byte chooses the reader; the others are
 * its input.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A damaged file may ask for much memory: a failed allocation is no fault. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:detect_leaks=1";
}

int elf_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	return fd;
}

const char *elf_path(int fd)
{
	static char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

/* ---------------------------------------------------------------- mutation */

static uint32_t dice(uint32_t sides)
{
	return (uint32_t)rand() % sides;
}

static uint64_t dice_value(uint64_t old)
{
	static const uint64_t ends[] = {
		0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, -1ULL,
		1ULL << 32, 1ULL << 63, 0xffffffff81000000,
	};

	switch (dice(4)) {
	case 0:
		return ends[dice(COUNT(ends))];
	case 1:
		return old + dice(64) - 32;
	case 2:
		return old ^ 1ULL << dice(64);
	default:
		return (uint64_t)rand() << 32 ^ (uint64_t)rand();
	}
}

/* Change one number somewhere: nothing moves. */
static void overwrite(uint8_t *data, size_t size)
{
	const size_t width = 1U << dice(4);
	uint64_t value = 0;
	size_t at;

	if (size < width)
		return;
	at = dice(size - width + 1);
	at -= dice(2) ? at % width : 0;
	memcpy(&value, data + at, width);
	value = dice_value(value);
	memcpy(data + at, &value, width);
}

static void overwrite_some(uint8_t *data, size_t size)
{
	for (uint32_t n = 1 + dice(4); n; n--)
		overwrite(data, size);
}

/* Mostly change bytes in one of its sections, so that references to the section stay correct. */
static size_t mutate_image(uint8_t *data, size_t size, size_t room)
{
	Elf64_Ehdr head;
	Elf64_Shdr section;
	size_t at;

	if (size < sizeof(head))
		return LLVMFuzzerMutate(data, size, room);
	memcpy(&head, data, sizeof(head));
	at = head.e_shoff + sizeof(section) * (head.e_shnum ? dice(head.e_shnum) : 0);
	if (!dice(6) || at > size || size - at < sizeof(section)) {
		overwrite_some(data, size);
		return size;
	}
	if (!dice(6)) {
		overwrite_some(data + at, sizeof(section));
		return size;
	}
	memcpy(&section, data + at, sizeof(section));
	if (section.sh_offset < size && section.sh_size <= size - section.sh_offset)
		overwrite_some(data + section.sh_offset, section.sh_size);
	return size;
}

static size_t mutate_index(uint8_t *data, size_t size, size_t room)
{
	const size_t head = sizeof(struct dbindex_header);

	if (size <= head)
		return LLVMFuzzerMutate(data, size, room);
	if (!dice(10))
		overwrite_some(data, head);
	else
		overwrite_some(data + head, size - head);
	return size;
}

static size_t mutate_any(uint8_t *data, size_t size, size_t room)
{
	if (size && dice(2))
		overwrite_some(data, size);
	else
		size = LLVMFuzzerMutate(data, size, room);
	return size;
}

/* ----------------------------------------------------------------- readers */

static const struct {
	void (*read)(const uint8_t *data, size_t size);
	size_t (*mutate)(uint8_t *data, size_t size, size_t room);
} readers[] = {
	{ elf_image, mutate_image },
	{ elf_index, mutate_index },
	{ elf_btf, mutate_any },
	{ elf_expression, mutate_any },
	{ elf_kallsyms, mutate_any },
	{ elf_program, mutate_image },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (!size || *data >= COUNT(readers))
		return 0;
	/*
	 * Aligned, as files are, and exactly as long as the input, so that the sanitizer finds reads behind it.
	 */
	copy = malloc(size - 1 ? size - 1 : 1);
	memcpy(copy, data + 1, size - 1);
	readers[*data].read(copy, size - 1);
	free(copy);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
	if (!room)
		return 0;
	srand(seed);
	if (!size || *data >= COUNT(readers)) {
		*data = dice(COUNT(readers));
		size = 1;
	}
	return 1 + readers[*data].mutate(data + 1, size - 1, room - 1);
}
