// SPDX-License-Identifier: GPL-2.0-or-later
/* test_address.c - sums of symbols and numbers, the entry rule, names. */
#include "ctl/ask/resolve/resolve.h"
#include "ctl/live/session/session_target.h"
#include "unit.h"

#include <stdlib.h>

#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/probe_point.h"
#include "ctl/base/memory.h"
#include "ctl/base/number.h"
#include "fake_setup.h"

static void test_sums(void **state)
{
	static const struct {
		const char *text;
		enum address_want want;
		uint64_t value;
	} rows[] = {
		{ "vfs_write", ADDRESS_CODE, VFS_WRITE },
		{ "vfs_write+50", ADDRESS_CODE, VFS_WRITE + 0x50 },
		{ "vfs_write+0x10+4", ADDRESS_CODE, VFS_WRITE + 0x14 },
		{ "10+vfs_write", ADDRESS_CODE, VFS_WRITE + 0x10 },
		{ "vfs_write+10-8", ADDRESS_CODE, VFS_WRITE + 8 },
		{ "0xffffffff8134d3d0", ADDRESS_CODE, UINT64_C(0xffffffff8134d3d0) },
		{ "FFFFFFFF8134d3d0", ADDRESS_CODE, UINT64_C(0xffffffff8134d3d0) },
		{ "8134d3d0", ADDRESS_CODE, UINT64_C(0xffffffff8134d3d0) },
		{ "81000000+34d3d0", ADDRESS_CODE, UINT64_C(0xffffffff8134d3d0) },
		{ "7fffffff", ADDRESS_CODE, 0x7fffffff },
		{ "18134d3d0", ADDRESS_CODE, 0x18134d3d0 },
		{ "add", ADDRESS_CODE, FAKE_TEXT + 0x1900 },	/* the symbol */
		{ "0xadd", ADDRESS_CODE, 0xadd },		/* the number */
		{ "vmlinux:vfs_write", ADDRESS_CODE, VFS_WRITE },
		{ "ext4:ext4_sync_fs", ADDRESS_CODE, UINT64_C(0xffffffffc0001000) },
		{ "ext4:dup_fn", ADDRESS_CODE, UINT64_C(0xffffffffc0001100) },
		{ "dup_fn#2", ADDRESS_CODE, FAKE_TEXT + 0x1300 },
		{ "vmlinux:dup_fn#1", ADDRESS_CODE, FAKE_TEXT + 0x1200 },
		{ "dup_fn#3+4", ADDRESS_CODE, UINT64_C(0xffffffffc0001104) },
		{ "both_fn", ADDRESS_CODE, FAKE_TEXT + 0x1a00 },
		{ "both_fn#2", ADDRESS_ANY, UINT64_C(0xffffffff82000100) },
		{ "jiffies+8", ADDRESS_ANY, UINT64_C(0xffffffff82000008) },
		{ "ffffffffffffffff", ADDRESS_ANY, UINT64_MAX },
	};
	struct address address;
	struct error err;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!address_parse(fake->session.tab, rows[i].text, rows[i].want, &address, &err))
			fail_msg("%s: %s", rows[i].text, err.text);
		assert_int_equal(address.value, rows[i].value);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *text;
		enum exit_status status;
		const char *said;
	} rows[] = {
		{ "vfs_wirte", STATUS_FAILURE, "unknown symbol 'vfs_wirte': did you mean vfs_write" },
		{ "zzzzzzzzzz", STATUS_FAILURE, "unknown symbol 'zzzzzzzzzz': 'help address'" },
		{ "dup_fn", STATUS_FAILURE, "dup_fn#1 (kernel, ffffffff81001200, behind vfs_writev), dup_fn#2 (kernel, ffffffff81001300, behind vfs_writev), "
						  "ext4:dup_fn (ext4, ffffffffc0001100, behind ext4_sync_fs)" },
		{ "dup_fn#4", STATUS_FAILURE, "'dup_fn' has 3 candidates" },
		{ "vfs_write#2", STATUS_FAILURE, "has 1 candidate" },
		{ "nfs:nfs_read", STATUS_FAILURE, "no module 'nfs' is loaded" },
		{ "ext4:vfs_write", STATUS_FAILURE, "'ext4:vfs_write': ext4 does not have it: write vfs_write" },
		{ "vfs_write:12", STATUS_FAILURE, "source lines are not known" },
		{ "10000000000000000", STATUS_USAGE, "number too large" },
		{ "0xfffffffffffffffff", STATUS_USAGE, "number too large" },
		{ "ffffffffffffffff+1", STATUS_USAGE, "number too large" },
		{ "vfs_write+vfs_write", STATUS_USAGE, "number too large" },
		{ "vfs_write+add", STATUS_FAILURE, "'add' is also a symbol: to use it as an offset write 0xadd" },
		{ "sched:sched_switch", STATUS_FAILURE, "'sched:sched_switch' is a static tracepoint, not a function: write event:sched_switch" },
		{ "sched_switch", STATUS_FAILURE, "write event:sched_switch" },
		{ "", STATUS_USAGE, "is not an address" },
		{ "vfs_write+", STATUS_USAGE, "is not an address" },
		{ "+4", STATUS_USAGE, "is not an address" },
		{ "vfs_write++4", STATUS_USAGE, "is not an address" },
		{ "ext4:", STATUS_USAGE, "is not an address" },
		{ "dup_fn#", STATUS_USAGE, "is not an address" },
		{ "dup_fn#0", STATUS_USAGE, "is not an address" },
		{ "0x", STATUS_FAILURE, "unknown symbol '0x'" },
	};
	struct address address;
	struct error err;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_false(address_parse(fake->session.tab, rows[i].text, ADDRESS_CODE, &address,
					   &err));
		assert_contains(err.text, rows[i].said);
		assert_one_line(err.text);
		assert_int_equal(err.status, rows[i].status);
	}
	assert_false(address_parse(fake->session.tab, "both_fn", ADDRESS_ANY, &address, &err));
	assert_contains(err.text, "both_fn#2 (kernel, ffffffff82000100)");
}

