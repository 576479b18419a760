// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several tracepoints at one address: consumers [ORDERS]
 *
 * Takes the addresses of the two tracepoints that are set, at the entry and at the only return of ktruth_run(),
 * and removes these tracepoints. Then five users trace both addresses: two latency measurements, a tracepoint
 * with ELAPSED, a tracepoint of a `run`, and a persistent tracepoint. They are set in ORDERS of the 120
 * possible orders, and deleted in another order. After each step the function is called some times. Each user
 * must have counted exactly the calls during its time. All users filter by process, because other processes may
 * call the function meanwhile.
 */
#include <stdbool.h>
#include <unistd.h>

#include "device.h"

#define CALLS	3
#define USERS	5
#define ORDERS	120

enum { ENTRY, BACK };

/* What a user sets: at the entry, if it measures, and at the return. */
static const struct kind {
	const char *name;
	bool owned, measures, records;
} kinds[USERS] = {
	{ "latency", true, true, false },
	{ "another latency", true, true, false },
	{ "ELAPSED at the return", true, true, true },
	{ "run", true, false, true },
	{ "nobody's", false, false, true },
};

struct user {
	int fd;
	uint32_t measure, id;
	uint64_t expected;
};

static struct {
	struct kt_desc_req req;
	struct kt_insn prog[5];
} desc = {
	{ .size = sizeof(struct kt_desc_req), .prog_len = 5 },
	{
		{ .op = KT_OP_CUR, .dst = 0, .imm = KT_CUR_PID },
		{ .op = KT_OP_CMPI, .dst = 0, .src = 1, .aux = KT_CMP_EQ },
		{ .op = KT_OP_DROP },
		{ .op = KT_OP_EMITCUR, .imm = KT_CUR_PID },
		{ .op = KT_OP_END },
	},
};

static struct kt_site_req places[2];

static void call(void)
{
	FILE *out = fopen("/proc/ktruth", "w");

	if (!out || fprintf(out, "time run 3 %d", CALLS) < 0 || fclose(out))
		die("/proc/ktruth: %s", strerror(errno));
}

/* The n-th permutation of 0 to USERS - 1. */
static void order(uint32_t n, uint32_t out[USERS])
{
	uint32_t left[USERS] = { 0, 1, 2, 3, 4 };

	for (uint32_t i = 0, of = ORDERS; i < USERS; i++) {
		uint32_t at;

		of /= USERS - i;
		at = n / of % (USERS - i);
		out[i] = left[at];
		memmove(&left[at], &left[at + 1], (USERS - at - 1) * sizeof(*left));
	}
}

static void begin_measuring(struct user *user)
{
	struct kt_measure measure = { .size = sizeof(measure), .slots = KT_MIN_SLOTS };
	struct kt_measure_run run = { .size = sizeof(run), .on = 1 };

	must(user->fd, KT_IOC_MEASURE, &measure, "KT_IOC_MEASURE");
	user->measure = run.id = measure.id;
	must(user->fd, KT_IOC_MEASURE_RUN, &run, "KT_IOC_MEASURE_RUN");
}

static void come(struct user *user, const struct kind *kind)
{
	struct kt_site_req reqs[2] = { places[ENTRY], places[BACK] };
	struct kt_role roles[2] = {
		{ .what = KT_ROLE_BEGIN | KT_ROLE_SILENT },
		{ .what = kind->records ? KT_ROLE_END : KT_ROLE_END | KT_ROLE_TALLY | KT_ROLE_SILENT },
	};
	const uint32_t from = kind->measures ? ENTRY : BACK;
	struct kt_trace answer;
	int err;

	*user = (struct user){ .fd = device_open(NULL) };
	if (kind->measures)
		begin_measuring(user);
	for (uint32_t i = from; i <= BACK; i++) {
		roles[i].size = sizeof(roles[i]);
		roles[i].measure = user->measure;
		roles[i].reg = 7;	/* the DWARF number of the stack pointer */
		reqs[i].role = kind->measures ? (uintptr_t)&roles[i] : 0;
		reqs[i].desc = (uintptr_t)&desc;
		reqs[i].desc_len = sizeof(desc);
	}
	err = device_trace(user->fd, reqs + from, BACK + 1 - from, kind->owned ? KT_TRACE_OWNED : 0, &answer);
	if (err || answer.nr_refused)
		die("%s: not set: %s, refusals %u and %u", kind->name, strerror(err), reqs[0].refusal, reqs[1].refusal);
	if (reqs[BACK].updated)
		die("%s: replaced somebody else's", kind->name);
	user->id = reqs[BACK].id;
}

