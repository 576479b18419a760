// SPDX-License-Identifier: GPL-2.0-or-later
/* machine.c - the address space of the code under test. See machine.h. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "machine.h"

#define INT3		0xcc
#define LAND_CHUNK	(16ul << 20)	/* one piece of memory, mapped many times */
#define GUARD		(16 * MACHINE_PAGE)
#define CAPTURE_AT	(MACHINE_DESK + MACHINE_PAGE)	/* a read-only page: the address of cpu_capture */
#define PAD_STRIDE	32
#define ENTRY_ROOM	(MACHINE_PAGE / 4)	/* for a copy of entry.S */
#define PADS_A_PAGE	(MACHINE_PAGE / PAD_STRIDE)
#define NR_REGIONS	(NR_TEXTS + NR_SLOTS)

/* No address is a power of two or next to one: registers hold such numbers more often. */
const u64 machine_text[NR_TEXTS] = { 0x24000, 0x40a34000, 0x7ffe4000 };
const u64 machine_slots[NR_SLOTS] = { 0x4c000, 0x50654000, 0x7ffc4000 };
const u64 machine_window[NR_WINDOWS] = { 0x6c000, 0x7ffa4000, 0x123456784000 };
static const u64 pad_pages[] = { 0x84000, 0x7ff04000, 0x9010c000, 0x234567894000 };

/* Code is written at one address and executed at another. */
static u8 *edit[NR_REGIONS];
#define REACHED_AT	(MACHINE_DESK + 0x5c8)
static volatile u32 *const reached = (u32 *)REACHED_AT;
static u64 trial_pad[PAD_FIXED];

void cpu_capture(void);
void cpu_hit(void);

/* entry.S */
extern const u8 fidelity_entry[], fidelity_entry_hit[], fidelity_entry_end[], kt_x86_jump_special[],
	kt_x86_direct_enter[], kt_x86_direct_slow[];

static u64 region_at(unsigned int i)
{
	return i < NR_TEXTS ? machine_text[i] : machine_slots[i - NR_TEXTS];
}

static u8 *writable(u64 at)
{
	unsigned int i;

	for (i = 0; i < NR_REGIONS; i++)
		if (at - region_at(i) < TEXT_BYTES)
			return edit[i] + (at - region_at(i));
	__builtin_trap();
}

static bool map(u64 at, size_t n, int protection, int fd)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;

	return mmap((void *)at, n, protection, flags | MAP_FIXED, fd, 0) == (void *)at;
}

static int memory_of_int3(size_t n)
{
	int fd = memfd_create("fidelity", MFD_CLOEXEC);
	void *all;

	if (fd < 0 || ftruncate(fd, n))
		return -1;
	all = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (all == MAP_FAILED)
		return -1;
	memset(all, INT3, n);
	munmap(all, n);
	return fd;
}

static bool map_land(void)
{
	int fd = memory_of_int3(LAND_CHUNK);
	u64 at, n;

	/* The process itself may have nothing mapped there. */
	if (fd < 0 || mmap((void *)MACHINE_DESK, MACHINE_END - MACHINE_DESK, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) !=
			      (void *)MACHINE_DESK)
		return false;
	for (at = MACHINE_LAND; at < MACHINE_END; at += n) {
		n = MACHINE_END - at < LAND_CHUNK ? MACHINE_END - at : LAND_CHUNK;
		if (!map(at, n, PROT_READ | PROT_EXEC, fd))
			return false;
	}
	close(fd);
	return true;
}

