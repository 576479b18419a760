// SPDX-License-Identifier: GPL-2.0-or-later
/* process_modes.c - children of every kind, threads that come and go, and libraries that do.  See process_modes.h. */
#include <ktrace/ktrace.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "process_modes.h"
#include "sequences.h"

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

const struct recorded_mode process_modes[] = {
	{ "forks", forks }, { "many_forks", many_forks }, { "raw_fork", raw_fork }, { "fork_with_thread", fork_with_thread },
	{ "spawns", spawns }, { "execs", execs }, { "last", last },
	{ "vforks", vforks }, { "clones", clones }, { "storm", storm }, { "jumps", jumps }, { "libraries", libraries },
	{ "closes", closes }, { "opened", opened },
};
const size_t nr_process_modes = ARRAY_SIZE(process_modes);
