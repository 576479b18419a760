// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interrupt every CPU often: on each CPU a real-time thread wakes up every MICROSECONDS, works for a moment and
 * sleeps again, until it is killed: preempt MICROSECONDS
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long period;

static void *disturb(void *cpu)
{
	struct sched_param first = { .sched_priority = 50 };
	struct timespec gap = { .tv_nsec = period * 1000 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((long)cpu, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set) ||
	    pthread_setschedparam(pthread_self(), SCHED_FIFO, &first)) {
		fputs("preempt: no real-time thread\n", stderr);
		exit(1);
	}
	for (;;) {
		nanosleep(&gap, NULL);
		for (volatile int i = 0; i < 300; i++)
			;
	}
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t thread;

	period = argc > 1 ? atol(argv[1]) : 0;
	if (period <= 0 || period >= 1000000) {
		fputs("usage: preempt MICROSECONDS\n", stderr);
		return 2;
	}
	for (long cpu = 0; cpu < cpus; cpu++)
		if (pthread_create(&thread, NULL, disturb, (void *)cpu))
			return 1;
	pause();
	return 0;
}
