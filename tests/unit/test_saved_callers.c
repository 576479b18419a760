// SPDX-License-Identifier: GPL-2.0-or-later
/* test_saved_callers.c - names of the callers of system calls in a recording: which file the process had there. */
#include "trace_script.h"

#include <unistd.h>

#include "ctl/ask/resolve/user_code.h"
#include "ctl/show/runners/saved_runners.h"
#include "ctl/trace/reader/pick.h"
#include "symbols/query/program.h"

/* Process 20 has code at 0x1000 to 0x3000 of a.so, from its offset 0x500 on, and at 0x8000 to 0x9000. */
#define STATE \
	"1100 0 lttng_statedump_process_state tid=20 pid=20 ppid=1 name=a type=0 mode=5 status=5\n" \
	"1100 0 lttng_statedump_process_state tid=30 pid=30 ppid=1 name=b type=0 mode=5 status=5\n" \
	"1110 0 lttng_statedump_vm_map pid=20 start=0x1000 end=0x3000 flags=5 inode=9 pgoff=0x500 dev=1 filename=/none/a.so\n" \
	"1110 0 lttng_statedump_vm_map pid=20 start=0x3000 end=0x4000 flags=3 inode=9 pgoff=0 dev=1 filename=/none/data\n" \
	"1110 0 lttng_statedump_vm_map pid=20 start=0x8000 end=0x9000 flags=5 inode=8 pgoff=0 dev=1 filename=/none/b.so\n" \
	"1120 0 sched_switch prev_comm=x prev_tid=0 prev_state=0 next_comm=a next_tid=20\n" \
	"1120 1 sched_switch prev_comm=x prev_tid=0 prev_state=0 next_comm=b next_tid=30\n"
/* The trace must have these. */
#define EVENTS \
	"1090 1 sched_process_fork parent_tid=1 parent_pid=1 child_tid=2 child_pid=2\n" \
	"1090 1 sched_process_exec filename=/none/x tid=2\n"
#define CALL(time, cpu, address)	#time " " #cpu " syscall_entry_getppid caller=" #address "\n"

/* The names of the callers in the trace, with a blank before each; "-" where there is none. */
static char *read_names(void)
{
	static const char *const field[] = { CALLER_FIELD };
	struct saved_runners *runners;
	struct picked caller;
	struct saved *saved;
	struct snapshot *snap;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	saved = saved_open(dir, &err);
	runners = saved ? saved_runners_create(saved) : NULL;
	assert_non_null(runners);
	saved_rewind(saved);
	while (saved_next(saved, &snap, &err) && snap) {
		const struct runner *found = saved_runners_next(runners, snap);

		for (size_t i = 0; i < snapshot_count(snap); i++) {
			if (snapshot_at(snap, i)->type != RECORD_HIT)
				continue;
			pick(snapshot_at(snap, i), field, 1, &caller);
			if (caller.is_known)
				fprintf(out, " %s", found[i].caller ? found[i].caller : "-");
		}
		snapshot_free(snap);
	}
	fclose(out);
	saved_runners_free(runners);
	saved_close(saved);
	return text;
}

