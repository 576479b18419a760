// SPDX-License-Identifier: GPL-2.0-or-later
/* test_process.c - children of every kind, threads that come and go, and libraries that do. */
#include <ktrace/ktrace.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/saved/saved.h"
#include "recorded.h"
#include "sequences.h"
#include "tests/unit/unit.h"

#define STORM	2000	/* threads */
#define LOADS	300	/* of a library: more than there are short ids */

static int wait_for(pid_t pid)
{
	int status;

	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

/* Each child has a file; an event of the child before its parent's next one does not come to the parent. */
static int forks(void)
{
	KTRACE(fork, parent, 1);
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid) {
			KTRACE(fork, child, 10 + i);
			if (!fork()) {
				KTRACE(fork, grandchild, 100 + i);
				_exit(0);
			}
			wait(NULL);
			_exit(0);
		}
		if (wait_for(pid))
			return 1;
	}
	KTRACE(fork, parent, 2);
	return 0;
}

#define SITES	12
#define ROUNDS	60	/* in one directory */
#define HIT(n)	case n: KTRACE(many, s##n, n); break;

static void hit(unsigned int site)
{
	switch (site) {
	HIT(0) HIT(1) HIT(2) HIT(3) HIT(4) HIT(5) HIT(6) HIT(7) HIT(8) HIT(9) HIT(10) HIT(11)
	}
}

/* All sites, in an order of its own, at a pace of its own. */
static void hit_all(unsigned int seed)
{
	const unsigned int first = rand_r(&seed) % SITES, step = (unsigned int[]){ 1, 5, 7, 11 }[rand_r(&seed) % 4];

	for (unsigned int i = 0; i < SITES; i++) {
		hit((first + i * step) % SITES);
		if (rand_r(&seed) % 4 == 0)
			sched_yield();
	}
}

static void *hit_in_thread(void *seed)
{
	hit_all((uintptr_t)seed);
	return NULL;
}

/* A process whose sites are new forks while one of its threads hits them; then all three hit them. */
static int fork_among_hits(unsigned int seed)
{
	pthread_t thread;
	pid_t pid;

	if (pthread_create(&thread, NULL, hit_in_thread, (void *)(uintptr_t)seed))
		return 1;
	for (unsigned int i = rand_r(&seed) % 4; i; i--)
		sched_yield();
	pid = fork();
	if (!pid) {
		for (unsigned int i = rand_r(&seed) % 4; i; i--)
			sched_yield();
		hit_all(seed + 1);
		_exit(0);
	}
	hit_all(seed + 2);
	pthread_join(thread, NULL);
	return wait_for(pid);
}

static int many_forks(void)
{
	unsigned int rounds = atoi(getenv("ROUNDS")), seed = atoi(getenv("SEED"));

	for (unsigned int i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(fork_among_hits(seed + 3 * i));
		if (wait_for(pid))
			return 1;
	}
	return 0;
}

/* Without the C library, which could not tell anybody. */
static int raw_fork(void)
{
	pid_t pid;

	KTRACE(fork, parent, 1);
	pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (!pid) {
		KTRACE(fork, child, 10);
		syscall(SYS_exit_group, 0);
	}
	return wait_for(pid);
}

static void *own_number(void *arg)
{
	KTRACE(fork, number, (int)syscall(SYS_gettid));
	return NULL;
}

/* The first event of a child is that of a thread that is new there. */
static int fork_with_thread(void)
{
	pthread_t thread;
	pid_t pid;

	own_number(NULL);
	pid = fork();
	if (!pid) {
		if (pthread_create(&thread, NULL, own_number, NULL) || pthread_join(thread, NULL))
			_exit(1);
		own_number(NULL);
		_exit(0);
	}
	return wait_for(pid);
}

/* Children between fork() and exec() have no file if they write nothing. */
static int spawns(void)
{
	char *const argv[] = { "true", NULL };
	pid_t pid;

	KTRACE(spawn, before);
	if (posix_spawnp(&pid, "true", NULL, NULL, argv, environ) || wait_for(pid) || system("true"))
		return 1;
	KTRACE(spawn, after);
	return 0;
}

static int execs(void)
{
	KTRACE(exec, before);
	execl("/proc/self/exe", "recorded", "--recorded", "last", NULL);
	return 1;
}

static int last(void)
{
	KTRACE(exec, after);
	return 0;
}

static int vforks(void)
{
	pid_t pid;

	KTRACE(vfork, parent, 1);
	pid = vfork();
	if (!pid) {
		KTRACE(vfork, child, 2);
		_exit(0);
	}
	if (wait_for(pid) || ktrace_is_restartable() != KTU_HAS_SEQUENCES)
		return 1;
	KTRACE(vfork, parent, 3);
	return 0;
}

