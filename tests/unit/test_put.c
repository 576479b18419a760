// SPDX-License-Identifier: GPL-2.0-or-later
/* test_put.c - put.h writes numbers and blanks as printf() does. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

#include "ctl/base/memory.h"
#include "ctl/base/put.h"

/* A number of any size. */
static uint64_t any(void)
{
	const uint64_t bits = (uint64_t)rand() << 62 ^ (uint64_t)rand() << 31 ^ (uint64_t)rand();

	return bits >> rand() % 64;
}

static void check(uint64_t v)
{
	char text[PUT_DIGITS], expected[PUT_DIGITS];
	int len;

	len = snprintf(expected, sizeof(expected), "%" PRIu64, v);
	assert_int_equal(put_format_decimal(text, v), len);
	assert_string_equal(text, expected);
	len = snprintf(expected, sizeof(expected), "%" PRId64, (int64_t)v);
	assert_int_equal(put_format_signed(text, v), len);
	assert_string_equal(text, expected);
	for (int least = 1; least <= 16; least++) {
		len = snprintf(expected, sizeof(expected), "%0*" PRIx64, least, v);
		assert_int_equal(put_format_hex(text, v, least), len);
		assert_string_equal(text, expected);
	}
}

static void test_numbers(void **state)
{
	(void)state;
	unit_random();
	for (uint64_t power = 1; power < UINT64_MAX / 10; power *= 10)
		for (uint64_t near = power - 1; near <= power + 1; near++)
			check(near);
	for (unsigned int bit = 0; bit < 64; bit++)
		for (uint64_t near = (1ULL << bit) - 1; near <= (1ULL << bit) + 1 && near + 2; near++)
			check(near);
	check(UINT64_MAX);
	check(UINT64_MAX - 1);
	for (size_t i = 0; i < 100000; i++)
		check(any());
}

static void test_fixed(void **state)
{
	char text[PUT_DIGITS], expected[PUT_DIGITS];

	(void)state;
	for (uint32_t v = 0; v < 1000000000; v += 1 + v / 7) {
		*put_fixed(text, v, 9) = '\0';
		snprintf(expected, sizeof(expected), "%09u", v);
		assert_string_equal(text, expected);
	}
}

static void test_stream(void **state)
{
	char *text = NULL, expected[1000];
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	put_decimal(out, 18446744073709551615U);
	put_blanks(out, 3);
	put_signed(out, INT64_MIN);
	put_blanks(out, 0);
	put_hex(out, 0xbeef, 8);
	put_blanks(out, -5);
	put_char(out, ',');
	put_blanks(out, 300);
	put_text(out, "end");
	fclose(out);
	snprintf(expected, sizeof(expected), "%" PRIu64 "   %" PRId64 "0000beef,%300send", UINT64_MAX, INT64_MIN, "");
	assert_string_equal(text, expected);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_fixed), cmocka_unit_test(test_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
