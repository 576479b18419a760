// SPDX-License-Identifier: GPL-2.0-or-later
/* test_show.c - the forms in which a number can be shown. */
#include "unit.h"

#include <string.h>

#include "ctl/trace/print/show_number.h"

static void check(const char *name, int64_t value, uint8_t bytes, bool is_signed, const char *expected)
{
	char buf[SHOW_SIZE];
	enum show show;

	assert_true(show_named(name, strlen(name), &show));
	assert_string_equal(show_name(show), name);
	assert_string_equal(show_number(show, value, bytes, is_signed, buf), expected);
}

static void test_numbers(void **state)
{
	check("x", 0x8042, 4, false, "0x8042");
	check("x", -1, 4, true, "0xffffffff");
	check("x", -1, 1, true, "0xff");
	check("x", -1, 8, true, "0xffffffffffffffff");
	check("x", 0, 8, false, "0x0");
	check("d", -1, 8, false, "18446744073709551615");
	check("d", -1, 8, true, "-1");
	check("o", 0644, 2, false, "0644");
	check("o", 0, 2, false, "00");
	check("b", 10, 4, false, "0b1010");
	check("b", 0, 4, false, "0b0");
	check("b", -1, 8, true, "0b1111111111111111111111111111111111111111111111111111111111111111");
	check("b", INT64_MIN, 8, true, "0b1000000000000000000000000000000000000000000000000000000000000000");
	check("c", 'k', 1, true, "'k'");
	check("c", '\'', 1, true, "'\\''");
	check("c", '\n', 1, true, "0xa");
	check("c", -1, 1, true, "0xff");
	check("c", 0, 1, true, "0x0");
	check("c", 0x161, 4, true, "0x161");
	check("e", -2, 8, true, "-ENOENT");
	check("e", 11, 4, true, "EAGAIN");
	check("e", -512, 8, true, "-ERESTARTSYS");
	check("e", 0, 4, true, "0");
	check("e", -4096, 8, true, "-4096");
	check("e", -2, 8, false, "-ENOENT");
	check("e", 4000, 8, false, "4000");
	check("ret", -2, 8, true, "-ENOENT");
	check("ret", -2, 4, true, "-ENOENT");
	check("ret", 2, 4, true, "2");
	check("ret", -4096, 8, true, "-4096");
	check("t", 1500000, 8, false, "1.50 ms");
	check("t", -1500000, 8, true, "-1.50 ms");
	check("t", 0, 8, true, "0");
	check("dev", 0x800001, 4, false, "8:1");
	check("dev", 0xfffff, 4, false, "0:1048575");
	check("dev", 0x100000000LL, 8, false, "0x100000000");
	check("mode", 0100644, 2, false, "-rw-r--r--");
	check("mode", 0040755, 4, true, "drwxr-xr-x");
	check("mode", 0104711, 2, false, "-rws--x--x");
	check("mode", 0041777, 2, false, "drwxrwxrwt");
	check("mode", 0120777, 2, false, "lrwxrwxrwx");
	check("mode", 0022640, 2, false, "crw-r-S---");
	check("mode", 0140000, 2, false, "s---------");
	check("mode", 0644, 2, false, "0644");
	check("mode", 0, 2, false, "0");
	check("mode", 0200000, 4, false, "0200000");
	check("ip", 0x0100007f, 4, false, "127.0.0.1");
	check("ip", (int32_t)0xfe01a8c0, 4, true, "192.168.1.254");
	check("ip", 0x10100007fLL, 8, false, "0x10100007f");
}

static void check_bytes(const char *name, const char *bytes, size_t n, const char *expected)
{
	char buf[SHOW_BYTES_SIZE];
	enum show show;

	assert_true(show_named(name, strlen(name), &show));
	assert_true(show_is_of_bytes(show) && !show_is_of_number(show));
	assert_string_equal(show_bytes(show, (const uint8_t *)bytes, n, buf), expected);
}

