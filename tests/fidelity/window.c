// SPDX-License-Identifier: GPL-2.0-or-later
/* window.c - the memory of the code under test. See window.h. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "machine.h"
#include "window.h"

#define LINE		64
#define MAX_PATCHES	8
#define MAX_PATCH	256

static u8 *now;
static u8 image[WINDOW_BYTES] __attribute__((aligned(LINE)));

static struct {
	u32 offset, n;
	u8 old[MAX_PATCH];
} patches[MAX_PATCHES];
static unsigned int nr_patches;

int window_create(void)
{
	int fd = memfd_create("fidelity", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, WINDOW_BYTES))
		return -1;
	now = mmap(NULL, WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return now == MAP_FAILED ? -1 : fd;
}

void window_fill(u64 seed, u64 number)
{
	struct rng rng;
	u32 i;

	rng_seed(&rng, seed ^ 0x77696e646f77, number);
	for (i = 0; i < WINDOW_BYTES; i += sizeof(u64)) {
		u64 word = rng_next(&rng);

		memcpy(image + i, &word, sizeof(word));
	}
	memcpy(now, image, WINDOW_BYTES);
}

bool window_offset(u64 linear, size_t n, u32 *offset)
{
	unsigned int i;

	for (i = 0; i < NR_WINDOWS; i++) {
		*offset = linear - machine_window[i];
		if (linear - machine_window[i] <= WINDOW_BYTES - n)
			return true;
	}
	return false;
}

void window_patch(u32 offset, const void *bytes, size_t n)
{
	if (nr_patches == MAX_PATCHES || n > MAX_PATCH)
		return;
	patches[nr_patches].offset = offset;
	patches[nr_patches].n = n;
	memcpy(patches[nr_patches++].old, image + offset, n);
	memcpy(image + offset, bytes, n);
	memcpy(now + offset, bytes, n);
}

void window_adopt(u32 offset, size_t n)
{
	u8 bytes[MAX_PATCH];

	if (n > MAX_PATCH)
		return;
	memcpy(bytes, now + offset, n);
	window_patch(offset, bytes, n);
}

void window_unpatch(void)
{
	while (nr_patches) {
		nr_patches--;
		memcpy(image + patches[nr_patches].offset, patches[nr_patches].old, patches[nr_patches].n);
		memcpy(now + patches[nr_patches].offset, patches[nr_patches].old, patches[nr_patches].n);
	}
}

const u8 *window_image(void)
{
	return image;
}

void window_restore(void)
{
	u32 i;

	if (!memcmp(now, image, WINDOW_BYTES))
		return;
	for (i = 0; i < WINDOW_BYTES; i += LINE)
		if (memcmp(now + i, image + i, LINE))
			memcpy(now + i, image + i, LINE);
}

bool window_changes(u8 *copy)
{
	if (!memcmp(now, image, WINDOW_BYTES))
		return false;
	memcpy(copy, now, WINDOW_BYTES);
	return true;
}