static bool map_regions(void)
{
	unsigned int i;

	for (i = 0; i < NR_REGIONS; i++) {
		int fd = memory_of_int3(TEXT_BYTES);

		if (fd < 0 || !map(region_at(i), TEXT_BYTES, PROT_READ | PROT_EXEC, fd))
			return false;
		edit[i] = mmap(NULL, TEXT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
		if (edit[i] == MAP_FAILED)
			return false;
	}
	return true;
}

static bool map_windows(int fd, size_t n)
{
	unsigned int i;

	for (i = 0; i < NR_WINDOWS; i++)
		if (!map(machine_window[i] - GUARD, n + 2 * GUARD, PROT_NONE, -1) ||
		    !map(machine_window[i], n, PROT_READ | PROT_WRITE, fd))
			return false;
	return true;
}

/* movl $number, (desk); jmp *(CAPTURE_AT): absolute addresses, so it works anywhere. */
static void make_pad(u8 *to, u32 number)
{
	static const u8 mov[] = { 0xc7, 0x04, 0x25 }, jmp[] = { 0xff, 0x24, 0x25 };
	u32 desk = REACHED_AT, capture = CAPTURE_AT;

	memcpy(to, mov, 3);
	memcpy(to + 3, &desk, 4);
	memcpy(to + 7, &number, 4);
	memcpy(to + 11, jmp, 3);
	memcpy(to + 14, &capture, 4);
}

static bool map_desk(void)
{
	u64 capture = (u64)cpu_capture;

	if (!map(MACHINE_DESK, 2 * MACHINE_PAGE, PROT_READ | PROT_WRITE, -1))
		return false;
	memcpy((void *)CAPTURE_AT, &capture, sizeof(capture));
	return !mprotect((void *)CAPTURE_AT, MACHINE_PAGE, PROT_READ);
}

static u64 entry_copy(unsigned int copy)
{
	return MACHINE_HIT + (copy + 1) * ENTRY_ROOM;
}

static u64 in_copy(unsigned int copy, const u8 *function)
{
	return entry_copy(copy) + (function - fidelity_entry);
}

u64 machine_special(unsigned int copy)
{
	return in_copy(copy, kt_x86_jump_special);
}

u64 machine_direct_enter(void)
{
	return in_copy(SPECIAL_RIGHT, kt_x86_direct_enter);
}

u64 machine_direct_slow(void)
{
	return in_copy(SPECIAL_RIGHT, kt_x86_direct_slow);
}

static bool copy_entry(unsigned int copy, u64 hit)
{
	static const struct {
		u8 these[4], those[4];
	} faults[NR_SPECIALS] = {
		[SPECIAL_SWAPPED] = { { 0x53, 0x55, 0x41, 0x54 }, { 0x55, 0x53, 0x41, 0x54 } },	/* push rbx, rbp */
		[SPECIAL_LEFT] = { { 0x48, 0x83, 0xc4, 0x30 }, { 0x48, 0x83, 0xc4, 0x28 } },	/* add 48, rsp */
	};
	const size_t n = fidelity_entry_end - fidelity_entry;
	u8 *to = (u8 *)entry_copy(copy), *at;

	memcpy(to, fidelity_entry, n);
	memcpy(to + (fidelity_entry_hit - fidelity_entry), &hit, sizeof(hit));
	if (copy == SPECIAL_RIGHT)
		return true;
	at = memmem((u8 *)machine_special(copy), to + n - (u8 *)machine_special(copy), faults[copy].these, 4);
	if (at)
		memcpy(at, faults[copy].those, 4);
	return at;
}

static bool copy_entries(u64 hit)
{
	unsigned int copy;

	for (copy = 0; copy < NR_SPECIALS; copy++)
		if (!copy_entry(copy, hit))
			return false;
	return (size_t)(fidelity_entry_end - fidelity_entry) <= ENTRY_ROOM;
}

/* jmp *(address); the address follows it. */
static bool map_hit(void)
{
	static const u8 jmp[] = { 0xff, 0x25, 0, 0, 0, 0 };
	u64 hit = (u64)cpu_hit;

	if (!map(MACHINE_HIT, MACHINE_PAGE, PROT_READ | PROT_WRITE, -1))
		return false;
	memcpy((void *)MACHINE_HIT, jmp, sizeof(jmp));
	memcpy((u8 *)MACHINE_HIT + sizeof(jmp), &hit, sizeof(hit));
	if (!copy_entries(hit))
		return false;
	return !mprotect((void *)MACHINE_HIT, MACHINE_PAGE, PROT_READ | PROT_EXEC);
}

static bool map_pads(void)
{
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(pad_pages); i++) {
		u8 *page = (u8 *)pad_pages[i];

		if (!map(pad_pages[i], MACHINE_PAGE, PROT_READ | PROT_WRITE, -1))
			return false;
		memset(page, INT3, MACHINE_PAGE);
		for (k = 0; k < PADS_A_PAGE; k++)
			make_pad(page + k * PAD_STRIDE, PAD_FIXED + i * PADS_A_PAGE + k);
		if (mprotect(page, MACHINE_PAGE, PROT_READ | PROT_EXEC))
			return false;
	}
	return true;
}

const char *machine_init(int window_fd, size_t window_bytes)
{
	if (!map_land())
		return "the lowest 4 GiB of the address space cannot be mapped";
	if (!map_regions() || !map_windows(window_fd, window_bytes) || !map_desk() || !map_hit() ||
	    !map_pads())
		return "memory for the code under test cannot be mapped";
	return NULL;
}

void machine_write(u64 at, const void *bytes, size_t n)
{
	memcpy(writable(at), bytes, n);
}

void machine_erase(u64 at, size_t n)
{
	memset(writable(at), INT3, n);
}

void machine_pad(u64 at, enum pad pad)
{
	make_pad(writable(at), pad);
	trial_pad[pad] = at;
}

u64 machine_fixed_pad(u32 number)
{
	number %= ARRAY_SIZE(pad_pages) * PADS_A_PAGE;
	return pad_pages[number / PADS_A_PAGE] + number % PADS_A_PAGE * PAD_STRIDE;
}

bool machine_is_text(u64 at, size_t n)
{
	unsigned int i;

	for (i = 0; i < NR_TEXTS; i++)
		if (at >= machine_text[i] && at + n <= machine_text[i] + TEXT_BYTES)
			return true;
	return false;
}

static bool within(u64 at, const u64 *regions, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (at - (regions[i] - GUARD) < TEXT_BYTES + 2 * GUARD)
			return true;
	return false;
}

bool machine_is_land(u64 at)
{
	return at >= MACHINE_LAND && at < MACHINE_END && !within(at, machine_text, NR_TEXTS) &&
	       !within(at, machine_slots, NR_SLOTS) && !within(at, machine_window, NR_WINDOWS) &&
	       !within(at, pad_pages, ARRAY_SIZE(pad_pages));
}

bool machine_is_pad(u64 at)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pad_pages); i++)
		if (at - pad_pages[i] < MACHINE_PAGE)
			return at % PAD_STRIDE == 0;
	return false;
}

void machine_forget_pad(void)
{
	*reached = PAD_NONE;
}

bool machine_pad_reached(u64 *at)
{
	u32 pad = *reached;

	*at = pad >= PAD_FIXED ? machine_fixed_pad(pad - PAD_FIXED) : trial_pad[pad];
	return pad != PAD_NONE;
}
