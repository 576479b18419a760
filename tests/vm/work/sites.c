// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fast or frequent operations on the tracepoints that are set, without a controller:
 *
 *   sites count [jump|breakpoint]	print how many there are, or how many of this method
 *   sites jumps SECONDS		wait until every planned jump is armed; print how many there are
 *   sites hits				print the sum of their hits
 *   sites clear			mark all records as seen
 *   sites drain SECONDS		remove all and wait until no slot is in use
 *   sites delete [unknown]	delete all by their addresses; with an unknown one among them, none may be deleted
 *   sites cycle [OPTIONS] COUNT	remove and set all COUNT times; at the end they are set
 *   sites sums				compare the counts of the tracepoints, all set since the last `sites base`, with
 * 					those of the CPUs
 *   sites base				print the counts of the CPUs for `sites sums BASE...`
 *
 * Options of cycle: -m breakpoint|jump|auto (auto); -w MS wait up to MS with the tracepoints set; -j wait for
 * the jumps in each cycle; -1 use one call for each tracepoint. It prints the longest times and the
 * synchronisations.
 */
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "device.h"

static int device;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* ------------------------------------------------------------------------ looking */

static uint32_t count_method(int method)
{
	struct kt_list_entry *entries = NULL;
	uint32_t n = device_list(device, &entries), found = 0;

	for (uint32_t i = 0; i < n; i++)
		found += entries[i].method == method;
	free(entries);
	return found;
}

static int do_count(int argc, char **argv)
{
	struct kt_list_entry *entries = NULL;

	if (argc == 1)
		printf("%u\n", device_list(device, &entries));
	else
		printf("%u\n", count_method(strcmp(argv[1], "jump") == 0 ? KT_METHOD_JUMP : KT_METHOD_BREAKPOINT));
	return 0;
}