/* An address is behind an instruction: the first one of a mapping is not one, but the one behind its end is. */
static void test_names(void **state)
{
	static const struct {
		const char *what, *script, *names;
	} rows[] = {
		{ "mapped", CALL(1200, 0, 0x1001) CALL(1210, 0, 0x3000) CALL(1220, 0, 0x1000) CALL(1230, 0, 0x3001) CALL(1240, 0, 0x8004) CALL(1250, 1, 0x1001),
		  " a.so+0x501 a.so+0x2500 - - b.so+0x4 -" },
		{ "a child", "1200 0 sched_process_fork parent_tid=20 parent_pid=20 child_tid=21 child_pid=21\n"
		  "1210 0 syscall_entry_munmap addr=0x8000 len=0x1000\n"
		  "1220 1 sched_switch prev_comm=b prev_tid=30 prev_state=0 next_comm=a next_tid=21\n" CALL(1230, 1, 0x8004) CALL(1240, 0, 0x8004) CALL(1250, 0, 0x1001),
		  " b.so+0x4 - a.so+0x501" },
		{ "a thread", "1200 0 sched_process_fork parent_tid=20 parent_pid=20 child_tid=21 child_pid=20\n" CALL(1210, 0, 0x8004), " b.so+0x4" },
		{ "exec", "1200 0 sched_process_exec filename=/none/c tid=20\n" CALL(1210, 0, 0x1001), " -" },
		{ "unmapped in part", "1200 0 syscall_entry_munmap addr=0x2000 len=0x1000\n" CALL(1210, 0, 0x1001) CALL(1220, 0, 0x8001), " - b.so+0x1" },
		{ "beside it", "1200 0 syscall_entry_munmap addr=0x3000 len=0x5000\n" CALL(1210, 0, 0x3000) CALL(1220, 0, 0x8001), " a.so+0x2500 b.so+0x1" },
		{ "to the end", "1200 0 syscall_entry_munmap addr=0x2000 len=-1\n" CALL(1210, 0, 0x1001) CALL(1220, 0, 0x8001), " - -" },
		{ "mapped anywhere", "1200 0 syscall_entry_mmap addr=0 len=0x100000\n" CALL(1210, 0, 0x1001), " a.so+0x501" },
		{ "mapped over it", "1200 0 syscall_entry_mmap addr=0x1000 len=0x1000\n" CALL(1210, 0, 0x1001), " -" },
		{ "moved over it", "1200 0 syscall_entry_mremap addr=0x8000 old_len=16 new_len=0x1000 flags=3 new_addr=0x1000\n" CALL(1210, 0, 0x1001) CALL(1220, 0, 0x8001),
		  " - -" },
		{ "somehow", "1200 0 syscall_entry_munmap\n" CALL(1210, 0, 0x1001), " -" },
		{ "of another", "1200 1 syscall_entry_munmap addr=0x1000 len=0x1000\n" CALL(1210, 0, 0x1001), " a.so+0x501" },
		{ "of 32 bits", "1200 0 compat_syscall_entry_close fd=1\n" CALL(1210, 0, 0x1001), " -" },
		{ "of whom", "1200 2 syscall_entry_munmap addr=0x7000 len=16\n" CALL(1210, 0, 0x1001), " -" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_FREE char *script = mem_printf(EVENTS STATE "%s", rows[i].script), *names = NULL;

		finish(state);
		begin(state);
		write_trace(*state, script);
		names = read_names();
		if (strcmp(names, rows[i].names))
			fail_msg("%s:%s, not%s", rows[i].what, names, rows[i].names);
	}
}

/* Where it is not recorded what changes them, nothing is known. */
static void test_without_events(void **state)
{
	AUTO_FREE char *names = NULL;

	write_trace(*state, STATE CALL(1200, 0, 0x1001));
	names = read_names();
	assert_string_equal(names, " -");
}

/* Behind a gap nothing is known: an unmapping may be lost. */
static void test_lost(void **state)
{
	struct module *module = *state;
	AUTO_FREE char *names = NULL, *script = NULL;
	size_t len;
	FILE *out = open_memstream(&script, &len);

	fputs(EVENTS STATE "keep\n" CALL(1200, 0, 0x1001), out);
	for (int i = 0; i < 3000; i++)
		fprintf(out, "%d 1 irq_softirq_entry vec=1\n", 1300 + i);
	fputs("keep\n" CALL(5000, 0, 0x1001) CALL(5000, 1, 0x1001), out);
	fclose(out);
	module->rings[1].discard = true;
	write_kept(module, script, 0);
	names = read_names();
	assert_string_equal(names, " a.so+0x501 - -");
}

/* A program at a fixed address, and a library, while they are as they were. */
static void test_files(void **state)
{
	AUTO_FREE char *make = mem_printf("cd %s && echo 'int entry(int a) { return a + 1; } int main(void) { return entry(2); }' >p.c && "
					  "cc -O0 -g0 -no-pie -o p p.c && cc -O0 -fPIC -shared -o p.so p.c", base);
	AUTO_FREE char *path = mem_printf("%s/p", base), *library = mem_printf("%s/p.so", base);
	struct user_file file = { .path = path, .when_ns = INT64_MAX }, shared = { .path = library, .when_ns = INT64_MAX };
	struct user_code *code = user_code_new();
	struct debug_error why;
	struct program *program;
	const struct program_function *function;
	uint64_t from, to, offset;
	char name[64];

	if (system(make))
		fail_msg("no compiler");
	program = program_open(path, "", &why);
	assert_non_null(program);
	assert_int_equal(program_named(program, "entry", &function, 1, &why), 1);
	assert_true(user_code_span(code, &file, &from, &to) && from <= function->addr && function->addr < to);
	assert_false(user_code_span(code, &shared, &from, &to));
	assert_true(user_code_name_in(code, &file, true, function->addr + 4, name, sizeof(name)));
	assert_string_equal(name, "p:entry+0x4");
	assert_true(user_code_name_in(code, &file, false, function->offset + 5, name, sizeof(name)));
	assert_string_equal(name, "p:entry+0x5");
	file.inode = 1;
	assert_false(user_code_name_in(code, &file, true, function->addr + 4, name, sizeof(name)));
	file.inode = 0;
	file.when_ns = 1;
	assert_false(user_code_name_in(code, &file, true, function->addr + 4, name, sizeof(name)));
	assert_false(user_code_span(code, &file, &from, &to));
	program_close(program);
	program = program_open(library, "", &why);
	assert_non_null(program);
	assert_int_equal(program_named(program, "entry", &function, 1, &why), 1);
	offset = function->offset;
	assert_true(user_code_name_in(code, &shared, false, offset + 4, name, sizeof(name)));
	assert_string_equal(name, "p.so:entry+0x4");
	program_close(program);
	user_code_free(code);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_names), TEST(test_without_events), TEST(test_lost), TEST(test_files) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
