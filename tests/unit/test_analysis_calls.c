// SPDX-License-Identifier: GPL-2.0-or-later
/* test_analysis_calls.c - system calls, the files they are on, disks, networks, and the hash tables below. */
#include "unit.h"

#include <stdio.h>

#include "analysis_play.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/memory.h"
#include "ctl/trace/analysis/bind.h"
#include "sample.h"

static struct analysis *begin(void)
{
	struct analysis *a = analysis_create(0, UINT64_MAX);

	analysis_all_calls(a);
	analysis_type(a, "sched_process_fork");
	analysis_play(a,
		      "90 0 lttng_statedump_process_state tid=10 pid=10 ppid=1 name=sh type=0 status=5\n"
		      "91 0 lttng_statedump_file_descriptor pid=10 fd=1 filename=/dev/pts/0\n"
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=10\n");
	return a;
}

static const struct call *call(const struct analysis *a, const char *name)
{
	for (size_t i = 0; i < a->nr_calls; i++)
		if (!strcmp(names_text(&a->names, a->calls[i].name), name))
			return &a->calls[i];
	fail_msg("no call %s", name);
	return NULL;
}

static const struct file *file(const struct analysis *a, const char *name)
{
	for (size_t i = 0; i < a->nr_files; i++)
		if (!strcmp(names_text(&a->names, a->files[i].name), name))
			return &a->files[i];
	fail_msg("no file %s", name);
	return NULL;
}

static void test_calls(void **state)
{
	struct analysis *a = begin();

	analysis_play(a,
		      "101 0 syscall_exit_read ret=1\n"		/* began before the recording */
		      "110 0 syscall_entry_read fd=1\n"
		      "120 0 syscall_exit_read ret=100\n"
		      "121 0 syscall_entry_read fd=1\n"
		      "126 0 syscall_exit_read ret=-11\n"
		      "127 0 syscall_entry_read fd=1\n"
		      "130 0 syscall_exit_read ret=-5000\n"		/* no error */
		      "131 0 syscall_entry_write fd=1\n"
		      "138 0 syscall_exit_write ret=42\n"
		      "140 0 syscall_entry_read fd=1\n"		/* its end is missing */
		      "150 0 syscall_entry_close fd=1\n"
		      "151 0 syscall_exit_close ret=-9\n"
		      "151 0 syscall_entry_pause\n"
		      "151 0 syscall_exit_pause ret=-514\n"
		      "151 0 syscall_entry_pause\n"
		      "151 0 syscall_exit_pause ret=-600\n"
		      "152 0 syscall_entry_exit_group\n");
	analysis_finish(a);
	analysis_check(a);
	assert_int_equal(call(a, "read")->time.count, 3);
	assert_int_equal(call(a, "read")->time.sum, 18);
	assert_int_equal(call(a, "read")->time.max, 10);
	assert_int_equal(call(a, "read")->half, 2);
	assert_int_equal(call(a, "read")->errors, 1);
	assert_int_equal(call(a, "read")->by_errno[11], 1);
	assert_int_equal(call(a, "close")->by_errno[9], 1);
	assert_int_equal(call(a, "pause")->by_errno[ERRNO_RESTART], 1);
	assert_int_equal(call(a, "pause")->by_errno[0], 1);
	assert_int_equal(file(a, "/dev/pts/0")->time.count, 5);
	assert_int_equal(file(a, "/dev/pts/0")->read, 100);
	assert_int_equal(file(a, "/dev/pts/0")->written, 42);
	assert_int_equal(file(a, "/dev/pts/0")->errors, 2);
	assert_int_equal(a->nr_uses, 4);
	analysis_free(a);
}

/* The file as people see it. */
static void check_file_text(const struct analysis *a, const char *text, uint64_t sum)
{
	for (size_t i = 0; i < a->nr_files; i++) {
		AUTO_FREE char *shown = file_text(a, a->files[i].name);

		if (strcmp(shown, text))
			continue;
		assert_int_equal(a->files[i].time.sum, sum);
		return;
	}
	fail_msg("no file %s", text);
}

#define ON(fd)	"240 0 syscall_entry_fsync fd=" #fd "\n" "241 0 syscall_exit_fsync ret=0\n"
#define DO(call, args, ret)	"200 0 syscall_entry_" call " " args "\n" "200 0 syscall_exit_" call " ret=" #ret "\n"

/* Run calls, and then one on a descriptor, which alone takes time: it must be on the file with this name. */
static void check_file(const char *script, const char *name)
{
	struct analysis *a = begin();

	analysis_play(a, script);
	check_file_text(a, name, 1);
	analysis_free(a);
}

#define FORK "210 0 sched_process_fork parent_tid=10 parent_pid=10 child_tid=11 child_pid=11\n" \
	     "211 0 sched_switch prev_tid=10 prev_state=0 next_tid=11\n"
#define EXEC	"220 0 sched_process_exec tid=11 filename=/bin/true\n"

static void test_files(void **state)
{
	check_file(ON(1), "/dev/pts/0");
	check_file(ON(7), "fd 7 of 10 (not seen opened)");
	check_file(DO("close", "fd=1", 0) ON(1), "fd 1 of 10 (not seen opened)");
	check_file("200 0 syscall_entry_openat dfd=-100 filename=/etc/passwd flags=0\n200 0 syscall_exit_openat ret=3\n"
		   DO("dup", "fildes=3", 5) DO("close", "fd=3", 0) ON(5), "/etc/passwd");
	check_file(DO("socket", "family=1 type=1", 3) DO("dup2", "oldfd=3 newfd=9", 9) ON(9), "socket");
	check_file(DO("socket", "family=1 type=1", 3) DO("fcntl", "fd=3 cmd=0 arg=20", 20) ON(20), "socket");
	check_file(DO("socket", "family=1 type=1", -1) ON(3), "fd 3 of 10 (not seen opened)");
	check_file(DO("openat", "dfd=-100 flags=0", 3) ON(3), "fd 3 of 10 (its name could not be read)");
	/* A child has copies; exec closes some of them. */
	check_file(DO("epoll_create1", "flags=0", 4) FORK ON(4), "epoll");
	check_file(DO("epoll_create1", "flags=0", 4) FORK EXEC ON(4), "epoll");
	check_file(DO("epoll_create1", "flags=0x80000", 4) FORK EXEC ON(4), "fd 4 of 11 (not seen opened)");
	check_file(DO("epoll_create1", "", 4) FORK EXEC ON(4), "fd 4 of 11 (not seen opened)");
	check_file(DO("epoll_create1", "flags=0x80000", 4) DO("fcntl", "fd=4 cmd=2 arg=0", 0) FORK EXEC ON(4), "epoll");
	check_file(DO("epoll_create1", "flags=0", 4) DO("fcntl", "fd=4 cmd=2 arg=1", 0) FORK EXEC ON(4),
		   "fd 4 of 11 (not seen opened)");
	check_file(DO("epoll_create1", "flags=0", 4) FORK DO("close", "fd=4", 0)
		   "230 0 sched_switch prev_tid=11 prev_state=0 next_tid=10\n" ON(4), "epoll");
	/* After lost records nothing is known about them. */
	check_file(DO("socket", "family=1 type=1", 3) "210 1 gap\n215 1 end-gap lost=1\n" ON(3), "fd 3 of 10 (not seen opened)");
	check_file(DO("epoll_create1", "flags=0x80000", 4) DO("execve", "filename=/bin/true", 0) ON(4),
		   "fd 4 of 10 (not seen opened)");
	/* A call that is given a name is on that file. */
	check_file("200 0 syscall_entry_unlink pathname=/tmp/x\n201 0 syscall_exit_unlink ret=0\n", "/tmp/x");
}

#define OPEN(flags, fd)	"200 0 syscall_entry_openat dfd=-100 filename=/etc/passwd flags=" #flags "\n" \
			"200 0 syscall_exit_openat ret=" #fd "\n"
#define GONE	"fd 4 of 11 (not seen opened)"

/* Which new descriptors exec closes: each call tells it in its own way. */
static void test_closed_by_exec(void **state)
{
	static const struct {
		const char *call, *args, *name;
		bool closes;
	} calls[] = {
		{ "open", "filename=/x flags=0x80000", "/x", true }, { "open", "filename=/x flags=0", "/x", false },
		{ "openat", "filename=/x flags=0x80000", "/x", true }, { "openat", "filename=/x flags=1", "/x", false },
		{ "openat2", "filename=/x", "/x", true }, { "openat2", "filename=/x flags=0", "/x", false },
		{ "openat2", "filename=/x flags=0x80000", "/x", true }, { "creat", "pathname=/x", "/x", false },
		{ "open_tree", "filename=/x flags=0x80000", "/x", true }, { "mq_open", "u_name=q oflag=0", "q", true },
		{ "open_by_handle_at", "flags=0", "file opened by handle", false },
		{ "memfd_create", "uname=m flags=1", "m", true }, { "memfd_create", "uname=m flags=2", "m", false },
		{ "memfd_secret", "flags=0", "secret memory", false },
		{ "socket", "family=1 type=0x80001", "socket", true }, { "socket", "family=1 type=1", "socket", false },
		{ "accept", "fd=1", "socket", false }, { "accept4", "fd=1 flags=0", "socket", false },
		{ "accept4", "fd=1 flags=0x80000", "socket", true },
		{ "eventfd", "", "eventfd", false }, { "eventfd2", "flags=0x80000", "eventfd", true },
		{ "epoll_create", "", "epoll", false }, { "epoll_create1", "flags=0", "epoll", false },
		{ "epoll_create1", "flags=0x80000", "epoll", true }, { "epoll_create1", "", "epoll", true },
		{ "timerfd_create", "flags=0", "timerfd", false },
		{ "timerfd_create", "flags=0x80000", "timerfd", true },
		{ "signalfd", "ufd=-1", "signalfd", false }, { "signalfd4", "ufd=-1 flags=0x80000", "signalfd", true },
		{ "inotify_init", "", "inotify", false }, { "inotify_init1", "flags=0x80000", "inotify", true },
		{ "fanotify_init", "flags=1", "fanotify", true }, { "fanotify_init", "flags=2", "fanotify", false },
		{ "userfaultfd", "flags=0", "userfaultfd", false },
		{ "pidfd_open", "flags=0", "pidfd", true }, { "pidfd_getfd", "flags=0", "file of another process", true },
		{ "io_uring_setup", "", "io_uring", true }, { "landlock_create_ruleset", "flags=0", "landlock", true },
		{ "perf_event_open", "flags=8", "perf event", true },
		{ "perf_event_open", "flags=0", "perf event", false },
		{ "fsopen", "flags=1", "mount", true }, { "fspick", "flags=0", "mount", false },
		{ "fsmount", "flags=1", "mount", true },
		{ "dup", "fildes=1", "/dev/pts/0", false }, { "dup2", "oldfd=1 newfd=4", "/dev/pts/0", false },
		{ "dup3", "oldfd=1 newfd=4 flags=0x80000", "/dev/pts/0", true },
		{ "fcntl", "fd=1 cmd=0 arg=4", "/dev/pts/0", false },
		{ "fcntl", "fd=1 cmd=1030 arg=4", "/dev/pts/0", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		AUTO_FREE char *open = mem_printf("200 0 syscall_entry_%s %s\n200 0 syscall_exit_%s ret=4\n" FORK, calls[i].call,
						  calls[i].args, calls[i].call);
		AUTO_FREE char *before = mem_printf("%s" ON(4), open), *behind = mem_printf("%s" EXEC ON(4), open);

		check_file(before, calls[i].name);
		check_file(behind, calls[i].closes ? GONE : calls[i].name);
	}
	/* The state tells it, too. */
	check_file("200 0 lttng_statedump_file_descriptor pid=10 fd=4 flags=0x80002 filename=/dev/ktrace\n" FORK ON(4), "/dev/ktrace");
	check_file("200 0 lttng_statedump_file_descriptor pid=10 fd=4 flags=0x80002 filename=/dev/ktrace\n" FORK EXEC ON(4), GONE);
	check_file("200 0 lttng_statedump_file_descriptor pid=10 fd=4 flags=2 filename=/dev/null\n" FORK EXEC ON(4), "/dev/null");
	/* It can be changed. */
	check_file(OPEN(0, 4) DO("fcntl", "fd=4 cmd=2 arg=1", 0) FORK EXEC ON(4), GONE);
	check_file(OPEN(0x80000, 4) DO("fcntl", "fd=4 cmd=2 arg=0", 0) FORK EXEC ON(4), "/etc/passwd");
	check_file(OPEN(0, 4) DO("ioctl", "fd=4 cmd=0x5451 arg=0", 0) FORK EXEC ON(4), GONE);
	check_file(OPEN(0x80000, 4) DO("ioctl", "fd=4 cmd=0x5450 arg=0", 0) FORK EXEC ON(4), "/etc/passwd");
	check_file(OPEN(0, 4) DO("close_range", "fd=3 max_fd=0xffffffff flags=4", 0) ON(4), "/etc/passwd");
	check_file(OPEN(0, 4) DO("close_range", "fd=3 max_fd=0xffffffff flags=4", 0) FORK EXEC ON(4), GONE);
	/* A copy onto itself changes nothing; a signalfd can be changed. */
	check_file(OPEN(0x80000, 4) DO("dup2", "oldfd=4 newfd=4", 4) FORK EXEC ON(4), GONE);
	check_file(OPEN(0, 4) DO("signalfd4", "ufd=4 flags=0x80000", 4) FORK EXEC ON(4), "/etc/passwd");
	/* The exec event is not recorded. */
	check_file(OPEN(0x80000, 4) DO("execveat", "filename=/bin/true", 0) ON(4), "fd 4 of 10 (not seen opened)");
}

#define PIPE(args)	"200 0 syscall_entry_pipe2 fildes=4 " args "\n200 0 syscall_exit_pipe2 ret=0 fd0=3 fd1=4\n"
#define WRITE(fd)	"230 0 syscall_entry_write fd=" #fd "\n233 0 syscall_exit_write ret=1\n"
#define READ(fd)	"235 0 syscall_entry_read fd=" #fd "\n237 0 syscall_exit_read ret=1\n"
#define TO(from, to)	"234 0 sched_switch prev_tid=" #from " prev_state=0 next_tid=" #to "\n"

/* Both ends of a pipe are one file, with the name of who uses it. */
static void test_pipes(void **state)
{
	struct analysis *a = begin();

	check_file(PIPE("flags=0") ON(3), "pipe of 10");
	check_file(PIPE("flags=0") ON(4), "pipe of 10");
	check_file("200 0 syscall_entry_pipe fildes=4\n200 0 syscall_exit_pipe ret=0 fd0=3 fd1=4\n" FORK EXEC ON(3), "pipe of 10");
	check_file(PIPE("flags=0x80000") FORK EXEC ON(4), GONE);
	check_file(DO("pipe2", "fildes=4 flags=0 fd0=-1 fd1=-1", -24) ON(4), "fd 4 of 10 (not seen opened)");
	check_file("200 0 syscall_entry_socketpair family=1 type=0x80001\n200 0 syscall_exit_socketpair ret=0 fd0=3 fd1=4\n" ON(4),
		   "socket pair of 10");
	check_file("200 0 syscall_entry_socketpair family=1 type=0x80001\n200 0 syscall_exit_socketpair ret=0 fd0=3 fd1=4\n" FORK
		   EXEC ON(4), GONE);
	/* Recordings of an older ktrace do not tell the two descriptors. */
	check_file("200 0 syscall_entry_pipe2 fildes=4 flags=0\n200 0 syscall_exit_pipe2 ret=0\n" ON(4), "fd 4 of 10 (not seen opened)");
	/* Number 4 was something else in the parent. */
	check_file("200 0 lttng_statedump_file_descriptor pid=10 fd=4 flags=0x80002 filename=/dev/ktrace\n" FORK EXEC
		   PIPE("flags=0") ON(4), "pipe of 11");
	analysis_play(a, PIPE("flags=0") FORK WRITE(4) TO(11, 10) READ(3));
	check_file_text(a, "pipe of 10 and 11", 5);
	assert_int_equal(a->nr_files, 1);
	assert_int_equal(a->files[0].read + a->files[0].written, 2);
	analysis_play(a, "240 0 sched_process_fork parent_tid=10 parent_pid=10 child_tid=12 child_pid=12\n"
		      "240 0 sched_switch prev_tid=10 prev_state=0 next_tid=12\n" "250 0 syscall_entry_write fd=4\n"
		      "252 0 syscall_exit_write ret=1\n");
	check_file_text(a, "pipe of 10, 11 and others", 7);
	/* Another one is another file. */
	analysis_play(a, "260 0 syscall_entry_pipe2 flags=0\n260 0 syscall_exit_pipe2 ret=0 fd0=5 fd1=6\n"
		      "270 0 syscall_entry_write fd=6\n271 0 syscall_exit_write ret=1\n");
	check_file_text(a, "pipe of 12", 1);
	analysis_free(a);
}

#define NEWTASK(flags)	"209 0 task_newtask tid=11 clone_flags=" #flags "\n"
#define THREAD "210 0 sched_process_fork parent_tid=10 parent_pid=10 child_tid=11 child_pid=10\n" \
	       "211 0 sched_switch prev_tid=10 prev_state=0 next_tid=11\n"
#define BACK	"230 0 sched_switch prev_tid=11 prev_state=0 next_tid=10\n"

/* Who shares a table of open files with whom. */
static void test_shared_files(void **state)
{
	/* A new process has a copy, unless it says otherwise; a thread has the same. */
	check_file(FORK OPEN(0, 4) BACK ON(4), "fd 4 of 10 (not seen opened)");
	check_file(NEWTASK(0x411) FORK OPEN(0, 4) BACK ON(4), "/etc/passwd");
	check_file(NEWTASK(0x11) FORK OPEN(0, 4) BACK ON(4), "fd 4 of 10 (not seen opened)");
	check_file("205 0 syscall_entry_clone clone_flags=0x400\n" FORK OPEN(0, 4) BACK ON(4), "/etc/passwd");
	check_file("205 0 syscall_entry_clone clone_flags=0x11\n" FORK OPEN(0, 4) BACK ON(4), "fd 4 of 10 (not seen opened)");
	check_file(THREAD OPEN(0, 4) BACK ON(4), "/etc/passwd");
	check_file(NEWTASK(0x10f00) THREAD OPEN(0, 4) BACK DO("close", "fd=4", 0) TO(10, 11) ON(4), "fd 4 of 10 (not seen opened)");
	check_file(NEWTASK(0x10b00) THREAD OPEN(0, 4) BACK ON(4), "fd 4 of 10 (not seen opened)");
	/* unshare(2), close_range(2) and exec end it. */
	check_file(THREAD DO("unshare", "unshare_flags=0x400", 0) OPEN(0, 4) BACK ON(4), "fd 4 of 10 (not seen opened)");
	check_file(THREAD DO("unshare", "unshare_flags=0x20000", 0) OPEN(0, 4) BACK ON(4), "/etc/passwd");
	check_file(THREAD DO("close_range", "fd=1 max_fd=9 flags=2", 0) ON(1), "fd 1 of 10 (not seen opened)");
	check_file(THREAD DO("close_range", "fd=1 max_fd=9 flags=2", 0) BACK ON(1), "/dev/pts/0");
	check_file(OPEN(0x80000, 4) NEWTASK(0x411) FORK EXEC ON(4), GONE);
	check_file(OPEN(0x80000, 4) NEWTASK(0x411) FORK EXEC BACK ON(4), "/etc/passwd");
	/* The state tells which processes share one, and which threads do not. */
	check_file("200 0 lttng_statedump_process_state tid=12 pid=12 ppid=10 name=x file_table_address=-4096\n"
		   "200 0 lttng_statedump_process_state tid=13 pid=13 ppid=10 name=x file_table_address=-4096\n"
		   "200 0 lttng_statedump_file_descriptor pid=12 file_table_address=-4096 fd=4 flags=0 filename=/shared\n"
		   "200 0 lttng_statedump_end\n200 0 sched_switch prev_tid=10 prev_state=0 next_tid=13\n" ON(4), "/shared");
	check_file("200 0 lttng_statedump_process_state tid=12 pid=12 ppid=10 name=x file_table_address=-4096\n"
		   "200 0 lttng_statedump_process_state tid=13 pid=12 ppid=10 name=x file_table_address=-8192\n"
		   "200 0 lttng_statedump_file_descriptor pid=12 file_table_address=-4096 fd=4 flags=0 filename=/leader\n"
		   "200 0 lttng_statedump_file_descriptor pid=12 file_table_address=-8192 fd=4 flags=0 filename=/thread\n"
		   "200 0 lttng_statedump_end\n200 0 sched_switch prev_tid=10 prev_state=0 next_tid=13\n" ON(4), "/thread");
}

/* A number that is used again is another file. */
static void test_closed_files(void **state)
{
	check_file(DO("close_range", "fd=2 max_fd=0xffffffff flags=0", 0) ON(1), "/dev/pts/0");
	check_file(DO("close_range", "fd=1 max_fd=0xffffffff flags=0", 0) ON(1), "fd 1 of 10 (not seen opened)");
	check_file(OPEN(0, 4) DO("close_range", "fd=1 max_fd=3 flags=0", 0) ON(4), "/etc/passwd");
	check_file(OPEN(0, 4) DO("close_range", "fd=3 flags=0", 0) ON(4), "fd 4 of 10 (not seen opened)");
	/* Also where the disk had an error; but not what was none. */
	check_file(OPEN(0, 4) DO("close", "fd=4", -5) ON(4), "fd 4 of 10 (not seen opened)");
	check_file(OPEN(0, 4) DO("close", "fd=4", -9) ON(4), "/etc/passwd");
	/* Another thread opens a file by the number before close() returns. */
	check_file(OPEN(0, 4) THREAD "220 0 syscall_entry_close fd=4\n221 0 sched_switch prev_tid=11 prev_state=0 next_tid=10\n"
		   "222 0 syscall_entry_open filename=/new flags=0\n222 0 syscall_exit_open ret=4\n"
		   "224 0 sched_switch prev_tid=10 prev_state=0 next_tid=11\n225 0 syscall_exit_close ret=0\n" ON(4), "/new");
}

/* With a part of the system calls, a name could be that of another file. */
static void test_some_files(void **state)
{
	struct analysis *a = analysis_create(0, UINT64_MAX);

	analysis_play(a,
		      "100 0 lttng_statedump_process_state tid=10 pid=10 ppid=1 name=sh type=0 status=5\n"
		      "100 0 sched_switch prev_tid=0 prev_state=0 next_tid=10\n"
		      "200 0 syscall_entry_openat dfd=-100 filename=/etc/passwd flags=0\n"
		      "200 0 syscall_exit_openat ret=3\n"
		      ON(3));
	assert_int_equal(file(a, "fd 3 of 10 (not all system calls were recorded)")->time.sum, 1);
	analysis_free(a);
}

static void test_devices(void **state)
{
	struct analysis *a = begin();
	const struct disk *disk;

	analysis_play(a,
		      "100 0 lttng_statedump_block_device dev=8388608 diskname=sda\n"
		      "110 0 block_rq_insert dev=8388608 sector=1000 nr_sector=8 rwbs=1\n"
		      "115 0 block_rq_issue dev=8388608 sector=1000 nr_sector=8 rwbs=1\n"
		      "116 0 block_rq_issue dev=8388608 sector=2000 nr_sector=16 rwbs=4\n"
		      "120 0 block_rq_complete dev=8388608 sector=2000 nr_sector=8 rwbs=4\n"
		      "130 0 block_rq_complete dev=8388608 sector=2008 nr_sector=8 rwbs=4\n"
		      "145 0 block_rq_complete dev=8388608 sector=1000 nr_sector=8 rwbs=1\n"
		      "150 0 block_rq_complete dev=8388608 sector=5000 nr_sector=8 rwbs=1\n"
		      "151 0 block_rq_issue dev=8388608 sector=0 nr_sector=0 rwbs=256\n"
		      "152 0 block_rq_complete dev=8388608 sector=0 nr_sector=0 rwbs=256\n"
		      "160 0 net_dev_queue skbaddr=1 len=100 name=eth0\n"
		      "161 0 net_dev_queue skbaddr=1 len=50 name=eth0\n"
		      "162 0 net_if_receive_skb skbaddr=1 len=1500 name=lo\n");
	disk = &a->disks[0];
	assert_string_equal(names_text(&a->names, disk->name), "sda");
	assert_int_equal(disk->uses[DIRECTION_READ].count, 1);
	assert_int_equal(disk->uses[DIRECTION_READ].bytes, 8192);
	assert_int_equal(disk->uses[DIRECTION_READ].time.sum, 14);
	assert_int_equal(disk->uses[DIRECTION_WRITE].bytes, 4096);
	assert_int_equal(disk->uses[DIRECTION_WRITE].time.sum, 30);
	assert_int_equal(disk->uses[DIRECTION_OTHER].count, 1);
	assert_int_equal(disk->queued.sum, 5);
	assert_int_equal(disk->half, 1);
	assert_int_equal(disk->time.count, 3);
	assert_int_equal(a->nr_interfaces, 2);
	assert_int_equal(a->interfaces[0].out, 2);
	assert_int_equal(a->interfaces[0].out_bytes, 150);
	assert_int_equal(a->interfaces[1].in_bytes, 1500);
	analysis_free(a);
}

/* Requests that flush the cache, and those of the driver, are at no place; writes with a flush complete twice. */
static void test_flushes(void **state)
{
	struct analysis *a = begin();
	const struct disk *disk;

	analysis_play(a,
		      /* fsync(2): a write without data waits for the request that flushes. */
		      "110 0 block_rq_insert dev=1 sector=0 nr_sector=0 rwbs=0x500\n"
		      "112 0 block_rq_issue dev=1 sector=0 nr_sector=0 rwbs=0x500\n"
		      "120 0 block_rq_complete dev=1 sector=-1 nr_sector=0 rwbs=0x500\n"
		      "121 0 block_rq_complete dev=1 sector=0 nr_sector=0 rwbs=0x421\n"
		      /* A write that flushes before and behind it completes once more, maybe at its end. */
		      "130 0 block_rq_issue dev=1 sector=800 nr_sector=8 rwbs=0x621\n"
		      "140 0 block_rq_complete dev=1 sector=800 nr_sector=8 rwbs=0x621\n"
		      "141 0 block_rq_complete dev=1 sector=800 nr_sector=0 rwbs=0x21\n"
		      "141 0 block_rq_complete dev=1 sector=808 nr_sector=0 rwbs=0x621\n"
		      /* Two flushes beside a write to the first sector. */
		      "150 0 block_rq_issue dev=1 sector=0 nr_sector=0 rwbs=0x500\n"
		      "151 0 block_rq_issue dev=1 sector=0 nr_sector=8 rwbs=1\n"
		      "152 0 block_rq_issue dev=1 sector=0 nr_sector=0 rwbs=0x500\n"
		      "155 0 block_rq_complete dev=1 sector=-1 nr_sector=0 rwbs=0x500\n"
		      "157 0 block_rq_complete dev=1 sector=0 nr_sector=8 rwbs=1\n"
		      "159 0 block_rq_complete dev=1 sector=-1 nr_sector=0 rwbs=0x500\n"
		      /* The driver asks the disk for something, at the second attempt. */
		      "160 0 block_rq_issue dev=1 sector=0 nr_sector=0 rwbs=0\n"
		      "161 0 block_rq_requeue dev=1 sector=0 nr_sector=0 rwbs=0\n"
		      "170 0 block_rq_issue dev=1 sector=0 nr_sector=0 rwbs=0\n"
		      "173 0 block_rq_complete dev=1 sector=-1 nr_sector=8 rwbs=0\n"
		      "174 0 block_rq_complete dev=1 sector=-1 nr_sector=0 rwbs=0x500\n");	/* began before the recording */
	disk = &a->disks[0];
	assert_int_equal(disk->half, 1);
	assert_int_equal(disk->uses[DIRECTION_OTHER].count, 4);
	assert_int_equal(disk->uses[DIRECTION_OTHER].time.sum, 8 + 5 + 7 + 3);
	assert_int_equal(disk->uses[DIRECTION_WRITE].count, 2);
	assert_int_equal(disk->uses[DIRECTION_WRITE].bytes, 8192);
	assert_int_equal(disk->uses[DIRECTION_WRITE].time.sum, 10 + 6);
	assert_int_equal(disk->queued.sum, 2);
	analysis_free(a);
}

/* Requests that never complete do not fill the memory. */
static void test_merged_requests(void **state)
{
	struct analysis *a = begin();
	char line[128];

	for (int i = 0; i < 70000; i++) {
		snprintf(line, sizeof(line), "200 0 block_rq_insert dev=1 sector=%d nr_sector=8 rwbs=1", i * 8);
		analysis_play(a, line);
	}
	assert_true(a->nr_requests <= 65536);
	analysis_play(a,
		      "300 0 block_rq_issue dev=1 sector=559992 nr_sector=8 rwbs=1\n"
		      "310 0 block_rq_complete dev=1 sector=559992 nr_sector=8 rwbs=1\n");
	assert_int_equal(a->disks[0].uses[DIRECTION_WRITE].time.sum, 10);
	analysis_free(a);
}

static void test_tables(void **state)
{
	enum { KEYS = 500 };
	uint32_t values[KEYS] = { 0 };
	struct keymap map = { 0 };
	struct names names = { 0 };
	uint64_t random = 3;
	char text[32];

	for (int i = 0; i < 20000; i++) {
		const uint64_t key = sample_random(&random) % KEYS;

		values[key] = sample_random(&random) % 3 ? (uint32_t)i + 1 : 0;
		if (values[key])
			keymap_set(&map, key * 64, values[key]);
		else
			keymap_remove(&map, key * 64);
		if (i % 100 == 0)
			for (uint64_t n = 0; n < KEYS; n++)
				assert_int_equal(keymap_find(&map, n * 64), values[n]);
	}
	keymap_free(&map);
	for (int round = 0; round < 2; round++) {
		for (int i = 1; i < 1000; i++) {
			snprintf(text, sizeof(text), "name %d", i);
			assert_int_equal(names_add(&names, text, strlen(text)), i);
		}
	}
	assert_int_equal(names_add(&names, "name 12345", 6), 1);
	assert_string_equal(names_text(&names, 999), "name 999");
	assert_null(names_text(&names, 0));
	names_free(&names);
}

/* ---------------------------------------------------------------------- records */

/* Fields of every form: a mask of what cannot be read, narrow and wide numbers, a constant, texts. */
static void test_binding(void **state)
{
	static struct field fields[] = {
		{ .kind = FIELD_INT, .name = "unknown", .bytes = 8, .fault_bit = -1 },
		{ .kind = FIELD_INT, .name = "prev_tid", .bytes = 2, .is_signed = true, .fault_bit = -1 },
		{ .kind = FIELD_NUMBER, .name = "next_tid", .bytes = 4, .is_signed = true, .fault_bit = 0 },
		{ .kind = FIELD_CONST, .name = "prev_state", .value = 77, .fault_bit = -1 },
		{ .kind = FIELD_INT, .name = "prev_iowait", .bytes = 1, .fault_bit = 1 },
		{ .kind = FIELD_STRING, .name = "prev_comm", .length = 8, .most = 8, .fault_bit = -1 },
		{ .kind = FIELD_STRING, .name = "next_comm", .length = 4, .fault_bit = -1 },
		{ .kind = FIELD_INT, .name = "prev_tid", .bytes = 8, .fault_bit = -1 },
	};
	struct desc desc = { .name = "sched_switch", .fields = fields, .nr_fields = ARRAY_SIZE(fields),
			     .has_faults = true };
	struct {
		uint32_t faults;
		uint8_t unknown[8];
		int32_t prev_tid, next_tid;
		uint32_t iowait;
		char prev_comm[8], next_comm[4];
		uint8_t again[8];
	} __attribute__((packed)) payload = { 1, { 0 }, 0x7fff, 5, 0x1ff, "abcdefgh", "wxyz", { 0 } };
	struct record record = { .type = RECORD_HIT, .cpu = 3, .ticks = 9, .desc = &desc,
				 .payload = (uint8_t *)&payload, .payload_len = sizeof(payload) };
	struct analysis *a = analysis_create(0, UINT64_MAX);
	struct binder *binder = binder_create(a);
	struct analysis_event e;

	assert_int_equal(desc_payload(&desc), sizeof(payload));
	payload.prev_tid = -2;
	assert_true(binder_event(binder, &record, &e));
	assert_true(e.type.id == EVENT_SWITCH && e.cpu == 3 && e.ticks == 9);
	assert_int_equal(e.value[SWITCH_PREV_TID].number, -2);
	assert_false(event_has(&e, SWITCH_NEXT_TID));
	assert_int_equal(e.value[SWITCH_PREV_STATE].number, 77);
	assert_int_equal(e.value[SWITCH_PREV_IOWAIT].number, 255);
	assert_true(e.value[SWITCH_PREV_COMM].length == 8 && !e.value[SWITCH_PREV_COMM].is_cut);
	assert_true(e.value[SWITCH_NEXT_COMM].length == 4 && e.value[SWITCH_NEXT_COMM].is_cut);
	assert_memory_equal(e.value[SWITCH_NEXT_COMM].text, "wxyz", 4);
	payload.faults = 2;
	assert_true(binder_event(binder, &record, &e));
	assert_int_equal(e.value[SWITCH_NEXT_TID].number, 5);
	assert_false(event_has(&e, SWITCH_PREV_IOWAIT));
	/* A record that is too short has no values. */
	record.payload_len--;
	assert_true(binder_event(binder, &record, &e));
	assert_int_equal(e.known, 0);
	/* Another descriptor with the same id, after the snapshot of the first was freed. */
	binder_reset(binder);
	desc = (struct desc){ .name = "syscall_entry_read", .is_hidden = true };
	assert_false(binder_event(binder, &record, &e));
	binder_free(binder);
	analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls), cmocka_unit_test(test_files), cmocka_unit_test(test_some_files),
		cmocka_unit_test(test_closed_by_exec), cmocka_unit_test(test_pipes),
		cmocka_unit_test(test_shared_files), cmocka_unit_test(test_closed_files), cmocka_unit_test(test_flushes),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_merged_requests), cmocka_unit_test(test_tables), cmocka_unit_test(test_binding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