static int do_hits(int argc, char **argv)
{
	struct kt_list_entry *entries = NULL;
	uint32_t n = device_list(device, &entries);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += entries[i].hits;
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

static uint32_t jumps_to_come(uint32_t *there)
{
	struct kt_list_entry *entries = NULL;
	uint32_t n = device_list(device, &entries), missing = 0;

	*there = 0;
	for (uint32_t i = 0; i < n; i++) {
		*there += entries[i].method == KT_METHOD_JUMP;
		missing += entries[i].method != entries[i].planned || entries[i].misfit;
	}
	free(entries);
	return missing;
}

/* The worker may be about to look again: wait until a jump is planned, or nothing has changed for a while. */
static bool wait_for_jumps(double seconds, uint32_t *there)
{
	double end = now() + seconds, still = now();
	uint32_t before = UINT32_MAX, missing;

	while (now() < end) {
		missing = jumps_to_come(there);
		if (missing || *there != before)
			still = now();
		before = *there;
		if (!missing && now() - still > 0.5)
			return true;
		usleep(20000);
	}
	return false;
}

static int do_jumps(int argc, char **argv)
{
	uint32_t there;

	if (!wait_for_jumps(argc > 1 ? atof(argv[1]) : 20, &there))
		die("jumps that are planned have not come");
	printf("%u\n", there);
	return 0;
}

static int do_clear(int argc, char **argv)
{
	struct kt_seen req = { .size = sizeof(req), .flags = KT_SEEN_ALL };

	must(device, KT_IOC_SEEN, &req, "KT_IOC_SEEN");
	return 0;
}

/* ------------------------------------------------------------------------- sums */

static uint64_t counted(const struct kt_cpu_status *sum)
{
	return sum->recorded + sum->discarded + sum->recursed + sum->filtered + sum->frozen + sum->braked;
}

static int do_base(int argc, char **argv)
{
	struct kt_status status;
	struct kt_cpu_status sum;

	device_status(device, &status, &sum);
	printf("%llu %llu\n", (unsigned long long)counted(&sum), (unsigned long long)sum.recorded);
	return 0;
}

struct sums {
	uint64_t hits, missed;		/* of the tracepoints */
	uint64_t before, after;		/* of the CPUs, read before and after the list */
	struct kt_cpu_status cpus;
};

static void read_sums(struct sums *out)
{
	struct kt_list_entry *entries = NULL;
	struct kt_status status;
	uint32_t n;

	device_status(device, &status, &out->cpus);
	out->before = counted(&out->cpus);
	n = device_list(device, &entries);
	device_status(device, &status, &out->cpus);
	out->after = counted(&out->cpus);
	out->hits = out->missed = 0;
	for (uint32_t i = 0; i < n; i++) {
		out->hits += entries[i].hits;
		out->missed += entries[i].missed;
	}
	free(entries);
}

/*
 * Read the list between two reads of the CPUs' counts. If both reads are equal, the sums must be equal to them.
 * If hits never stop, the sums must lie between them, apart from hits that are being counted.
 */
static int do_sums(int argc, char **argv)
{
	uint64_t base = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, least = UINT64_MAX;
	struct sums sums;
	bool equal = false;

	for (int tries = 0; tries < 300 && !equal; tries++) {
		read_sums(&sums);
		if (sums.hits + base > sums.after || sums.hits + base + 4 * sysconf(_SC_NPROCESSORS_CONF) < sums.before)
			die("%llu hits where the CPUs have counted from %llu to %llu", (unsigned long long)sums.hits,
			    (unsigned long long)(sums.before - base), (unsigned long long)(sums.after - base));
		if (sums.after - sums.before < least)
			least = sums.after - sums.before;
		equal = sums.after == sums.before && sums.hits + base == sums.after;
	}
	if (!least && !equal)
		die("%llu hits where the CPUs have counted %llu", (unsigned long long)sums.hits,
		    (unsigned long long)(sums.after - base));
	if (sums.cpus.recorded != sums.cpus.pending + sums.cpus.cleared + sums.cpus.lost)
		die("%llu recorded, %llu pending, %llu cleared, %llu lost", (unsigned long long)sums.cpus.recorded,
		    (unsigned long long)sums.cpus.pending, (unsigned long long)sums.cpus.cleared,
		    (unsigned long long)sums.cpus.lost);
	printf("%llu hits, %llu missed, %llu recursed, %llu discarded, %s\n", (unsigned long long)sums.hits,
	       (unsigned long long)sums.missed, (unsigned long long)sums.cpus.recursed,
	       (unsigned long long)sums.cpus.discarded, least ? "within what came meanwhile" : "exact");
	return 0;
}

/* ---------------------------------------------------------------------- changing */

static int do_drain(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 20);
	struct kt_cpu_status sum;
	struct kt_status status;
	struct kt_delete answer;

	if (device_delete_all(device, &answer))
		die("delete: %s", strerror(errno));
	do {
		usleep(10000);
		device_status(device, &status, &sum);
		if (!status.nr_sites && !status.nr_slots)
			return 0;
	} while (now() < end);
	die("%u tracepoints, %u slots left", status.nr_sites, status.nr_slots);
}

static uint64_t *addresses(uint32_t *n)
{
	struct kt_list_entry *entries = NULL;
	uint64_t *addrs;

	*n = device_list(device, &entries);
	addrs = calloc(*n + 1, sizeof(*addrs));
	if (!addrs)
		die("out of memory");
	for (uint32_t i = 0; i < *n; i++)
		addrs[i] = entries[i].addr;
	free(entries);
	return addrs;
}

/* The unknown address is the last. Prints how many there were, the milliseconds and the synchronisations. */
static int do_delete(int argc, char **argv)
{
	const bool unknown = argc > 1 && strcmp(argv[1], "unknown") == 0;
	struct kt_delete req = { .size = sizeof(req) };
	uint32_t n;
	uint64_t *addrs = addresses(&n);
	double began;
	int failed;

	addrs[n] = 0x1000;
	req.addrs = (uintptr_t)addrs;
	req.nr = n + unknown;
	began = now();
	failed = ioctl(device, KT_IOC_DELETE, &req) < 0 ? errno : 0;
	printf("%u %.0f %u\n", n, (now() - began) * 1e3, req.syncs);
	free(addrs);
	if (unknown && (failed != ENOENT || req.bad != n))
		die("an unknown address: %s, bad %u of %u", strerror(failed), req.bad, n);
	if (!unknown && (failed || req.nr_deleted != n))
		die("deleted %u of %u: %s", req.nr_deleted, n, strerror(failed));
	return 0;
}

