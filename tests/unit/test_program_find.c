// SPDX-License-Identifier: GPL-2.0-or-later
/* test_program_find.c - find programs of user space by a word: in PATH, among libraries, in a process. */
#include "program_scratch.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static void must_find(const char *word, int pid, const char *end)
{
	struct debug_error err = { .text = "" };
	struct program_file file;
	size_t n = strlen(end), m;

	if (!program_find(word, pid, &file, &err))
		fail_msg("%s", err.text);
	m = strlen(file.path);
	if (m < n || strcmp(file.path + m - n, end))
		fail_msg("%s is %s", word, file.path);
	close(file.fd);
}

static void must_miss(const char *word, int pid, const char *why)
{
	struct debug_error err = { .text = "" };
	struct program_file file;

	assert_false(program_find(word, pid, &file, &err));
	assert_contains(err.text, why);
}

static void test_find(void **state)
{
	AUTO_FREE char *path = NULL;

	must_find("libc.so.6", 0, "/libc.so.6");
	must_find("libc", 0, "/libc.so.6");
	must_find("/proc/self/exe", 0, "test_program_find");
	must_miss("no-such-thing", 0, "no program in PATH and no library");
	must_miss("/no/such", 0, "No such file");
	must_miss("", 0, "no program is named");
	must_miss("libc", INT32_MAX, "there is no process");
	assert_true(build("-O0 -pie -fPIE"));
	must("mkdir -p bin && cp sample bin/wanted && cp sample bin/locked && chmod a-x bin/locked");
	path = mem_printf("%s/bin:%s", dir, getenv("PATH"));
	setenv("PATH", path, 1);
	must_find("wanted", 0, "/bin/wanted");
	must_miss("locked", 0, "no program in PATH");
}

#define WAIT_TRIES	6000	/* of 10 ms */

/* Until the process has mapped it: first its program, then what the program's loader maps. */
static void wait_for_file(const char *word, pid_t pid)
{
	struct debug_error err = { .text = "" };
	struct program_file file;

	for (int i = 0; !program_find(word, pid, &file, &err); i++) {
		if (i == WAIT_TRIES)
			fail_msg("%s", err.text);
		usleep(10000);
	}
	close(file.fd);
}

/* A process keeps its file when the name is gone, or leads to another file. */
static void test_find_in_process(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/sleeper", dir), *relative = mem_printf("./%s", path + 1);
	AUTO_FREE char *here = getcwd(NULL, 0);
	struct debug_error err = { .text = "" };
	struct program_file file;
	struct program *program;
	pid_t pid;

	put("sleeper.c", "#include <unistd.h>\nint my_own(void) { return pause(); }\nint main(void) { return my_own(); }\n");
	must("gcc -O0 -o sleeper sleeper.c");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(path, path, NULL);
		_exit(127);
	}
	wait_for_file("sleeper", pid);
	wait_for_file("libc.so.6", pid);
	must_find("sleeper", pid, "/sleeper");
	must_find(path, pid, "/sleeper");
	assert_return_code(chdir("/"), errno);
	must_find(relative, pid, "/sleeper");
	assert_return_code(chdir(here), errno);
	must_find("libc", pid, "/libc.so.6");
	must_find("libc.so.6", pid, "/libc.so.6");
	must_miss("no-such-thing", pid, "has no 'no-such-thing' mapped");
	must("rm sleeper && cp sample sleeper");
	if (!program_find("sleeper", pid, &file, &err))
		fail_msg("%s", err.text);
	assert_true(file.is_deleted);
	program = program_open_fd(file.fd, file.path, file.root, &err);
	assert_non_null(program);
	assert_true(one(program, "my_own")->size > 0);
	program_close(program);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* As in a container: the paths of the process are not ours. */
static void test_find_below_root(void **state)
{
	AUTO_FREE char *root = mem_printf("%s/cell", dir);
	struct debug_error err = { .text = "" };
	struct program *program = NULL;
	pid_t pid;

	if (geteuid()) {
		print_message("left out: only root may change its root\n");
		skip();
	}
	put("old.c", "int old;\n");
	must("mkdir -p cell/lib cell/usr/lib/$(uname -m)-linux-gnu && gcc -shared -fPIC -o cell/lib/libx.so.2 old.c && "
	     "cp cell/lib/libx.so.2 cell/lib/libx.so.10 && echo 'INPUT(libx.so.10)' >cell/lib/libx.so && "
	     "cp cell/lib/libx.so.2 cell/usr/lib/$(uname -m)-linux-gnu/liby.so.1 && echo text >cell/lib/libz.so.1");
	put("wait.c", "#include <unistd.h>\nint in_cell(void) { return pause(); }\nint main(void) { return in_cell(); }\n");
	must("mkdir -p cell/opt && gcc -O0 -static -o cell/opt/waiter wait.c && ln -s /opt/waiter cell/link");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!chroot(root) && !chdir("/"))
			execl("/opt/waiter", "waiter", NULL);
		_exit(127);
	}
	/* Only what the process has mapped is found by that name. */
	for (int i = 0; i < WAIT_TRIES; i++) {
		program = program_open_word("waiter", pid, &err);
		if (program)
			break;
		usleep(10000);
	}
	if (!program)
		fail_msg("%s", err.text);
	assert_true(strlen(program_root(program)) > 0);
	assert_true(one(program, "in_cell")->size > 0);
	program_close(program);
	must_find("/opt/waiter", pid, "/opt/waiter");
	must_find("/link", pid, "/link");
	/* The loader has no cache here, so its directories are searched. */
	must_find("libx", pid, "/lib/libx.so.10");
	must_find("libx.so.2", pid, "/lib/libx.so.2");
	must_find("liby", pid, "-linux-gnu/liby.so.1");
	must_miss("libz", pid, "libz.so.1 is not an ELF file");
	must_miss("/opt/nothing", pid, "/root/opt/nothing: No such file");
	must_miss("sh", pid, "below its root no program");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_in_process),
		cmocka_unit_test(test_find_below_root),
	};

	return cmocka_run_group_tests_name("program_find", tests, setup, teardown);
}
