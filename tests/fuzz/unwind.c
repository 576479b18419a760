// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwind.c - fuzz the walk of a program's stack by its unwind tables (core/unwind.c). The tables are the program's, so any
 * of their bytes may be anything: the walk must end after bounded work, and read nothing but the program's memory. Whether
 * it is done in parts or at once must make no difference.
 *
 * The input has the registers, by DWARF number in 64 words, and then the memory from BASE on: a small program that has been
 * stopped, with its file's first bytes at BASE and its stack in its data.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#include "core/unwind.c"
#include "core/unwind_expression.c"
#include "core/unwind_read.c"
#include "core/unwind_table.c"

#define BASE	0x400000ULL
#define WORDS	64

static const uint8_t *memory;
static size_t bytes;
static unsigned int loads;

static void wrong(const char *what)
{
	fprintf(stderr, "walk: %s\n", what);
	abort();
}

bool kt_load(void *to, u64 addr, size_t size)
{
	loads++;
	if (size > 8 && (size > 64 || addr / 64 != (addr + size - 1) / 64))
		wrong("a load that kt_load() does not do");
	if (addr < BASE || addr - BASE > bytes || size > bytes - (addr - BASE))
		return false;
	memcpy(to, memory + (addr - BASE), size);
	return true;
}

bool kt_code_map(u64 addr, struct kt_code_map *map)
{
	loads++;
	if (addr < BASE || addr - BASE >= bytes)
		return false;
	*map = (struct kt_code_map){ .start = BASE, .end = BASE + bytes, .header = BASE };
	return true;
}

static void judge(const struct kt_unwind *u)
{
	unsigned int gaps = 0;

	if (u->n > KT_MAX_DEPTH || loads > KT_UNWIND_WORK)
		wrong("too long");
	for (u32 i = 0; i < u->n; i++) {
		gaps += u->callers[i] == KT_CALLER_UNKNOWN;
		if (i && !u->callers[i])
			wrong("0 is a caller");
	}
	if (gaps > 2 || (gaps == 2 && !u->guesses) || (u->n < KT_MAX_DEPTH && !u->over))
		wrong("a list of another form");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kt_unwind whole, parts;
	struct pt_regs regs = { .psr = 0 };

	if (size < WORDS * 8)
		return 0;
	memcpy(regs.general, data, sizeof(regs.general));
	memory = data + WORDS * 8;
	bytes = size - WORDS * 8;
	loads = 0;
	whole.n = 0;
	kt_unwind_to(&whole, &regs, KT_MAX_DEPTH);
	judge(&whole);
	parts.n = 0;
	for (u32 most = 1; most <= KT_MAX_DEPTH; most += 1 + most / 2)
		kt_unwind_to(&parts, &regs, most);
	kt_unwind_to(&parts, &regs, KT_MAX_DEPTH);
	if (parts.n != whole.n || memcmp(parts.callers, whole.callers, 8 * whole.n))
		wrong("another list in parts");
	return 0;
}

/* Most bytes of a program that is a page or two are 0: change others. */
static size_t place(const uint8_t *data, size_t size)
{
	size_t at = (size_t)rand() % size;

	for (int i = 0; i < 12 && !data[at]; i++)
		at = (size_t)rand() % size;
	return at;
}

const unsigned int fuzz_mutants = 40000;

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
	srand(seed);
	if (size < WORDS * 8)
		return LLVMFuzzerMutate(data, size, room);
	for (int n = 1 + rand() % 4; n; n--) {
		const size_t at = place(data, size);

		switch (rand() % 4) {
		case 0:
			data[at] ^= 1 << rand() % 8;
			break;
		case 1:
			data[at] += rand() % 17 - 8;
			break;
		case 2:
			data[at] = data[place(data, size)];
			break;
		default:
			data[at] = rand();
		}
	}
	return size;
}