struct cycle {
	struct kt_site_req *reqs;
	uint32_t n;
	int method;
	long wait_ms;
	bool jumps, single;
	double set_time, delete_time;	/* the longest ones */
	uint32_t set_syncs, delete_syncs, most_jumps;
};

static void complain(const struct cycle *c, int error)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->reqs[i].refusal)
			die("%#llx: refused (%u), %s", (unsigned long long)c->reqs[i].addr, c->reqs[i].refusal,
			    strerror(error));
	die("trace: %s", strerror(error));
}

static void set_all(struct cycle *c)
{
	uint32_t step = c->single ? 1 : c->n;
	double began = now();
	struct kt_trace answer;
	int error;

	for (uint32_t i = 0; i < c->n; i++)
		c->reqs[i].method = c->method;
	for (uint32_t i = 0; i < c->n; i += step) {
		error = device_trace(device, c->reqs + i, step, 0, &answer);
		if (error || answer.nr_set != step)
			complain(c, error);
		if (answer.syncs > c->set_syncs)
			c->set_syncs = answer.syncs;
	}
	if (now() - began > c->set_time)
		c->set_time = now() - began;
}

static void remove_all(struct cycle *c)
{
	double began = now();
	struct kt_delete answer;

	if (device_delete_all(device, &answer) || answer.nr_deleted != c->n)
		die("delete: %u of %u are gone: %s", answer.nr_deleted, c->n, strerror(errno));
	if (now() - began > c->delete_time)
		c->delete_time = now() - began;
	if (answer.syncs > c->delete_syncs)
		c->delete_syncs = answer.syncs;
}

static void with_them_set(struct cycle *c)
{
	uint32_t there = 0;

	if (c->wait_ms)
		usleep(rand() % (c->wait_ms * 1000));
	if (c->jumps && !wait_for_jumps(60, &there))
		die("jumps that are planned have not come");
	if (there > c->most_jumps)
		c->most_jumps = there;
}

static bool cycle_options(struct cycle *c, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "m:w:j1")) != -1) {
		if (option == 'm')
			c->method = optarg[0] == 'j' ? KT_METHOD_JUMP : optarg[0] == 'b' ? KT_METHOD_BREAKPOINT
											 : KT_METHOD_AUTO;
		else if (option == 'w')
			c->wait_ms = atol(optarg);
		else if (option == 'j')
			c->jumps = true;
		else if (option == '1')
			c->single = true;
		else
			return false;
	}
	return argc - optind == 1;
}

static int do_cycle(int argc, char **argv)
{
	struct cycle c = { .method = KT_METHOD_AUTO };

	if (!cycle_options(&c, argc, argv))
		return 2;
	c.n = device_requests(device, &c.reqs);
	if (!c.n)
		die("no tracepoint is set");
	for (long count = atol(argv[optind]); count > 0; count--) {
		with_them_set(&c);
		remove_all(&c);
		set_all(&c);
	}
	printf("%u sites: set in %.0f ms, %u synchronisations; removed in %.0f ms, %u synchronisations; %u jumps\n", c.n,
	       c.set_time * 1e3, c.set_syncs, c.delete_time * 1e3, c.delete_syncs, c.most_jumps);
	return 0;
}

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "count", do_count }, { "jumps", do_jumps }, { "hits", do_hits }, { "clear", do_clear }, { "drain", do_drain },
	{ "cycle", do_cycle }, { "sums", do_sums }, { "base", do_base },
	{ "delete", do_delete },
};

int main(int argc, char **argv)
{
	int status = 2;

	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		device = device_open(NULL);
		status = commands[i].run(argc - 1, argv + 1);
		break;
	}
	if (status == 2)
		fputs("usage: sites count|jumps|hits|clear|drain|delete|cycle|base|sums ...\n", stderr);
	return status;
}
