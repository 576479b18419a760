// SPDX-License-Identifier: GPL-2.0-or-later
/* test_print_runners.c - print of a recording says which task ran on the CPU of each record; print DIR. */
#include "trace_script.h"

#include <unistd.h>

#include "ctl/show/runners/saved_runners.h"
#include "ctl/trace/reader/pick.h"
#include "ctl/trace/saved/save_dir.h"
#include "fake_kernel.h"

/* A shell starts dd, which has a thread. */
static const char shell[] =
	"100000 0 lttng_statedump_process_state tid=20 pid=20 ppid=1 name=bash type=0 mode=5 status=5\n"
	"100010 1 irq_softirq_entry vec=1\n"
	"100020 1 sched_switch prev_comm=swapper/1 prev_tid=0 prev_state=0 next_comm=swapper/1 next_tid=0\n"
	"100030 0 sched_switch prev_comm=swapper/0 prev_tid=0 prev_state=0 next_comm=bash next_tid=20\n"
	"100040 0 sched_process_fork parent_tid=20 parent_pid=20 child_tid=21 child_pid=21 child_comm=bash\n"
	"100050 0 sched_waking comm=bash tid=21 target_cpu=1\n"
	"100060 1 sched_switch prev_comm=swapper/1 prev_tid=0 prev_state=0 next_comm=bash next_tid=21\n"
	"100070 1 irq_softirq_entry vec=2\n"
	"100080 1 task_rename tid=21 oldcomm=bash newcomm==dd\n"
	"100090 1 sched_process_exec filename=/usr/bin/=dd tid=21\n"
	"100100 1 sched_process_fork parent_tid=21 parent_pid=21 child_tid=22 child_pid=21 child_comm==dd\n"
	"100110 1 sched_switch prev_comm==dd prev_tid=21 prev_state=1 next_comm==dd next_tid=22\n"
	"100120 1 irq_softirq_entry vec=3\n"
	"100125 1 sched_process_exit comm==dd tid=22\n"
	"100130 1 sched_switch prev_comm==dd prev_tid=22 prev_state=32 next_comm=swapper/1 next_tid=0\n";

/* print DIR ARGUMENTS of that trace. */
static char *print(struct fake_kernel *fake, enum print_format format, const char *arguments)
{
	AUTO_FREE char *line = mem_printf("print %s %s", dir, arguments);

	fake->session.format = format;
	if (fake_run(fake, line) != STATUS_OK)
		fail_msg("%s: %s", line, fake_error());
	return fake->out;
}

static size_t lines_of(const char *output)
{
	size_t n = 0;

	for (; *output; output++)
		n += *output == '\n';
	return n;
}

/* One line, without its time, behind that of the date. */
static void must_print(struct fake_kernel *fake, const char *condition, const char *wanted)
{
	const char *found = print(fake, PRINT_TEXT, condition);

	assert_int_equal(lines_of(found), 2);
	assert_contains(found, wanted);
}

static void test_text(void **state)
{
	struct fake_kernel *fake = fake_create();

	write_trace(*state, shell);
	must_print(fake, "IF vec == 1", "cpu 1  pid ?  tid ?  comm ?  vec=1\n");
	must_print(fake, "IF vec == 2", "cpu 1  pid 21  tid 21  comm \"bash\"  vec=2\n");
	must_print(fake, "IF vec == 3", "cpu 1  pid 21  tid 22  comm \"=dd\"  vec=3\n");
	must_print(fake, "IF name == task_rename", "pid 21  tid 21  comm \"bash\"  tid=21");
	must_print(fake, "IF name == sched_process_exec", "pid 21  tid 21  comm \"=dd\"  filename");
	must_print(fake, "-1", "pid 21  tid 22  comm \"=dd\"        prev_comm");
	assert_contains(print(fake, PRINT_TEXT, ""), "cpu 1  pid  ?  tid  ?  comm ?            vec=1\n");
	fake_free(fake);
}

/* A field of the record comes first: the other names are those of the task that ran. */
static void test_condition(void **state)
{
	static const struct {
		const char *condition;
		size_t n;
	} rows[] = {
		{ "pid == 21 && vec", 2 }, { "pid == 21 && cpu == 1 && tid == 22", 3 }, { "comm == \"=dd\" && vec", 1 },
		{ "comm =~ swapper*", 3 }, { "comm != bash && pid == 20", 0 }, { "pid == 0", 3 }, { "tid == 21 && name == sched_waking", 1 },
		{ "pid != 21 && vec", 0 }, { "tid == 20", 2 },
	};
	struct fake_kernel *fake = fake_create();

	write_trace(*state, shell);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_FREE char *condition = mem_printf("IF %s", rows[i].condition);
		const size_t n = lines_of(print(fake, PRINT_JSON, condition));

		if (n != rows[i].n)
			fail_msg("%s: %zu, not %zu: %s", condition, n, rows[i].n, fake->out);
	}
	fake_free(fake);
}