static int child(void *arg)
{
	KTRACE(clone, child, 2);
	return 0;
}

/* A task that runs beside this thread, with its storage: both are off from then on. */
static int clones(void)
{
	const size_t bytes = 65536;
	char *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	KTRACE(clone, parent, 1);
	if (wait_for(clone(child, stack + bytes, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL)) || ktrace_is_restartable() != KTU_HAS_SEQUENCES)
		return 1;
	KTRACE(clone, parent, 3);
	if (wait_for(clone(child, stack + bytes, CLONE_VM | SIGCHLD, NULL)) || ktrace_is_restartable())
		return 2;
	KTRACE(clone, parent, 4);
	return 0;
}

static void *one_event(void *arg)
{
	KTRACE(storm, thread, (int)(size_t)arg);
	return NULL;
}

static int storm(void)
{
	pthread_t threads[20];

	for (size_t i = 0; i < STORM; i += 20) {
		for (size_t k = 0; k < 20; k++)
			if (pthread_create(&threads[k], NULL, one_event, (void *)(i + k)))
				return 1;
		for (size_t k = 0; k < 20; k++)
			pthread_join(threads[k], NULL);
	}
	return 0;
}

static sigjmp_buf jump;
static volatile unsigned int handled;

static void leave(int signal)
{
	KTRACE(jump, handler, handled++);
	siglongjmp(jump, 1);
}

/* Handlers that never return to what they interrupted. */
static int jumps(void)
{
	const struct sigaction action = { .sa_handler = leave, .sa_flags = SA_NODEFER };
	const struct itimerval period = { { 0, 200 }, { 0, 200 } };
	volatile unsigned int i = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &period, NULL);
	sigsetjmp(jump, 1);
	while (handled < 1000) {
		KTRACE(jump, loop, i);
		i++;
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	return 0;
}

/* A library whose code and sites go away, while the thread's last sequence is still known to the kernel. */
static int libraries(void)
{
	const char *path = getenv("TEST_LIBRARY");

	for (int i = 0; i < LOADS; i++) {
		void *library = dlopen(path, RTLD_NOW);
		void (*event)(int) = library ? (void (*)(int))dlsym(library, "library_event") : NULL;

		if (!event) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		event(i);
		dlclose(library);
		if (dlopen(path, RTLD_NOW | RTLD_NOLOAD))
			return 2;
		sched_yield();
	}
	return 0;
}

/* Programs that close all descriptors that they do not know. */
static int closes(void)
{
	cpu_set_t one;

	for (int fd = 3; fd < 100; fd++)
		close(fd);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one) == 0)
			KTRACE(close, cpu, cpu);
	}
	return 0;
}

/* Whoever opens the file of a process at work sees what was there then: a tracepoint that is first hit later is not there. */
static int opened(void)
{
	AUTO_FREE char *path = mem_printf("%s/recorded.%d.rings", getenv("KTRACE_FILE"), getpid());
	struct user_file *file;
	unsigned int nr = 0;
	struct error err;
	bool ok;

	KTRACE(open, before, 1);
	file = user_file_open(path, &err);
	KTRACE(open, behind, 2);
	ok = file != NULL;
	for (uint32_t i = 0; ok && i < user_file_rings(file); i++) {
		struct user_ring ring;
		bool more = true;

		ok = user_ring_begin(&ring, file, i, &err);
		while (ok && more) {
			ok = user_ring_next(&ring, &more, &err);
			nr += more;
		}
		user_ring_end(&ring);
	}
	if (!ok)
		fprintf(stderr, "%s\n", err.text);
	user_file_close(file);
	return ok && nr == 1 ? 0 : 1;
}

static const struct recorded_mode modes[] = {
	{ "forks", forks }, { "many_forks", many_forks }, { "raw_fork", raw_fork }, { "fork_with_thread", fork_with_thread },
	{ "spawns", spawns }, { "execs", execs }, { "last", last },
	{ "vforks", vforks }, { "clones", clones }, { "storm", storm }, { "jumps", jumps }, { "libraries", libraries },
	{ "closes", closes }, { "opened", opened },
};

/* ------------------------------------------------------------------------ reading */

struct seen {
	unsigned int nr, wrong_pid, sites;	/* sites: that the last process has */
	unsigned int wrong_thread;		/* of an event that has the thread's id */
	uint64_t sum;
	char names[512];
};

