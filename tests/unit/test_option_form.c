// SPDX-License-Identifier: GPL-2.0-or-later
/* test_option_form.c - VAR with a form in which the value is shown, with bytes, and with a slice of an array. */
#include "plan_line.h"

/* The descriptor as another controller reads it from the module.  The caller frees it. */
static struct desc *read_back(const struct desc *desc)
{
	AUTO_FREE void *blob = NULL;
	struct desc *read;
	size_t len;

	assert_true(desc_encode(desc, &blob, &len, &err));
	read = desc_decode(blob, len, &err);
	assert_non_null(read);
	return read;
}

/* A form behind the expression of VAR: it is not part of the name, and another controller reads it back. */
static void test_shown(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	const struct desc *desc;
	struct desc *read;

	must_plan("vfs_write VAR $rdi:x VAR flags = (s32)$rsi :b VAR *(u16*)$rdi:o PID VAR $rcx ? 1 : 2 VAR $eax == 3:d", &plans);
	desc = plans.v[0].desc;
	assert_int_equal(desc->nr_fields, 6);
	assert_string_equal(desc->fields[0].name, "$rdi");
	assert_int_equal(desc->fields[0].show, SHOW_HEX);
	assert_string_equal(desc->fields[2].name, "*(u16*)$rdi");
	assert_int_equal(desc->fields[2].show, SHOW_OCTAL);
	assert_int_equal(desc->fields[4].show, SHOW_BY_TYPE);
	assert_int_equal(desc->fields[5].show, SHOW_DECIMAL);
	check_program(desc);
	read = read_back(desc);
	assert_int_equal(read->fields[0].show, SHOW_HEX);
	assert_int_equal(read->fields[4].show, SHOW_BY_TYPE);
	desc_free(read);
}

/* Flags by names that are given, or by a type's: another controller, elsewhere, needs only the descriptor. */
static void test_shown_flags(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	struct desc *read;

	must_plan("vfs_write VAR mode = (u8)$rdi:flags(READ,WRITE,,EXEC) PID VAR $rsi:flags(fmode_t)", &plans);
	read = read_back(plans.v[0].desc);
	assert_int_equal(read->nr_fields, 3);
	assert_string_equal(read->fields[0].name, "mode");
	assert_int_equal(read->fields[0].show, SHOW_FLAGS);
	assert_int_equal(read->fields[0].nr_names, 3);
	assert_string_equal(read->fields[0].names[2].name, "EXEC");
	assert_int_equal(read->fields[0].names[2].value, 8);
	assert_int_equal(read->fields[2].names[5].value, 0x20);
	desc_free(read);
	refused("vfs_write VAR $rdi:flags", STATUS_USAGE, ":flags needs a type with names, or names: :flags(gfp_t)");
	refused("vfs_write VAR $rdi:flags(gfp_t", STATUS_USAGE, ":flags needs a type with names");
	refused("vfs_write VAR (u8)$rdi:flags(A,B,C,D,E,F,G,H,I)", STATUS_USAGE, "more names than the 8 bits");
	refused("vfs_write VAR $rdi:flags(,)", STATUS_USAGE, "no name: name the bits from the lowest on");
	refused("vfs_write VAR (char *)$rdi:flags(A,B)", STATUS_USAGE, "a pointer has no flags");
	refused("vfs_write VAR count:flags(A,B)", STATUS_USAGE, "unknown symbol 'count'");
	refused("vfs_write VAR $rdi:flags(gfp_t)", STATUS_FAILURE, "the names of the flags of gfp_t are unknown");
	refused("vfs_write IF '$rdi & __GFP_ZERO'", STATUS_USAGE, "the names of the flags of gfp_t are unknown");
}

/* Forms of what is in memory. */
static void test_shown_bytes(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	const struct desc *desc;
	struct desc *read;

	must_plan("vfs_write VAR $rdi:p VAR (u8 *)$rdi:mac VAR id = (void *)$rsi:uuid VAR ((u8*)$rdi)[3..9]:bytes VAR $rsi:s "
		  "VAR t = $rsi:s VAR ((u8*)$rsi)[0..5]:s VAR ((u64*)$rsi)[1..2]:p", &plans);
	desc = plans.v[0].desc;
	assert_int_equal(desc->nr_fields, 10);
	assert_int_equal(desc->fields[0].kind, FIELD_POINTER);
	assert_int_equal(desc->fields[1].kind, FIELD_STRING);
	assert_int_equal(desc->fields[1].show, SHOW_MAC);
	assert_int_equal(desc->fields[1].length, 8);
	assert_int_equal(desc->fields[1].most, 6);
	assert_string_equal(desc->fields[2].name, "id");
	assert_int_equal(desc->fields[2].most, 16);
	assert_string_equal(desc->fields[3].name, "((u8*)$rdi)[3..9]");
	assert_int_equal(desc->fields[3].most, 7);
	assert_true(desc->fields[4].is_address);
	assert_int_equal(desc->fields[5].kind, FIELD_STRING);
	assert_string_equal(desc->fields[6].name, "t");
	assert_int_equal(desc->fields[7].most, 6);
	assert_string_equal(desc->fields[9].name, "((u64*)$rsi)[2]");
	assert_int_equal(desc->fields[9].kind, FIELD_POINTER);
	check_program(desc);
	read = read_back(desc);
	assert_int_equal(read->fields[1].show, SHOW_MAC);
	assert_int_equal(read->fields[3].show, SHOW_BYTES);
	desc_free(read);
	plans_free(&plans);
	must_plan("vfs_write VAR ((u8*)$rdi)[0..15]:ip VAR (u8*)$rdi:ip6 VAR ((u32*)$rdi)[0..3]:ip VAR (u32)$rdi:ip", &plans);
	desc = plans.v[0].desc;
	assert_int_equal(desc->nr_fields, 7);
	for (size_t i = 0; i < 2; i++)
		assert_true(desc->fields[i].show == SHOW_IP6 && desc->fields[i].most == 16);
	for (size_t i = 2; i < 7; i++)
		assert_int_equal(desc->fields[i].show, SHOW_IP);
	check_program(desc);
	refused("vfs_write VAR ((u8*)$rdi)[0..14]:ip6", STATUS_USAGE, "it has 15 bytes, and this form shows 16");
	refused("vfs_write VAR $rdi:mac", STATUS_USAGE, "VAR $rdi:mac: only bytes in memory are shown so");
	refused("vfs_write VAR (u8*)$rdi:bytes", STATUS_USAGE, "how many bytes is unknown: say it, as in ((u8 *)p)[0..15]:bytes");
	refused("vfs_write VAR ((u8*)$rdi)[0..4]:mac", STATUS_USAGE, "it has 5 bytes, and this form shows 6");
	refused("vfs_write VAR ((u8*)$rdi)[0..64]:bytes", STATUS_USAGE, "65 bytes: at most 64 are shown so");
	refused("vfs_write VAR (u32)$rdi:s", STATUS_USAGE, "this is no text");
	refused("vfs_write VAR ((u32*)$rdi)[0..1]:s", STATUS_USAGE, "this is no text");
	refused("vfs_write VAR (u32)$rdi:p", STATUS_USAGE, "a pointer has 8 bytes");
}