static void test_formats(void **state)
{
	struct fake_kernel *fake = fake_create();

	write_trace(*state, shell);
	assert_contains(print(fake, PRINT_JSON, "IF vec == 1"), ",\"pid\":null,\"tid\":null,\"comm\":null,\"data\":");
	assert_contains(print(fake, PRINT_JSON, "IF vec == 3"), ",\"pid\":21,\"tid\":22,\"comm\":\"=dd\",\"data\":");
	assert_contains(print(fake, PRINT_CSV, "IF vec"), "flags,lost,reason,pid,tid,comm,vec\n");
	assert_contains(fake->out, ",,,,?,?,?,1\n");
	assert_contains(fake->out, ",,,,21,21,bash,2\n");
	assert_contains(fake->out, ",,,,21,22,'=dd,3\n");
	fake_free(fake);
}

/* The caller of a system call, with the file that the state of the system tells. */
static void test_caller(void **state)
{
	struct fake_kernel *fake = fake_create();

	write_trace(*state, "10000 0 sched_process_exec filename=/none/x tid=1\n"
			    "10000 0 lttng_statedump_process_state tid=20 pid=20 ppid=1 name=bash type=0 mode=5 status=5\n"
			    "10010 0 lttng_statedump_vm_map pid=20 start=0x1000 end=0x3000 flags=5 inode=9 pgoff=0x500 dev=1 filename=/none/a.so\n"
			    "10020 0 sched_switch prev_comm=x prev_tid=0 prev_state=0 next_comm=bash next_tid=20\n"
			    "10030 0 sched_process_fork parent_tid=20 parent_pid=20 child_tid=21 child_pid=21\n"
			    "10040 0 syscall_entry_close fd=3 caller=0x1001\n"
			    "10050 0 syscall_entry_close fd=4 caller=0x9001\n"
			    "10060 0 syscall_entry_close fd=5 caller=?\n");
	must_print(fake, "IF fd == 3", "fd=3  caller=0000000000001001 (a.so+0x501)\n");
	must_print(fake, "IF fd == 4", "fd=4  caller=0000000000009001\n");
	must_print(fake, "IF fd == 5", "fd=5  caller=?\n");
	must_print(fake, "IF caller == 0x9001", "fd=4  ");
	assert_contains(print(fake, PRINT_JSON, "IF fd == 3"), "{\"name\":\"caller\",\"value\":\"0x1001\",\"symbol\":\"a.so+0x501\"}");
	assert_contains(print(fake, PRINT_JSON, "IF fd == 5"), "{\"name\":\"caller\",\"value\":null");
	assert_contains(print(fake, PRINT_CSV, "IF fd == 3"), ",3,0x1001(a.so+0x501)\n");
	fake_free(fake);
}

/* Without switches, nobody knows who ran: the records are as they were. */
static void test_none(void **state)
{
	struct fake_kernel *fake = fake_create();
	AUTO_FREE char *line = mem_printf("print %s/trace IF pid == 1", base);

	write_trace(*state, "1000 0 irq_softirq_entry vec=1\n");
	assert_contains(print(fake, PRINT_TEXT, ""), ")  vec=1\n");
	assert_null(strstr(print(fake, PRINT_JSON, ""), "\"pid\""));
	assert_contains(print(fake, PRINT_CSV, ""), "lost,reason,vec\n");
	assert_int_equal(fake_run(fake, line), STATUS_FAILURE);
	assert_contains(fake_error(), "no record has 'pid'");
	fake_free(fake);
}

static void refuse(struct fake_kernel *fake, const char *arguments, const char *why)
{
	AUTO_FREE char *line = mem_printf("print %s", arguments);

	assert_int_not_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake_error(), why);
}

static void test_directory(void **state)
{
	struct fake_kernel *fake = fake_create();
	AUTO_FREE char *twice = mem_printf("%s/trace %s/trace", base, base), *missing = mem_printf("%s/none", base);

	write_trace(*state, shell);
	assert_int_equal(lines_of(print(fake, PRINT_JSON, "5")), 5);
	assert_int_equal(lines_of(print(fake, PRINT_JSON, "-5 IF pid == 21")), 5);
	refuse(fake, missing, "/none: no such directory: give one that 'record' or 'save' made");
	refuse(fake, base, "no trace is there");
	refuse(fake, twice, "not understood");
	refuse(fake, "nowhere", "print nowhere: not understood: neither a directory nor a number");
	fake->session.input = dir;
	refuse(fake, dir, "give one trace");
	fake->session.input = NULL;
	fake_free(fake);
}

/* -------------------------------------------------------------------------------- snapshot */

static void set_complete(uint64_t complete)
{
	AUTO_FREE char *path = mem_printf("%s/" SAVE_INFO, dir);
	struct trace_info *info = trace_info_read(path, &err);

	assert_non_null(info);
	info->complete = complete;
	assert_true(save_dir_describe(dir, info, &err));
	trace_info_free(info);
}

