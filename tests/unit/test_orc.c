// SPDX-License-Identifier: GPL-2.0-or-later
/* test_orc.c - the frame base by ORC tables, of kernels before and after the types got other numbers. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/ask/resolve/orc.h"
#include "ctl/base/memory.h"

#ifdef __x86_64__

#define IPS	0xffffffff82000000ULL
#define ENTRIES	0xffffffff82100000ULL
#define TEXT	0xffffffff81000000ULL
#define NR	1000

static int32_t ips[NR];
static uint8_t entries[NR][ARCH_ORC_BYTES];
static bool readable;

static bool read_tables(void *arg, uint64_t addr, void *to, size_t size)
{
	const bool is_entry = addr >= ENTRIES;
	const uint64_t at = addr - (is_entry ? ENTRIES : IPS);

	if (!readable || at + size > (is_entry ? sizeof(entries) : sizeof(ips)))
		return false;
	memcpy(to, (is_entry ? &entries[0][0] : (uint8_t *)ips) + at, size);
	return true;
}

/* Code of 16 bytes each. */
static void put(size_t i, int16_t offset, uint8_t reg, uint8_t type)
{
	ips[i] = (int32_t)(TEXT + 16 * i - (IPS + 4 * i));
	memcpy(entries[i], &offset, 2);
	entries[i][4] = reg | 1 << 4;	/* the frame pointer is that of the caller */
	entries[i][5] = type;
}

static const struct orc_tables tables = { IPS, ENTRIES, NR, read_tables, NULL };

static void check(uint64_t addr, uint16_t reg, int32_t offset)
{
	const char *why;
	uint16_t got;
	int32_t by;

	assert_int_equal(orc_base_in(&tables, addr, &got, &by, &why), ORC_BASE);
	assert_int_equal(got, reg);
	assert_int_equal(by, offset);
}

static void check_not(uint64_t addr, enum orc_answer answer, const char *said)
{
	const char *why;
	uint16_t reg;
	int32_t offset;

	assert_int_equal(orc_base_in(&tables, addr, &reg, &offset, &why), answer);
	assert_contains(why, said);
}

/* call: the type of ordinary code; regs: of a frame with registers; end: a flag of the old form. */
static void check_form(uint8_t call, uint8_t regs, uint8_t end)
{
	readable = true;
	for (size_t i = 0; i < NR; i++)
		put(i, 8 * (int)(i % 50), 5, call);
	put(10, 8, 5, call);
	put(11, 64, 5, call);
	put(12, 16, 4, call);		/* rbp */
	put(13, 16, 6, call);		/* r10 */
	put(14, 16, 9, call);		/* in memory */
	put(15, 168, 5, regs);
	put(16, 0, 0, end);
	put(17, -8, 5, call);
	check(TEXT + 160, 7, 8);
	check(TEXT + 175, 7, 8);
	check(TEXT + 176, 7, 64);
	check(TEXT + 192, 6, 16);
	check(TEXT + 208, 10, 16);
	check_not(TEXT + 224, ORC_UNKNOWN, "tell of no frame");
	check_not(TEXT + 240, ORC_UNKNOWN, "tell of no frame");
	check_not(TEXT + 256, ORC_UNKNOWN, "tell of no frame");
	check(TEXT + 272, 7, -8);
	check_not(TEXT - 1, ORC_NOT_COVERED, "do not have this address");
	check_not(TEXT + 16 * NR, ORC_NOT_COVERED, "do not have this address");	/* a module */
	readable = false;
	check_not(TEXT + 160, ORC_UNKNOWN, "cannot be read");
}

static void test_before_types_changed(void **state)
{
	check_form(0, 1, 4);
}

static void test_after_types_changed(void **state)
{
	check_form(2, 3, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before_types_changed), cmocka_unit_test(test_after_types_changed),
	};

	return cmocka_run_group_tests_name("orc", tests, NULL, NULL);
}

#else

/* Kernels of this architecture have no such tables. */
int main(void)
{
	return 0;
}

#endif
