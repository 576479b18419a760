// SPDX-License-Identifier: GPL-2.0-or-later
/* processes.c - actions of mixload: processes and threads, and what a process asks the kernel. */
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mixload.h"

static void *wake(void *word)
{
	__atomic_store_n((int *)word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
	return NULL;
}

bool do_futex(void)
{
	pthread_t thread;
	int word = 0;

	if (pthread_create(&thread, NULL, wake, &word))
		return false;
	while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0)
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	return pthread_join(thread, NULL) == 0;
}

bool do_fork(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(getppid() == 1);
	return ended_well(child);
}

bool do_exec(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	return ended_well(child);
}

bool do_ptrace(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, &status, 0);
	for (int i = 0; i < 5; i++) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) < 0 || waitpid(child, &status, 0) != child ||
		    !WIFSTOPPED(status))
			return false;
	}
	ptrace(PTRACE_CONT, child, NULL, NULL);
	return ended_well(child);
}

bool do_semaphore(void)
{
	struct sembuf up = { 0, 1, 0 }, down = { 0, -1, 0 };
	int id = semget(IPC_PRIVATE, 1, 0600);
	bool ok = id >= 0 && semop(id, &up, 1) == 0 && semop(id, &down, 1) == 0;

	semctl(id, 0, IPC_RMID);
	return ok;
}

bool do_scheduler(void)
{
	cpu_set_t set;
	/* CPU 2 may go offline and online. */
	int cpu = roll(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1);
	bool ok;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	ok = sched_setaffinity(0, sizeof(set), &set) == 0 && sched_getcpu() == cpu;
	memset(&set, 0xff, sizeof(set));
	return sched_setaffinity(0, sizeof(set), &set) == 0 && sched_yield() == 0 && ok;
}

bool do_ask(void)
{
	struct utsname name;
	struct sysinfo info;
	struct rusage usage;
	struct tms ticks;

	return uname(&name) == 0 && sysinfo(&info) == 0 && getrusage(RUSAGE_SELF, &usage) == 0 && times(&ticks) >= 0 &&
	       getpriority(PRIO_PROCESS, 0) >= -20 && syscall(SYS_gettid) > 0 && prctl(PR_GET_DUMPABLE) >= 0 &&
	       getrandom(in, 16, 0) == 16;
}

/* A software event: it uses perf without hardware. */
bool do_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t count;
	bool ok;

	if (fd < 0)
		return true;
	ok = sched_yield() == 0 && read(fd, &count, 8) == 8;
	close(fd);
	return ok;
}
