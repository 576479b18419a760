// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure how much of the host's CPU this guest gets: compare many short loops with the fastest of them.
 *
 *   share				print it in per mille
 *   share COMMAND...			run the command in between; print its milliseconds, and the milliseconds that
 * 					it would have taken alone
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOPS	150

static double quickest = 1e9, sum;
static int nr_loops;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void look(void)
{
	double began, took;

	for (int i = 0; i < LOOPS; i++) {
		began = now();
		for (volatile uint32_t n = 0; n < 100000; n++)
			;
		took = now() - began;
		quickest = took < quickest ? took : quickest;
		sum += took;
		nr_loops++;
	}
}

static double share(void)
{
	return quickest * nr_loops / sum;
}

static double run(char **argv)
{
	double began = now();
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "share: %s failed\n", argv[0]);
		exit(1);
	}
	return now() - began;
}

int main(int argc, char **argv)
{
	double took;

	look();
	if (argc == 1) {
		printf("%.0f\n", share() * 1000);
		return 0;
	}
	took = run(argv + 1);
	look();
	printf("%.0f %.0f\n", took, took * share());
	return 0;
}