static void see(const struct recorded *event, void *arg)
{
	struct seen *seen = arg;

	seen->nr++;
	seen->sites = event->sites;
	seen->sum += event->first;
	/* Nearly every process here has one thread. */
	seen->wrong_pid += event->pid != event->thread;
	seen->wrong_thread += !strcmp(event->name, "number") && event->first != event->thread;
	if (strlen(seen->names) < 400)
		sprintf(seen->names + strlen(seen->names), "%s ", event->name);
}

static struct recorded_totals run(const char *mode, const char *const *variables, struct seen *seen)
{
	struct recorded_totals totals;
	const int status = recorded_run(mode, variables);

	if (status || *recorded_errors)
		fail_msg("status %d: %s", status, recorded_errors);
	*seen = (struct seen){ 0 };
	recorded_read(see, seen, &totals);
	free(recorded_text());
	return totals;
}

static void test_fork(void **state)
{
	struct seen seen;
	struct recorded_totals totals = run("forks", NULL, &seen);

	assert_int_equal(totals.files, 7);
	assert_int_equal(seen.nr, 8);
	assert_int_equal(seen.wrong_pid, 0);
	assert_int_equal(seen.sum, 1 + 2 + 33 + 303);
	totals = run("raw_fork", NULL, &seen);
	assert_int_equal(totals.files, 2);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(seen.wrong_pid, 0);
	totals = run("fork_with_thread", NULL, &seen);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.wrong_thread, 0);
}

static void check_site(const struct recorded *event, void *arg)
{
	AUTO_FREE char *name = mem_printf("s%u", event->first);

	assert_string_equal(event->name, name);
	++*(unsigned int *)arg;
}

/* Whenever a process forks, each event has the description of its site. */
static void test_many_forks(void **state)
{
	const char *given = getenv("FORKS"), *seed = getenv("SEED");
	const unsigned int forks = given ? atoi(given) : ROUNDS, first = seed ? atoi(seed) : getpid();

	print_message("FORKS=%u SEED=%u\n", forks, first);
	for (unsigned int done = 0; done < forks; done += ROUNDS) {
		const unsigned int rounds = forks - done < ROUNDS ? forks - done : ROUNDS;
		AUTO_FREE char *count = mem_printf("ROUNDS=%u", rounds), *from = mem_printf("SEED=%u", first + 3 * done);
		const char *const variables[] = { "KTRACE_SIZE=16K", from, count, NULL };
		struct recorded_totals totals;
		unsigned int nr = 0;

		assert_int_equal(recorded_run("many_forks", variables), 0);
		assert_string_equal(recorded_errors, "");
		recorded_read(check_site, &nr, &totals);
		assert_int_equal(nr, 3 * SITES * rounds);
		assert_int_equal(totals.lost, 0);
		free(recorded_text());
	}
}

static void take_note(void *arg, const char *text)
{
	snprintf((char *)arg + strlen(arg), 900, "%s\n", text);
}

static unsigned int lines_of(const char *text)
{
	unsigned int n = 0;

	while ((text = strchr(text, '\n')))
		text++, n++;
	return n;
}

static char *some_file(void)
{
	DIR *dir = opendir(recorded_dir);
	struct dirent *entry;
	char *path = NULL;

	while (!path && (entry = readdir(dir)))
		if (strstr(entry->d_name, USER_FILE_SUFFIX))
			path = mem_printf("%s/%s", recorded_dir, entry->d_name);
	closedir(dir);
	return path;
}

static void spoil(int fd, off_t at)
{
	assert_int_equal(pwrite(fd, "\xff\xff\xff\xff", 4, at), 4);
}

/* Of all its rings the newest packets, if they are in the first sub-buffer. */
static void spoil_rings(int fd, const char *path)
{
	struct error err;
	struct user_file *file = user_file_open(path, &err);

	assert_non_null(file);
	for (uint32_t i = 0; i < user_file_rings(file); i++)
		if (file->ends[i].used)
			spoil(fd, file->head.rings_off + i * file->head.ring_stride + KTU_PAGE);
	user_file_close(file);
}

/* On the disk a file has the rings of the CPUs that the process may use, and little else, however large it looks. */
static void test_holes(void **state)
{
	struct seen seen;
	struct dirent *entry;
	unsigned int files = 0;
	DIR *dir;

	run("forks", NULL, &seen);
	dir = opendir(recorded_dir);
	while ((entry = readdir(dir))) {
		AUTO_FREE char *path = mem_printf("%s/%s", recorded_dir, entry->d_name);
		struct user_file *file;
		uint64_t used = 0;
		struct error err;
		struct stat st;

		if (!strstr(entry->d_name, USER_FILE_SUFFIX))
			continue;
		file = user_file_open(path, &err);
		assert_non_null(file);
		for (uint32_t i = 0; i < user_file_rings(file); i++)
			used += file->ends[i].used;
		assert_int_equal(stat(path, &st), 0);
		assert_true(512ULL * st.st_blocks <= used * file->head.ring_stride + (256 << 10));
		assert_true(512ULL * st.st_blocks < (uint64_t)st.st_size);
		user_file_close(file);
		files++;
	}
	closedir(dir);
	assert_int_equal(files, 7);
}