/* Bytes by their type, which are one item. */
static void test_byte_arrays(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	const struct desc *desc;
	struct desc *read;

	must_plan("vfs_write VAR ((u8*)$rdi)[1..3] VAR id = ((unsigned char *)$rsi)[0..99] VAR ((u8*)$rdi)[1..2]:d VAR ((s8*)$rdi)[1..2]",
		  &plans);
	desc = plans.v[0].desc;
	assert_int_equal(desc->nr_fields, 6);
	assert_string_equal(desc->fields[0].name, "((u8*)$rdi)[1..3]");
	assert_int_equal(desc->fields[0].most, 3);
	assert_int_equal(desc->fields[0].length, 4);
	assert_string_equal(desc->fields[1].name, "id");
	assert_int_equal(desc->fields[1].elements, 100);
	assert_string_equal(desc->fields[3].name, "((u8*)$rdi)[2]");
	assert_int_equal(desc->fields[3].show, SHOW_DECIMAL);
	assert_int_equal(desc->fields[5].kind, FIELD_INT);
	check_program(desc);
	read = read_back(desc);
	assert_int_equal(read->fields[0].show, SHOW_BYTES);
	assert_int_equal(read->fields[0].elements, 3);
	assert_int_equal(read->fields[1].elements, 100);
	assert_int_equal(read->fields[1].most, SHOW_MOST_BYTES);
	desc_free(read);
}

static void test_slices(void **state)
{
	AUTO_PLANS struct plans plans = { 0 };
	const struct desc *desc;

	must_plan("vfs_write VAR ((u32 *)$rdi)[1..3]:x VAR (((u8**)$rsi)[4..4]) VAR ids = ((u16*)$rsi)[0..1] PID", &plans);
	desc = plans.v[0].desc;
	assert_int_equal(desc->nr_fields, 7);
	assert_string_equal(desc->fields[0].name, "((u32 *)$rdi)[1]");
	assert_string_equal(desc->fields[2].name, "((u32 *)$rdi)[3]");
	assert_int_equal(desc->fields[2].show, SHOW_HEX);
	assert_string_equal(desc->fields[3].name, "(((u8**)$rsi)[4..4])[4]");
	assert_int_equal(desc->fields[3].show, SHOW_BY_TYPE);
	assert_string_equal(desc->fields[5].name, "ids[1]");
	check_program(desc);
	refused("vfs_write IF ((u32 *)$rdi)[1..3]", STATUS_USAGE, "a slice can only be recorded as a whole");
	refused("vfs_write VAR ((u32 *)$rdi)[1..3] + 1", STATUS_USAGE, "a slice can only be recorded as a whole");
	refused("vfs_write VAR *((u32 **)$rdi)[1..3]", STATUS_USAGE, "a slice can only be recorded as a whole");
	refused("vfs_write STR ((char **)$rdi)[1..3]", STATUS_USAGE, "a slice can only be recorded as a whole");
	refused("vfs_write SUM ((u32 *)$rdi)[1..3]", STATUS_USAGE, "a slice can only be recorded as a whole");
	refused("vfs_write IF ((char **)$rdi)[1..3] == \"x\"", STATUS_USAGE, "this is no text in memory");
	refused("vfs_write VAR ((u32 *)$rdi)[3..1]", STATUS_USAGE, "the ends of a slice are constant numbers");
	refused("vfs_write VAR ((u32 *)$rdi)[$rsi..4]", STATUS_USAGE, "the ends of a slice are constant numbers");
	refused("vfs_write VAR ((u32 *)$rdi)[0..512]", STATUS_USAGE, "at most 512 elements");
	refused("vfs_write VAR ((u32 *)$rdi)[0..", STATUS_USAGE, "something is missing at the end");
	refused("vfs_write VAR ((u32 *)$rdi)[0..1", STATUS_USAGE, "a ] is missing");
	refused("vfs_write VAR $rdi[0..1]", STATUS_USAGE, "this is neither an array nor a pointer");
	refused("vfs_write VAR ((void *)$rdi)[0..1]", STATUS_USAGE, "the size of the elements is unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shown), cmocka_unit_test(test_shown_flags), cmocka_unit_test(test_shown_bytes),
		cmocka_unit_test(test_byte_arrays), cmocka_unit_test(test_slices),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