static void test_without_symbols(void **state)
{
	struct address address;
	struct error err;

	assert_true(address_parse(NULL, "ffffffff81001000", ADDRESS_CODE, &address, &err));
	assert_false(address_parse(NULL, "vfs_write", ADDRESS_CODE, &address, &err));
	assert_contains(err.text, "cannot be looked up");
}

/* Check the address and the name of a text; the name stands for the same address. */
static void check_place(const char *text, uint64_t addr, const char *name)
{
	struct target target = session_target(&fake->session);
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	struct error err;

	if (!probe_points_resolve(&target, text, &points, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(points.v[0].addr, addr);
	assert_string_equal(points.v[0].name, name);
	probe_points_free(&points);
	if (!probe_points_resolve(&target, name, &points, &err))
		fail_msg("%s: %s", name, err.text);
	assert_int_equal(points.v[0].addr, addr);
}

static void test_places(void **state)
{
	check_place("vfs_write", VFS_WRITE + VFS_WRITE_SKIP, "vfs_write");
	check_place("vfs_write+0", VFS_WRITE + VFS_WRITE_SKIP, "vfs_write");
	check_place("ffffffff81001000", VFS_WRITE + VFS_WRITE_SKIP, "vfs_write");
	check_place("vfs_write+9", VFS_WRITE + VFS_WRITE_SKIP, "vfs_write");
	check_place("vfs_write+4", VFS_WRITE + 4, "vfs_write+0x4");
	check_place("vfs_write+0xa", VFS_WRITE + 10, "vfs_write+0xa");
	check_place("plain_fn", FAKE_TEXT + 0x2000, "plain_fn");
	check_place("plain_fn+50", FAKE_TEXT + 0x2050, "plain_fn+0x50");
	check_place("dup_fn#2+1", FAKE_TEXT + 0x1301, "dup_fn#2+0x1");
	check_place("ext4:dup_fn", UINT64_C(0xffffffffc0001100), "ext4:dup_fn");
	check_place("ext4_sync_fs+4", UINT64_C(0xffffffffc0001004), "ext4:ext4_sync_fs+0x4");
	check_place("vfs_write+100", FAKE_TEXT + 0x1100, "vfs_writev");
	check_place("1234", 0x1234, "0x1234");
	check_place("only_clone", FAKE_TEXT + 0x1400, "only_clone.isra.0");
}

static void test_variants(void **state)
{
	struct target target = session_target(&fake->session);
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	struct error err;

	assert_true(probe_points_resolve(&target, "cloned", &points, &err));
	assert_int_equal(points.n, 2);
	assert_string_equal(points.v[0].name, "cloned");
	assert_string_equal(points.v[1].name, "cloned.constprop.0");
	assert_contains(points.pieces, "cloned.part.0");
	assert_contains(points.pieces, "cloned.cold");
	probe_points_free(&points);
	assert_true(probe_points_resolve(&target, "cloned#1", &points, &err));
	assert_int_equal(points.n, 1);
	probe_points_free(&points);
	assert_true(probe_points_resolve(&target, "cloned+1", &points, &err));
	assert_int_equal(points.n, 1);
	probe_points_free(&points);
	assert_false(probe_points_resolve(&target, "split", &points, &err));
	assert_contains(err.text, "split.part.0");
}

static void test_system_call(void **state)
{
	AUTO_FREE char *name = mem_printf("%sread", arch_native.syscall_prefix);
	struct sym *syms = malloc(sizeof(*syms));
	struct symtab *tab;
	struct address address;
	struct error err;

	*syms = (struct sym){ .addr = VFS_WRITE, .size = 16, .name = name, .module = "", .type = 'T' };
	tab = symtab_make(syms, 1);
	assert_true(address_parse(tab, "syscall:read", ADDRESS_CODE, &address, &err));
	assert_true(address_parse(tab, "sys_read", ADDRESS_CODE, &address, &err));
	assert_true(address.bare && address.value == VFS_WRITE);
	assert_true(address_is_known(tab, "sys_read+4"));
	assert_true(address_parse(tab, "sys_read+4", ADDRESS_CODE, &address, &err));
	assert_int_equal(address.value, VFS_WRITE + 4);
	assert_false(address_parse(tab, "vmlinux:sys_read", ADDRESS_CODE, &address, &err));
	assert_false(address_parse(tab, "sys_raed", ADDRESS_CODE, &address, &err));
	assert_contains(err.text, "unknown symbol 'sys_raed'");
	symtab_free(tab);
}

static void test_numbers(void **state)
{
	uint64_t u;
	int64_t s;

	assert_int_equal(number_count("16", &u), NUMBER_OK);
	assert_int_equal(u, 16);
	assert_int_equal(number_count("0x16", &u), NUMBER_OK);
	assert_int_equal(u, 0x16);
	assert_int_equal(number_count("1f", &u), NUMBER_NONE);
	assert_int_equal(number_count("", &u), NUMBER_NONE);
	assert_int_equal(number_count("-1", &u), NUMBER_NONE);
	assert_int_equal(number_count("18446744073709551615", &u), NUMBER_OK);
	assert_int_equal(number_count("18446744073709551616", &u), NUMBER_TOO_LARGE);
	assert_int_equal(number_count("99999999999999999999999x", &u), NUMBER_NONE);
	assert_int_equal(number_offset("-8", &s), NUMBER_OK);
	assert_int_equal(s, -8);
	assert_int_equal(number_offset("+10", &s), NUMBER_OK);
	assert_int_equal(s, 0x10);
	assert_int_equal(number_offset("-0x18", &s), NUMBER_OK);
	assert_int_equal(s, -0x18);
	assert_int_equal(number_offset("8000000000000000", &s), NUMBER_TOO_LARGE);
	assert_int_equal(number_offset("--8", &s), NUMBER_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_without_symbols),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_system_call),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
