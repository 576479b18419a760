// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - fidelity: execute the same instruction in place and displaced, on the real CPU, in user space. The
 * kernel is not touched.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "worker.h"

#define MAX_WORKERS	64
#define STUCK_SECONDS	60

static const char usage[] =
	"usage: fidelity [--count N] [--seed N] [--jobs N] [--corpus FILE] [--method NAME] [--show N]\n"
	"                [--results FILE] [--trial N | --self-test]\n";

struct child {
	pid_t pid;
	FILE *findings;
	u64 last;		/* the trial in progress at the last check */
	time_t since;
	bool ended, stuck;
};

enum task { TASK_RUN, TASK_SHOW, TASK_SELF_TEST };

static struct run run = { .count = 10000000, .show = 5 };
static enum task task;
static u64 shown_trial;
static struct progress *progress;
static struct child children[MAX_WORKERS];
static const char *results;	/* file to add a line to */

static int perform(unsigned int id, FILE *to)
{
	if (task == TASK_SHOW)
		return worker_show(&run, shown_trial, &progress[id], to);
	if (task == TASK_SELF_TEST)
		return worker_self_test(&run, &progress[id], to);
	return worker_run(&run, id, &progress[id], to);
}

static void start_child(unsigned int id)
{
	struct child *child = &children[id];

	child->findings = tmpfile();
	child->since = time(NULL);
	if (!child->findings) {
		perror("fidelity: tmpfile");
		exit(1);
	}
	child->pid = fork();
	if (!child->pid) {
		int status = perform(id, child->findings);

		fflush(child->findings);
		_exit(status);
	}
}

static void give_up(struct child *child, const struct progress *at)
{
	unsigned int i;

	fprintf(stderr, "fidelity: no end of trial %llu, bytes", (unsigned long long)at->number);
	for (i = 0; i < MAX_INSN_SIZE; i++)
		fprintf(stderr, " %02x", at->bytes[i]);
	fprintf(stderr, "\n");
	child->stuck = true;
	kill(child->pid, SIGKILL);
}

static void look_after(unsigned int id)
{
	struct child *child = &children[id];
	u64 number = __atomic_load_n(&progress[id].number, __ATOMIC_RELAXED);

	if (number != child->last) {
		child->last = number;
		child->since = time(NULL);
	} else if (!child->ended && !child->stuck && time(NULL) - child->since > STUCK_SECONDS) {
		give_up(child, &progress[id]);
	}
}

/* The status of the worst child. */
static int wait_for(unsigned int n)
{
	unsigned int running = n, id;
	int status, worst = 0;
	pid_t pid;

	while (running) {
		pid = waitpid(-1, &status, WNOHANG);
		if (!pid) {
			for (id = 0; id < n; id++)
				look_after(id);
			usleep(20000);
			continue;
		}
		running--;
		status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		for (id = 0; id < n; id++)
			if (children[id].pid == pid)
				children[id].ended = true;
		if (status > worst)
			worst = status;
	}
	return worst;
}

static void print_findings(unsigned int n)
{
	char line[4096];
	unsigned int id;

	for (id = 0; id < n; id++) {
		rewind(children[id].findings);
		while (fgets(line, sizeof(line), children[id].findings))
			fputs(line, stdout);
	}
}

/* One line for the table that `make check` adds up: outcome, name, seconds, reason. */
static void add_result(int status, double seconds, const char *reason)
{
	FILE *table = results ? fopen(results, "a") : NULL;
	const char *outcome = status == WORKER_SKIPPED ? "skip" : status ? "FAIL" : "ok";

	if (!table)
		return;
	fprintf(table, "%s\t%s\t%.1f\t%s\n", outcome, task == TASK_SELF_TEST ? "self-test" : "displaced-as-in-place",
		seconds, reason);
	fclose(table);
}

static int report_run(unsigned int n, double seconds)
{
	struct tally all = { 0 };
	unsigned int id;

	for (id = 0; id < n; id++)
		tally_add(&all, &progress[id].tally);
	tally_print(stdout, &all);
	printf("\n%.1f s, %.0f cases a second, seed %llu\n", seconds, all.executed / seconds,
	       (unsigned long long)run.seed);
	printf("%llu cases, %llu differences\n", (unsigned long long)all.executed,
	       (unsigned long long)all.different);
	return all.different ? 1 : 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int carry_out(void)
{
	unsigned int id, n = task == TASK_RUN ? run.workers : 1;
	double started = now();
	int status;

	fflush(stdout);
	for (id = 0; id < n; id++)
		start_child(id);
	status = wait_for(n);
	print_findings(n);
	if (status == WORKER_SKIPPED)
		printf("fidelity: skipped: %s\n", progress->lacks);
	else if (!status && task == TASK_RUN)
		status = report_run(n, now() - started);
	add_result(status, now() - started, status == WORKER_SKIPPED ? progress->lacks : "");
	return status;
}

static u64 number_of(const char *text)
{
	char *end;
	u64 value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end) {
		fprintf(stderr, "fidelity: not a number: %s\n", text);
		exit(2);
	}
	return value;
}

static const struct method *method_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_METHODS; i++)
		if (!strcmp(displace_methods[i].name, name))
			return &displace_methods[i];
	fprintf(stderr, "fidelity: no method %s\n", name);
	exit(2);
}

static void open_corpus(const char *path)
{
	run.sources.corpus = corpus_open(path, &run.sources.corpus_nr);
	if (!run.sources.corpus) {
		fprintf(stderr, "fidelity: %s cannot be read: make it with harvest\n", path);
		exit(1);
	}
}

static void set_task(enum task chosen, const char *number)
{
	task = chosen;
	if (number)
		shown_trial = number_of(number);
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", required_argument, NULL, 'c' },  { "seed", required_argument, NULL, 's' },
		{ "jobs", required_argument, NULL, 'j' },   { "corpus", required_argument, NULL, 'k' },
		{ "method", required_argument, NULL, 'm' }, { "show", required_argument, NULL, 'n' },
		{ "trial", required_argument, NULL, 't' },  { "self-test", no_argument, NULL, 'T' },
		{ "results", required_argument, NULL, 'r' }, { NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'c': run.count = number_of(optarg); break;
		case 's': run.seed = number_of(optarg); break;
		case 'j': run.workers = number_of(optarg); break;
		case 'k': open_corpus(optarg); break;
		case 'm': run.sources.method = method_of(optarg); break;
		case 'n': run.show = number_of(optarg); break;
		case 'r': results = optarg; break;
		case 't': set_task(TASK_SHOW, optarg); break;
		case 'T': set_task(TASK_SELF_TEST, NULL); break;
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
}

static void defaults(void)
{
	if (!run.workers)
		run.workers = sysconf(_SC_NPROCESSORS_ONLN);
	if (run.workers < 1 || run.workers > MAX_WORKERS)
		run.workers = MAX_WORKERS;
	if (!run.seed && getrandom(&run.seed, 4, 0) != 4)
		run.seed = time(NULL);
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	defaults();
	progress = mmap(NULL, sizeof(*progress) * MAX_WORKERS, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED) {
		perror("fidelity: mmap");
		return 1;
	}
	printf("seed %llu, %zu encodings of kernel code\n", (unsigned long long)run.seed,
	       run.sources.corpus_nr);
	return carry_out();
}
