// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_unwind.c - callers by .eh_frame (core/unwind.c) beside those that libunwind finds, in real programs: each is
 * executed instruction by instruction, and now and then both walk its stack.
 */
#include <elf.h>
#include <fcntl.h>
#include <libunwind-ptrace.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "core/unwind.c"
#include "core/unwind_expression.c"
#include "core/unwind_read.c"
#include "core/unwind_table.c"

/* ------------------------------------------------------------- a stopped program */

static pid_t child;
static u32 loads;

bool kt_load(void *to, u64 addr, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)addr, size };

	loads++;
	return process_vm_readv(child, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

bool kt_code_map(u64 addr, struct kt_code_map *map)
{
	char name[32], line[4096], file[2048], first_file[2048] = "", rights[8];
	u64 start, end, offset, first = 0;
	bool found = false;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", child);
	maps = fopen(name, "r");
	assert_non_null(maps);
	while (!found && fgets(line, sizeof(line), maps)) {
		*file = '\0';
		assert_true(sscanf(line, "%llx-%llx %7s %llx %*s %*s %2047s", &start, &end, rights, &offset, file) >= 4);
		if (!offset) {
			strcpy(first_file, file);
			first = start;
		}
		found = addr >= start && addr < end && rights[2] == 'x';
	}
	fclose(maps);
	if (found)
		*map = (struct kt_code_map){ .start = start, .end = end,
					     .header = *file == '/' && !strcmp(file, first_file) ? first : 0 };
	return found;
}

/* --------------------------------------------------------------- the comparison */

struct walks {
	u32 all, complete, unknown, most_loads;
	u64 callers;
};

static unw_addr_space_t space;

/* Both lists, as far as ours is certain.  libunwind has the numbers of DWARF for its registers, too. */
static void compare(void *context, struct walks *walks)
{
	static struct kt_unwind ours;
	struct pt_regs regs;
	unw_cursor_t theirs;
	unw_word_t value;
	u32 n, i;
	int more;

	assert_int_equal(unw_init_remote(&theirs, space, context), 0);
	for (i = 0; i < KT_NR_GENERAL; i++) {
		assert_int_equal(unw_get_reg(&theirs, i, &value), 0);
		regs.general[i] = value;
	}
	loads = 0;
	ours.n = 0;
	n = kt_unwind_to(&ours, &regs, KT_MAX_DEPTH);
	walks->all++;
	walks->most_loads = loads > walks->most_loads ? loads : walks->most_loads;
	for (i = 0, more = 1; i < n && ours.callers[i] != KT_CALLER_UNKNOWN; i++) {
		unw_get_reg(&theirs, UNW_REG_IP, &value);
		if (more <= 0 || ours.callers[i] != value)
			fail_msg("caller %u of %llx is %llx, not %llx", i, ours.callers[0], ours.callers[i],
				 more > 0 ? (u64)value : 0);
		more = unw_step(&theirs);
		if (more > 0 && (unw_get_reg(&theirs, UNW_REG_IP, &value) || !value))
			more = 0;
		walks->callers++;
	}
	if (i < n) {
		walks->unknown++;
	} else if (ours.over) {
		walks->complete++;
		if (more > 0)
			fail_msg("the callers of %llx end with %llx, but %llx follows", ours.callers[0], ours.callers[n - 1],
				 (u64)value);
	}
}

/* On the CPU of this process: a step costs four times as much when the two run on different ones. */
static void start(char *const argv[])
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	assert_int_equal(sched_setaffinity(0, sizeof(here), &here), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		const int nowhere = open("/dev/null", O_RDWR);

		dup2(nowhere, 0);
		dup2(nowhere, 1);
		dup2(nowhere, 2);
		personality(ADDR_NO_RANDOMIZE);
		setenv("LC_ALL", "C", 1);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(argv[0], argv);
		_exit(127);
	}
}

/* Where the program begins, behind the start of its loader, which has no tables. */
static u64 entry_of(void)
{
	char name[32];
	u64 pair[2] = { 0, 0 };
	FILE *auxv;

	snprintf(name, sizeof(name), "/proc/%d/auxv", child);
	auxv = fopen(name, "r");
	assert_non_null(auxv);
	while (fread(pair, sizeof(pair), 1, auxv) == 1 && pair[0] != AT_ENTRY)
		;
	fclose(auxv);
	assert_int_equal(pair[0], AT_ENTRY);
	return pair[1];
}

static u64 pc_now(void *context)
{
	unw_word_t value;

	assert_int_equal(_UPT_access_reg(space, UNW_REG_IP, &value, 0, context), 0);
	return value;
}

/* Walk after each `every` instructions, at most `most` times. */
static struct walks follow(char *const argv[], u32 every, u32 most)
{
	struct walks walks = { 0 };
	void *context;
	int status;
	u64 entry = 0;
	u32 n = 0;

	start(argv);
	context = _UPT_create(child);
	assert_non_null(context);
	for (;;) {
		int signal;

		assert_int_equal(waitpid(child, &status, 0), child);
		if (!WIFSTOPPED(status))
			break;
		signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (!n && !entry)
			entry = entry_of();
		if ((n || pc_now(context) == entry) && n++ % every == 0)
			compare(context, &walks);
		if (walks.all == most)
			break;
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, signal))
			break;
	}
	_UPT_destroy(context);
	if (WIFSTOPPED(status)) {
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
	}
	printf("%s: %u walks, %llu callers, %u complete, %u with unknown callers, at most %u loads\n", argv[0], walks.all,
	       walks.callers, walks.complete, walks.unknown, walks.most_loads);
	return walks;
}

static void check(char *const argv[], u32 every, u32 most)
{
	const struct walks walks = follow(argv, every, most);

	assert_true(walks.all >= most / 2);
	/* Nothing tells the callers of a few instructions of the C library that begin and end a program. */
	assert_true(walks.unknown <= walks.all / 100);
}

static void test_shell(void **state)
{
	char *const argv[] = { "bash", "-c", "f() { local i; for i in 1 2 3; do [[ $i = ? ]] && x=$((x + i)); done; };"
			       "trap f USR1; f; kill -USR1 $$; printf -v y '%s' \"${x/6/six}\"; [ $y ]", NULL };

	check(argv, 31, 4000);
}

static void test_sort(void **state)
{
	char *const argv[] = { "sort", "/etc/passwd", NULL };

	check(argv, 7, 4000);
}

static void test_python(void **state)
{
	char *const argv[] = { "/usr/bin/python3", "-S", "-c", "print(sorted(str(i) for i in range(9)))", NULL };

	check(argv, 151, 2000);
}

static int set_up(void **state)
{
	space = unw_create_addr_space(&_UPT_accessors, 0);
	unw_set_caching_policy(space, UNW_CACHE_GLOBAL);
	return space ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shell),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_python),
	};

	return cmocka_run_group_tests_name("unwind", tests, set_up, NULL);
}