static void test_bytes(void **state)
{
	char many[SHOW_MOST_BYTES], buf[SHOW_BYTES_SIZE];

	check_bytes("mac", "\x52\x54\0\x12\x34\xff", 6, "52:54:00:12:34:ff");
	check_bytes("uuid", "\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\0", 16, "123e4567-e89b-12d3-a456-426614174000");
	check_bytes("ip6", "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16, "2001:db8::1");
	check_bytes("ip6", "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\x01", 16, "::ffff:127.0.0.1");
	check_bytes("ip6", "\x20", 1, "20");
	check_bytes("bytes", "hi\n\0", 4, "68 69 0a 00 |hi..|");
	check_bytes("bytes", "\x01 \xff", 3, "01 20 ff");
	check_bytes("bytes", "A", 1, "41 |A|");
	check_bytes("bytes", "", 0, "");
	memset(many, '~', sizeof(many));
	for (enum show show = SHOW_MAC; show <= SHOW_BYTES; show++)
		assert_true(strlen(show_bytes(show, (const uint8_t *)many, sizeof(many), buf)) < sizeof(buf));
}

static void check_array(const char *bytes, size_t n, const char *expected)
{
	char buf[SHOW_BYTES_SIZE];

	assert_string_equal(show_byte_array((const uint8_t *)bytes, n, buf), expected);
}

/* The text stands beside the bytes only if it is no chance. */
static void test_byte_array(void **state)
{
	char many[SHOW_MOST_BYTES], buf[SHOW_BYTES_SIZE];

	check_array("\x52\x54\0\x12\x34\xff", 6, "52 54 00 12 34 ff");
	check_array("root\0\x80", 6, "72 6f 6f 74 00 80 |root|");
	check_array("a b.", 4, "61 20 62 2e |a b.|");
	check_array("abc\0def\0", 8, "61 62 63 00 64 65 66 00");
	check_array("abcd\n\0", 6, "61 62 63 64 0a 00");
	check_array("\0abcd", 5, "00 61 62 63 64");
	check_array("", 0, "");
	memset(many, '~', sizeof(many));
	assert_true(strlen(show_byte_array((const uint8_t *)many, sizeof(many), buf)) < sizeof(buf));
}

static void check_flags(uint64_t value, uint8_t bytes, const char *expected)
{
	static struct field_name names[] = { { 6, "BOTH" }, { 2, "TWO" }, { 4, "FOUR" }, { 0x80, "HIGH" }, { 0, "NONE" } };
	const struct field field = { .kind = FIELD_INT, .bytes = bytes, .names = names, .nr_names = 5, .show = SHOW_FLAGS };
	char buf[VALUE_NAMES_SIZE];

	assert_string_equal(show_flag_names(&field, value, buf), expected);
}

/* In the order of the names: those of several flags are first. */
static void test_flags(void **state)
{
	static char name[] = "a_name_of_many_characters_for_a_flag";
	struct field_name names[64];
	const struct field many = { .kind = FIELD_INT, .bytes = 8, .names = names, .nr_names = 64, .show = SHOW_FLAGS };
	char buf[VALUE_NAMES_SIZE];

	check_flags(6, 4, "BOTH");
	check_flags(2, 4, "TWO");
	check_flags(0x87, 4, "BOTH|HIGH|0x1");
	check_flags(0, 4, "NONE");
	check_flags(1, 4, "0x1");
	check_flags((uint64_t)-128, 1, "HIGH");
	check_flags((uint64_t)-128, 2, "HIGH|0xff00");
	/* What has no room stays a number. */
	for (size_t i = 0; i < 64; i++)
		names[i] = (struct field_name){ (int64_t)(1ULL << i), name };
	assert_true(strlen(show_flag_names(&many, UINT64_MAX, buf)) < sizeof(buf));
	assert_contains(buf, "|0xfffffffffffff");
}

static void test_names(void **state)
{
	char buf[SHOW_NAMES_SIZE];
	enum show show;

	assert_string_equal(show_names(buf), "x, d, o, b, c, e, t, ip, dev, mode, ret, flags, mac, uuid, ip6, bytes, s, p, packet, pids");
	assert_false(show_named("", 0, &show));
	assert_false(show_named("i", 1, &show));
	assert_false(show_named("xx", 2, &show));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_numbers), cmocka_unit_test(test_bytes), cmocka_unit_test(test_byte_array), cmocka_unit_test(test_flags), cmocka_unit_test(test_names) };

	return cmocka_run_group_tests_name("show", tests, NULL, NULL);
}
