// SPDX-License-Identifier: GPL-2.0-or-later
/* test_value_names.c - names of errors, flags, signals and commands in system calls. */
#include <fcntl.h>
#include <string.h>

#include "ctl/ask/events/value_names.h"
#include "ctl/base/memory.h"
#include "unit.h"

static void test_names(void **state)
{
	static const struct {
		const char *event, *field;
		uint64_t value;
		const char *name;	/* "": none */
	} rows[] = {
		{ "syscall_exit_openat", "ret", -2ULL, "-ENOENT" },
		{ "syscall_exit_read", "ret", -512ULL, "-ERESTARTSYS" },
		{ "syscall_exit_read", "ret", -516ULL, "-ERESTART_RESTARTBLOCK" },
		{ "syscall_exit_read", "ret", 17, "" },
		{ "syscall_exit_read", "ret", 0, "" },
		{ "syscall_exit_mmap", "ret", -4096ULL, "" },
		{ "syscall_exit_read", "ret", -4095ULL, "" },
		{ "syscall_exit_unknown", "id", -2ULL, "" },
		{ "compat_syscall_exit_close", "ret", -9ULL, "-EBADF" },
		{ "compat_syscall_entry_lseek", "whence", 2, "SEEK_END" },
		{ "sched_switch", "prev_state", -2ULL, "" },
		{ "syscall_entry_openat", "flags", O_RDONLY, "O_RDONLY" },
		{ "syscall_entry_openat", "flags", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		  "O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC" },
		{ "syscall_entry_openat", "flags", O_RDWR | O_TMPFILE, "O_RDWR|O_TMPFILE" },
		{ "syscall_entry_openat", "flags", O_RDWR | O_SYNC, "O_RDWR|O_SYNC" },
		{ "syscall_entry_openat", "flags", O_CREAT | 0x40000000, "O_RDONLY|O_CREAT|0x40000000" },
		{ "syscall_entry_openat", "flags", O_CREAT | 3, "O_CREAT|0x3" },
		{ "syscall:openat", "flags", O_WRONLY | O_CREAT, "O_WRONLY|O_CREAT" },
		{ "syscall:openat%return", "flags", O_CREAT, "" },
		{ "syscall_entry_openat", "dfd", (uint64_t)-100, "AT_FDCWD" },
		{ "syscall_entry_openat", "dfd", 5, "" },
		{ "syscall_entry_openat", "mode", 0644, "0644" },
		{ "syscall_entry_openat", "mode", 0, "" },
		{ "syscall_entry_fchmod", "mode", 0600, "0600" },
		{ "syscall:umask", "mask", 022, "022" },
		{ "syscall_entry_mknod", "dev", 0x801, "8:1" },
		{ "block_rq_issue", "rwbs", 0x61, "WSM" },
		{ "event:block_rq_issue", "rwbs", 0, "N" },
		{ "block_rq_issue", "sector", 0x61, "" },
		{ "syscall_entry_mprotect", "prot", 5, "PROT_READ|PROT_EXEC" },
		{ "syscall_entry_mprotect", "prot", 0, "" },
		{ "syscall_entry_mmap", "flags", 0x22, "MAP_PRIVATE|MAP_ANONYMOUS" },
		{ "syscall_entry_futex", "op", 129, "FUTEX_WAKE|FUTEX_PRIVATE_FLAG" },
		{ "syscall_entry_clone", "clone_flags", 0x1200011, "SIGCHLD|CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID" },
		{ "syscall_entry_clone", "clone_flags", 0x1200000, "CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID" },
		{ "syscall_entry_kill", "sig", 9, "SIGKILL" },
		{ "syscall_entry_kill", "sig", 0, "" },
		{ "syscall_entry_kill", "sig", 4000, "" },
		{ "syscall_entry_lseek", "whence", 2, "SEEK_END" },
		{ "syscall_entry_lseek", "whence", 99, "" },
		{ "syscall_entry_socket", "type", 2 | 02000000, "SOCK_DGRAM|SOCK_CLOEXEC" },
	};
	char buf[VALUE_NAMES_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(value_names(rows[i].event, rows[i].field, rows[i].value, buf), *rows[i].name != '\0');
		assert_string_equal(buf, rows[i].name);
	}
}

/* Of requests to disks, as ftrace writes them. */
static void test_rwbs(void **state)
{
	static const struct {
		uint64_t bits;
		const char *letters;
	} rows[] = {
		{ 1 << 0, "W" }, { 1 << 2, "R" }, { 1 << 2 | 1 << 3, "RA" }, { 1 << 0 | 1 << 5, "WS" },
		{ 1 << 0 | 1 << 5 | 1 << 6, "WSM" }, { 1 << 1, "D" }, { 0x82, "DE" }, { 1 << 8, "F" }, { 0, "N" },
		{ 1 << 10 | 1 << 0 | 1 << 9 | 1 << 5, "FWFS" }, { 1 << 5, "NS" }, { 1 << 10, "FN" },
		{ 0x7ff, "FWDEFRFASM" },
	};
	char buf[VALUE_NAMES_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		value_rwbs(rows[i].bits, buf);
		assert_string_equal(buf, rows[i].letters);
	}
}

/* All flags together are longer than the buffer: they are cut, and nothing is written behind it. */
static void test_long(void **state)
{
	char buf[VALUE_NAMES_SIZE + 8];

	memset(buf, 'x', sizeof(buf));
	assert_true(value_names("syscall_entry_clone", "clone_flags", UINT32_MAX, buf));
	assert_true(strlen(buf) < VALUE_NAMES_SIZE);
	assert_int_equal(buf[VALUE_NAMES_SIZE], 'x');
}

static void test_words(void **state)
{
	int32_t value;

	assert_true(value_named("S_IFDIR", &value) && value == 0040000);
	assert_true(value_named("S_IFMT", &value) && value == 0170000);
	assert_true(value_named("O_ACCMODE", &value) && value == O_ACCMODE);
	assert_false(value_named("S_IFNOTHING", &value));
	assert_true(value_has_names("syscall:kill", "sig"));
	assert_true(value_is_descriptor("syscall_entry_close", "fd"));
	assert_true(value_is_descriptor("syscall:dup", "fildes"));
	assert_false(value_is_descriptor("sched_switch", "fd"));
	assert_false(value_is_descriptor("syscall_entry_read", "count"));
	assert_true(value_has_names("syscall:openat", "dfd"));
	assert_false(value_has_names("syscall:fcntl", "arg"));
	assert_false(value_has_names("vfs_write", "flags"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { 
		cmocka_unit_test(test_names), cmocka_unit_test(test_rwbs), cmocka_unit_test(test_long), cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests_name("names of values", tests, NULL, NULL);
}