/* In a snapshot of a flight recording the state comes last; what was forked before the state is not older than the trace. */
static void test_flight(void **state)
{
	struct fake_kernel *fake = fake_create();

	write_trace(*state,
		    "1000 0 sched_switch prev_comm=a prev_tid=30 prev_state=0 next_comm=b next_tid=31\n"
		    "1010 0 irq_softirq_entry vec=1\n"
		    "1020 0 irq_softirq_entry vec=2\n"
		    "1030 0 sched_switch prev_comm=b prev_tid=31 prev_state=0 next_comm=a next_tid=30\n"
		    "1040 0 irq_softirq_entry vec=3\n"
		    "1050 0 sched_process_fork parent_tid=30 parent_pid=30 child_tid=32 child_pid=30 child_comm=a\n"
		    "1060 0 sched_switch prev_comm=a prev_tid=30 prev_state=0 next_comm=a next_tid=32\n"
		    "1065 0 sched_process_exit comm=a tid=32\n"
		    "1070 0 task_rename tid=40 oldcomm=c newcomm=d\n"
		    "1080 0 lttng_statedump_process_state tid=30 pid=30 type=0 status=5\n"
		    "1080 0 lttng_statedump_process_state tid=31 pid=31 type=0 status=5\n"
		    "1080 0 lttng_statedump_process_state tid=32 pid=30 type=0 status=5\n");
	set_complete(1015);
	must_print(fake, "IF vec == 1", "pid ?  tid ?  comm ?  vec=1\n");
	must_print(fake, "IF vec == 2", "pid 31  tid 31  comm ?  vec=2\n");
	must_print(fake, "IF vec == 3", "pid 30  tid 30  comm \"a\"  vec=3\n");
	must_print(fake, "IF name == task_rename", "pid 30  tid 32  comm \"a\"  tid=40");
	fake_free(fake);
}

/* ------------------------------------------------------------------------------------ loss */

static uint64_t draw(uint64_t *random)
{
	*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
	return *random >> 33;
}

/* On two CPUs, tasks take turns; events between tell in `vec` who runs. */
static char *turns(void)
{
	uint64_t random = 1;
	char *script = NULL;
	size_t len;
	FILE *out = open_memstream(&script, &len);
	int runs[2] = { 0, 0 };

	for (int i = 0; i < 6000; i++) {
		const int cpu = draw(&random) % 3 < 2, next = 30 + 10 * cpu + (int)(draw(&random) % 3);

		if (draw(&random) % 2) {
			fprintf(out, "%d %d irq_softirq_entry vec=%d\n", 1000 + 10 * i, cpu, runs[cpu]);
		} else {
			fprintf(out, "%d %d sched_switch prev_tid=%d prev_state=0 prev_comm=x next_tid=%d next_comm=x\n", 1000 + 10 * i, cpu,
				runs[cpu], next);
			runs[cpu] = next;
		}
		if (i % 500 == 0)
			fputs("keep\n", out);
	}
	fclose(out);
	return script;
}

struct found {
	size_t known, unknown, lost;
};

static void compare(const struct snapshot *snap, const struct runner *runners, struct found *found)
{
	static const char *const names[] = { "vec" };

	for (size_t i = 0; i < snapshot_count(snap); i++) {
		const struct record *record = snapshot_at(snap, i);
		struct picked vec = { .is_known = false };

		found->lost += record->type == RECORD_LOST;
		if (record->type == RECORD_HIT)
			pick(record, names, 1, &vec);
		if (!vec.is_known)
			continue;
		found->known += runners[i].tid != RUNNER_UNKNOWN;
		found->unknown += runners[i].tid == RUNNER_UNKNOWN;
		if (runners[i].tid != RUNNER_UNKNOWN)
			assert_int_equal(runners[i].tid, vec.number);
	}
}

/* The tasks are kernel threads, whose tids last. */
static void test_lost(void **state)
{
	struct module *module = *state;
	AUTO_FREE char *rest = turns(), *script = NULL;
	struct found found = { 0 };
	struct saved *saved;
	struct saved_runners *runners;
	struct snapshot *snap;

	script = mem_printf("900 0 lttng_statedump_process_state tid=30 pid=30 type=1 status=5\n"
			    "900 0 lttng_statedump_process_state tid=31 pid=31 type=1 status=5\n"
			    "900 0 lttng_statedump_process_state tid=32 pid=32 type=1 status=5\n%s", rest);
	module->rings[1].discard = true;
	write_kept(module, script, 0);
	saved = saved_open(dir, &err);
	assert_non_null(saved);
	runners = saved_runners_create(saved);
	assert_non_null(runners);
	for (int round = 0; round < 2; round++) {
		saved_rewind(saved);
		saved_runners_rewind(runners);
		while (saved_next(saved, &snap, &err) && snap) {
			compare(snap, saved_runners_next(runners, snap), &found);
			snapshot_free(snap);
		}
	}
	assert_true(found.lost > 4 && found.known > 100 && found.unknown > 10);
	saved_runners_free(runners);
	saved_close(saved);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_text), TEST(test_condition), TEST(test_formats), TEST(test_caller), TEST(test_none), TEST(test_directory), TEST(test_flight), TEST(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