static uint64_t recorded(const struct user *user)
{
	struct kt_list_entry *entries = NULL;
	uint32_t n = device_list(user->fd, &entries);
	uint64_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		if (entries[i].id == user->id)
			count = entries[i].hits - entries[i].missed;
	free(entries);
	return count;
}

static uint64_t counted(const struct user *user)
{
	struct kt_tally tally = { .size = sizeof(tally), .id = user->measure, .group = KT_TALLY_ALL };

	must(user->fd, KT_IOC_TALLY, &tally, "KT_IOC_TALLY");
	if (tally.unmatched || tally.abandoned || tally.overflow || tally.open || tally.entered != tally.samples.count)
		die("entered %llu, counted %llu, open %llu, unmatched %llu, abandoned %llu",
		    (unsigned long long)tally.entered, (unsigned long long)tally.samples.count,
		    (unsigned long long)tally.open, (unsigned long long)tally.unmatched,
		    (unsigned long long)tally.abandoned);
	return tally.samples.count;
}

static void go(struct user *user, const struct kind *kind)
{
	const uint64_t found = kind->records ? recorded(user) : counted(user);
	uint64_t addrs[] = { places[ENTRY].addr, places[BACK].addr };
	struct kt_delete req = {
		.size = sizeof(req), .nr = kind->measures ? 2 : 1,
		.addrs = (uintptr_t)(kind->measures ? addrs : addrs + BACK),
	};

	if (found != user->expected)
		die("%s: %llu calls, expected %llu", kind->name, (unsigned long long)found,
		    (unsigned long long)user->expected);
	/* Some users close their file, as if they were killed. */
	if (!kind->owned || user->expected % 2)
		must(user->fd, KT_IOC_DELETE, &req, "KT_IOC_DELETE");
	close(user->fd);
}

static void step(struct user *users, const bool *there)
{
	call();
	for (uint32_t i = 0; i < USERS; i++)
		users[i].expected += there[i] ? CALLS : 0;
}

static void run_order(uint32_t n)
{
	struct user users[USERS] = { { 0 } };
	uint32_t in[USERS], out[USERS];
	bool there[USERS] = { false };

	order(n, in);
	order(n * 37 % ORDERS, out);
	for (uint32_t i = 0; i < USERS; i++) {
		come(&users[in[i]], &kinds[in[i]]);
		there[in[i]] = true;
		step(users, there);
	}
	for (uint32_t i = 0; i < USERS; i++) {
		go(&users[out[i]], &kinds[out[i]]);
		there[out[i]] = false;
		step(users, there);
	}
}

int main(int argc, char **argv)
{
	const uint32_t orders = argc > 1 ? atoi(argv[1]) : ORDERS;
	int fd = device_open(NULL);
	struct kt_site_req *found;
	struct kt_delete answer;

	if (device_requests(fd, &found) != 2)
		die("set two tracepoints: at ktruth_run and at its return");
	memcpy(places, found, sizeof(places));
	if (device_delete_all(fd, &answer))
		die("the two cannot be removed");
	desc.prog[1].imm = getpid();
	for (uint32_t n = 0; n < orders; n++)
		run_order(n * (ORDERS / orders));
	printf("%u orders, %u users: all exact\n", orders, USERS);
	return 0;
}
