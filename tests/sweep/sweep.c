// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sweep.c - trace instructions of the whole kernel and its modules, batch by batch, and check that the kernel
 * stays correct:
 *
 *   sweep [--seed N] [--count N] [--batch N] [--dwell MS] [--share N --shares N] [--from BATCH] [--print]
 *   sweep --sites FILE [--repeat N] [--dwell MS]
 *
 * --print only prints the sites of batch --from; --sites tries the sites of such a file. Runs in a guest beside
 * a load, which begins when the file /tmp/known appears. Exit status 1 if anything is wrong.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "batch.h"
#include "device.h"
#include "kmsg.h"

struct options {
	uint64_t seed, count, from;
	size_t batch;
	unsigned int dwell_ms, repeat, share, shares;
	const char *sites;
	int print;
};

static const struct option names[] = {
	{ "seed", required_argument, NULL, 's' }, { "count", required_argument, NULL, 'c' },
	{ "batch", required_argument, NULL, 'b' }, { "dwell", required_argument, NULL, 'd' },
	{ "from", required_argument, NULL, 'f' }, { "print", no_argument, NULL, 'p' },
	{ "share", required_argument, NULL, 'i' }, { "shares", required_argument, NULL, 'n' },
	{ "sites", required_argument, NULL, 'S' }, { "repeat", required_argument, NULL, 'r' }, { 0 },
};

static uint64_t number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	if (*end || !*text) {
		fprintf(stderr, "sweep: %s is no number\n", text);
		exit(2);
	}
	return n;
}

static void parse(int argc, char **argv, struct options *o)
{
	int option;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (option) {
		case 's': o->seed = number(optarg); break;
		case 'c': o->count = number(optarg); break;
		case 'b': o->batch = number(optarg); break;
		case 'd': o->dwell_ms = number(optarg); break;
		case 'f': o->from = number(optarg); break;
		case 'r': o->repeat = number(optarg); break;
		case 'i': o->share = number(optarg); break;
		case 'n': o->shares = number(optarg); break;
		case 'S': o->sites = optarg; break;
		case 'p': o->print = 1; break;
		default: exit(2);
		}
	}
	if (optind != argc || !o->batch || o->batch > MAX_BATCH || o->share >= o->shares) {
		fputs("usage: see the head of sweep.c\n", stderr);
		exit(2);
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* One in twenty requests is wrong and must be refused. */
static bool fill(struct batch *batch, struct picker *picker, const struct options *o, uint64_t left)
{
	struct rng rng = { mix(o->seed ^ mix(batch->number * o->shares + o->share)) };
	size_t want = left < o->batch ? left : o->batch;
	struct insn insn;

	while (batch->n < want && picker_next(picker, &insn)) {
		const char *wrong = rng_below(&rng, 20) ? NULL : pick_wrong(picker->live, &rng, &insn);

		batch_add(batch, &insn, wrong);
	}
	if (batch->n < want && !picker_takes_all(picker))
		die("there are %" PRIu64 " sites less than were asked for", left - batch->n);
	return batch->n > 0;
}

static void run(struct batch *batch, struct live *live, struct tally *tally)
{
	uint64_t set = tally_set(tally), hits = tally->hits;
	double began = now();

	printf("batch %" PRIu64 " begins\n", batch->number);
	fflush(stdout);
	batch_run(batch, live, tally);
	printf("batch %" PRIu64 ": %zu sites, %" PRIu64 " set, %" PRIu64 " hits (%" PRIu64 " at %s), %.1f s\n", batch->number,
	       batch->n, tally_set(tally) - set, tally->hits - hits, batch->most, symbols_name(live->symbols, batch->hottest),
	       now() - began);
	fflush(stdout);
}

static void sweep(struct live *live, const struct options *o, struct tally *tally)
{
	struct batch batch = { .dwell_ms = o->dwell_ms };
	struct picker picker;
	uint64_t done = 0;

	picker_begin(&picker, live, o->seed, o->count, o->share, o->shares);
	for (uint64_t i = 0; done < o->count; i++, done += o->batch) {
		batch_begin(&batch, i);
		if (!fill(&batch, &picker, o, o->count - done))
			break;
		if (i < o->from)
			continue;
		if (o->print) {
			batch_print(&batch, live->symbols);
			return;
		}
		run(&batch, live, tally);
	}
}

static void retry(struct live *live, const struct options *o, struct tally *tally)
{
	struct batch batch = { .dwell_ms = o->dwell_ms };

	for (unsigned int i = 0; i < o->repeat; i++) {
		batch_begin(&batch, i);
		batch_read(&batch, live, o->sites);
		run(&batch, live, tally);
	}
}

/* From now on the load may patch text. */
static void tell_known(const char *file)
{
	FILE *f = fopen(file, "w");

	if (!f || fclose(f))
		die("%s cannot be written", file);
}

static void finish(struct live *live, struct tally *tally)
{
	uint64_t before, after;

	if (!device_drain(live->fd, 120))
		die("removed tracepoints still take slots after two minutes");
	kmsg_check();
	live_compare(live);
	tally_print(tally);
	before = live_hash(live, true);
	after = live_hash(live, false);
	printf("text       %zu bytes in %zu functions, hash %016" PRIx64 " before, %016" PRIx64 " after, without %zu places"
	       " that the kernel itself patched %" PRIu64 " times\n", live_bytes(live), live->symbols->nr_functions,
	       before, after, live->nr_places, live->flips);
	if (before != after)
		die("the text is not what it was");
	printf("swept      %" PRIu64 " instructions and %" PRIu64 " addresses that are none, in %" PRIu64
	       " batches: all well\n", tally->sites, tally->wrong, tally->batches);
}

int main(int argc, char **argv)
{
	struct options o = { .seed = 1, .count = 20000, .batch = MAX_BATCH, .dwell_ms = 1000, .repeat = 1, .shares = 1 };
	static struct symbols symbols;
	static struct live live;
	static struct tally tally;
	struct kt_hello hello;
	int fd;

	parse(argc, argv, &o);
	/* With normal priority it would wait most of the time, under this much load. */
	setpriority(PRIO_PROCESS, 0, -20);
	fd = device_open(&hello);
	symbols_load(&symbols, hello.text_start, hello.text_end);
	live_load(&live, fd, &symbols);
	tell_known("/tmp/known");
	kmsg_begin();
	if (o.sites)
		retry(&live, &o, &tally);
	else
		sweep(&live, &o, &tally);
	if (!o.print)
		finish(&live, &tally);
	return 0;
}