/* What is damaged is named, and hides nothing else. */
static void test_damaged(void **state)
{
	static const struct {
		off_t at;	/* 0: its rings */
		const char *what;
	} cases[] = {
		{ offsetof(struct ktu_file, version), "another version of libktrace" },
		{ KTU_PAGE + offsetof(struct ktu_desc, id), "a description is malformed" },
		{ offsetof(struct ktu_file, anchors), "its clock is impossible" },
		{ 0, "its newest packet is another one" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *path = NULL, *text = NULL;
		char notes[4000] = "";
		struct seen seen;
		int fd;

		run("forks", NULL, &seen);
		path = some_file();
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (cases[i].at)
			spoil(fd, cases[i].at + (i == 2 ? 4 : 0));
		else
			spoil_rings(fd, path);
		close(fd);
		saved_tell(take_note, notes);
		text = recorded_text();
		saved_tell(NULL, NULL);
		assert_non_null(strstr(notes, path));
		assert_non_null(strstr(notes, cases[i].what));
		/* It has an event or two of eight. */
		assert_in_range(lines_of(text), 6, 7);
	}
}

static void test_exec(void **state)
{
	struct seen seen;
	struct recorded_totals totals = run("execs", NULL, &seen);

	assert_int_equal(totals.files, 2);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(run("spawns", NULL, &seen).files, 1);
	assert_int_equal(seen.nr, 2);
}

/* Those of the child are lost, and counted. */
static void test_shared_memory(void **state)
{
	struct seen seen;
	struct recorded_totals totals = run("vforks", NULL, &seen);

	assert_int_equal(totals.files, 1);
	assert_string_equal(seen.names, "parent parent ");
	assert_int_equal(totals.lost, 1);
	totals = run("clones", NULL, &seen);
	assert_string_equal(seen.names, "parent parent ");
	assert_int_equal(totals.lost, 3);
}

static void test_storm(void **state)
{
	static const char *const fallback[] = { "GLIBC_TUNABLES=glibc.pthread.rseq=0", NULL };
	struct seen seen;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(run("storm", i ? fallback : NULL, &seen).lost, 0);
		assert_int_equal(seen.nr, STORM);
		assert_int_equal(seen.sum, STORM * (STORM - 1) / 2);
	}
}

static void test_jump(void **state)
{
	static const char *const fallback[] = { "GLIBC_TUNABLES=glibc.pthread.rseq=0", NULL };
	struct seen seen;

	run("jumps", NULL, &seen);
	run("jumps", fallback, &seen);
}

static void test_library(void **state)
{
	struct seen seen;
	char variable[512];
	const char *const variables[] = { variable, NULL };
	char path[400] = "";

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	*strrchr(path, '/') = '\0';
	snprintf(variable, sizeof(variable), "TEST_LIBRARY=%s/library.so", path);
	run("libraries", variables, &seen);
	assert_int_equal(seen.nr, LOADS);
	assert_int_equal(seen.sum, LOADS * (LOADS - 1) / 2);
	assert_int_equal(seen.sites, 1);
}

static void test_close(void **state)
{
	struct seen seen;

	assert_int_equal(run("closes", NULL, &seen).lost, 0);
	assert_true(seen.nr >= 1);
}

static void test_opened(void **state)
{
	struct seen seen;

	run("opened", NULL, &seen);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(seen.sum, 1 + 2);
}

static int drop(void **state)
{
	recorded_drop();
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_fork, drop), cmocka_unit_test_teardown(test_many_forks, drop), cmocka_unit_test_teardown(test_damaged, drop),
		cmocka_unit_test_teardown(test_holes, drop), cmocka_unit_test_teardown(test_exec, drop),
		cmocka_unit_test_teardown(test_shared_memory, drop), cmocka_unit_test_teardown(test_storm, drop),
		cmocka_unit_test_teardown(test_jump, drop), cmocka_unit_test_teardown(test_library, drop),
		cmocka_unit_test_teardown(test_close, drop), cmocka_unit_test_teardown(test_opened, drop),
	};

	recorded_main(argc, argv, modes, sizeof(modes) / sizeof(*modes));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
