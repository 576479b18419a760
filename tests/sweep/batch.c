// SPDX-License-Identifier: GPL-2.0-or-later
/* batch.c - see batch.h. */
#include "batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "kmsg.h"

/* The data of the hits: the process; or registers and words of the stack, too. */
struct capture {
	struct kt_desc_req req;
	struct kt_insn prog[6];
};

static const struct capture captures[] = {
	{ { .size = sizeof(struct kt_desc_req), .prog_len = 2 },
	  { { .op = KT_OP_EMITCUR, .imm = KT_CUR_PID }, { .op = KT_OP_END } } },
	{ { .size = sizeof(struct kt_desc_req), .prog_len = 6 },
	  { { .op = KT_OP_FAULTS },
	    { .op = KT_OP_EMITREGS },
	    { .op = KT_OP_REG, .dst = 1, .imm = 7 },	/* the stack pointer */
	    { .op = KT_OP_LOAD, .dst = 2, .src = 1, .aux = KT_SIZE_U64, .imm = 8 },
	    { .op = KT_OP_EMIT, .src = 2, .aux = 8 },
	    { .op = KT_OP_END } } },
};

static void describe(struct kt_site_req *site, const struct capture *capture)
{
	site->desc = (uintptr_t)capture;
	site->desc_len = sizeof(capture->req) + capture->req.prog_len * sizeof(struct kt_insn);
}

/* ------------------------------------------------------------------------ making */

void batch_begin(struct batch *batch, uint64_t number)
{
	if (!batch->sites) {
		batch->sites = calloc(MAX_BATCH, sizeof(*batch->sites));
		batch->wrong = calloc(MAX_BATCH, sizeof(*batch->wrong));
		if (!batch->sites || !batch->wrong)
			die("out of memory");
	}
	batch->number = number;
	batch->hottest = batch->most = 0;
	batch->n = 0;
}

void batch_add(struct batch *batch, const struct insn *insn, const char *wrong)
{
	struct kt_site_req *site = &batch->sites[batch->n];

	*site = (struct kt_site_req){ .addr = insn->addr, .insn_len = insn->len };
	memcpy(site->insn, insn->bytes, sizeof(site->insn));
	describe(site, &captures[mix(insn->addr & 0xfff) % 8 == 0]);
	batch->wrong[batch->n++] = wrong;
}

/* ---------------------------------------------------------------------- checking */

static uint64_t hits_of(const struct counts *c)
{
	return c->all.recorded + c->all.discarded + c->all.recursed + c->all.filtered + c->all.frozen + c->all.braked;
}

static uint64_t missed_of(const struct counts *c)
{
	return hits_of(c) - c->all.recorded;
}

static void check_answers(struct batch *batch, const struct live *live, struct tally *tally, uint32_t nr_set)
{
	uint32_t set = 0;

	for (size_t i = 0; i < batch->n; i++) {
		const struct kt_site_req *site = &batch->sites[i];
		const char *name = symbols_name(live->symbols, site->addr);

		set += !site->refusal;
		if (!batch->wrong[i])
			tally_site(tally, site, name);
		else if (site->refusal)
			tally_wrong(tally, site, name);
		else
			die("accepted at %s: %s", name, batch->wrong[i]);
	}
	if (set != nr_set)
		die("%u tracepoints are said to be set, %u are not refused", nr_set, set);
}

static void arm(struct batch *batch, struct live *live, struct tally *tally)
{
	struct kt_trace answer;
	int err = device_trace_all(live->fd, batch->sites, batch->n, KT_TRACE_PARTIAL, &answer);

	if (err)
		die("KT_IOC_TRACE: %s", strerror(err));
	check_answers(batch, live, tally, answer.nr_set);
	if (answer.syncs > 4)
		die("%u tracepoints took %u synchronisations", answer.nr_set, answer.syncs);
}

static int by_addr(const void *a, const void *b)
{
	uint64_t x = ((const struct kt_list_entry *)a)->addr, y = ((const struct kt_list_entry *)b)->addr;

	return x < y ? -1 : x > y;
}

/*
 * The list of tracepoints, once all methods are final: a jump begins as a breakpoint. The caller frees
 * *entries.
 */
static uint32_t list_at_rest(struct live *live, struct kt_list_entry **entries)
{
	for (int tries = 0; tries < 600; tries++) {
		uint32_t n = device_list(live->fd, entries), waiting = 0;

		for (uint32_t i = 0; i < n; i++)
			waiting += (*entries)[i].method != (*entries)[i].planned;
		if (!waiting)
			return n;
		free(*entries);
		usleep(400000);
	}
	die("four minutes later there are still breakpoints that are to be jumps");
}

static void check_list(struct batch *batch, struct live *live, struct tally *tally)
{
	struct kt_list_entry *entries, *entry;
	uint32_t n = list_at_rest(live, &entries), set = 0;

	qsort(entries, n, sizeof(*entries), by_addr);
	for (size_t i = 0; i < batch->n; i++) {
		struct kt_list_entry key = { .addr = batch->sites[i].addr };

		if (batch->sites[i].refusal)
			continue;
		set++;
		entry = bsearch(&key, entries, n, sizeof(key), by_addr);
		if (!entry)
			die("set, but not in the list: %s", symbols_name(live->symbols, key.addr));
		tally_method(tally, entry, symbols_name(live->symbols, key.addr));
	}
	if (set != n)
		die("%u tracepoints in the list, %u were set", n, set);
	batch->set = set;
	free(entries);
}

/* What the counts are made of, now and a while later, for whoever looks for the cause of a difference. */
static void print_counts(int fd, const struct counts *before)
{
	for (int i = 0; i < 3; i++) {
		struct kt_list_entry *entries;
		const uint32_t n = device_list(fd, &entries);
		uint64_t hits = 0, missed = 0, unseen = 0;
		struct counts now;

		for (uint32_t j = 0; j < n; j++) {
			hits += entries[j].hits;
			missed += entries[j].missed;
			unseen += entries[j].unseen;
		}
		free(entries);
		device_counts(fd, &now);
#define SINCE(member) (uint64_t)(now.all.member - before->all.member)
		fprintf(stderr, "%u tracepoints: hits %" PRIu64 ", missed %" PRIu64 ", unseen %" PRIu64 "\n", n, hits, missed, unseen);
		fprintf(stderr, "CPUs: recorded %" PRIu64 ", discarded %" PRIu64 ", recursed %" PRIu64 ", filtered %" PRIu64 ", frozen %"
			PRIu64 ", measured %" PRIu64 ", braked %" PRIu64 "; windows %u\n", SINCE(recorded), SINCE(discarded),
			SINCE(recursed), SINCE(filtered), SINCE(frozen), SINCE(measured), SINCE(braked),
			now.status.windows - before->status.windows);
#undef SINCE
		sleep(2);
	}
}

/*
 * A hit is counted by its CPU (the ring has its record then), and after that by its site. So the list contains every hit
 * that the CPUs had counted before the list was read, and the CPUs have counted every hit of the list a moment later,
 * apart from hits in progress: the host may stop a CPU of the guest between the two for as long as it likes.
 */
static void check_counts(struct batch *batch, struct live *live, const struct counts *before, struct tally *tally)
{
	struct kt_list_entry *entries;
	struct counts first, last;
	uint64_t hits = 0, missed = 0, slack;
	uint32_t n;

	device_counts(live->fd, &first);
	n = device_list(live->fd, &entries);
	usleep(20000);
	device_counts(live->fd, &last);
	for (uint32_t i = 0; i < n; i++) {
		hits += entries[i].hits;
		missed += entries[i].missed;
		if (entries[i].hits > batch->most) {
			batch->most = entries[i].hits;
			batch->hottest = entries[i].addr;
		}
	}
	free(entries);
	slack = 4 * last.status.nr_cpus;
	if (n != batch->set)
		die("%u tracepoints in the list, %u were set", n, batch->set);
	if (hits + slack < hits_of(&first) - hits_of(before) || hits > hits_of(&last) - hits_of(before) + slack) {
		print_counts(live->fd, before);
		die("tracepoints were met %" PRIu64 " times, but CPUs counted %" PRIu64 " to %" PRIu64, hits,
		    hits_of(&first) - hits_of(before), hits_of(&last) - hits_of(before));
	}
	if (missed + slack < missed_of(&first) - missed_of(before) ||
	    missed > missed_of(&last) - missed_of(before) + slack)
		die("tracepoints missed %" PRIu64 " hits, but CPUs counted %" PRIu64 " to %" PRIu64, missed,
		    missed_of(&first) - missed_of(before), missed_of(&last) - missed_of(before));
	tally->hits += hits;
	tally->missed += missed;
	tally->recursed += last.all.recursed - before->all.recursed;
}

/* ------------------------------------------------- what else is done to those set */

static void update_half(struct batch *batch, struct live *live, struct tally *tally)
{
	struct kt_site_req *again = calloc(batch->n, sizeof(*again));
	struct kt_trace answer;
	uint32_t n = 0;
	int err;

	for (size_t i = 0; again && i < batch->n; i += 2) {
		if (batch->sites[i].refusal)
			continue;
		again[n] = batch->sites[i];
		again[n].method = KT_METHOD_AUTO;
		describe(&again[n++], &captures[0]);
	}
	err = n ? device_trace_all(live->fd, again, n, 0, &answer) : 0;
	if (err)
		die("updating %u tracepoints: %s", n, strerror(err));
	for (uint32_t i = 0; i < n; i++)
		if (!again[i].updated)
			die("an update set a new tracepoint");
	tally->updated += n;
	free(again);
}

static void delete_half(struct batch *batch, struct live *live)
{
	uint64_t *addrs = calloc(batch->n, sizeof(*addrs));
	uint32_t n = 0;

	for (size_t i = 0; addrs && i < batch->n; i += 2)
		if (!batch->sites[i].refusal)
			addrs[n++] = batch->sites[i].addr;
	if (n && device_delete(live->fd, addrs, n) != n)
		die("not all of %u tracepoints were removed", n);
	free(addrs);
}

static void disturb(struct batch *batch, struct live *live, struct tally *tally)
{
	if (batch->number % 3 == 1)
		update_half(batch, live, tally);
	if (batch->number % 3 == 2)
		delete_half(batch, live);
}

void batch_run(struct batch *batch, struct live *live, struct tally *tally)
{
	struct counts before;

	/* All slots are free, and no task is still between an old slot and the counts. */
	if (!device_drain(live->fd, 120))
		die("removed tracepoints still take slots after two minutes");
	device_counts(live->fd, &before);
	arm(batch, live, tally);
	check_list(batch, live, tally);
	usleep(batch->dwell_ms * 1000);
	check_counts(batch, live, &before, tally);
	disturb(batch, live, tally);
	usleep(batch->dwell_ms * 200);
	device_delete(live->fd, NULL, 0);
	device_clear(live->fd);
	kmsg_check();
	live_compare(live);
	tally->batches++;
}

/* ------------------------------------------------------------ to another boot and back */

void batch_print(const struct batch *batch, const struct symbols *symbols)
{
	for (size_t i = 0; i < batch->n; i++) {
		const struct kt_site_req *site = &batch->sites[i];
		const struct symbol *function = batch->wrong[i] ? NULL : symbols_at(symbols, site->addr);

		if (!function)
			continue;
		printf("site %zu 0x%llx %s ", (size_t)(function - symbols->functions),
		       (unsigned long long)(site->addr - function->addr), symbols_name(symbols, site->addr));
		for (int j = 0; j < site->insn_len; j++)
			printf("%02x", site->insn[j]);
		putchar('\n');
	}
}

static void add_site(struct batch *batch, const struct live *live, size_t function, uint64_t offset)
{
	const struct symbols *symbols = live->symbols;
	struct walk walk;
	struct insn insn;

	if (function >= symbols->nr_functions)
		die("there is no function %zu", function);
	walk_begin(&walk, live, &symbols->functions[function]);
	while (walk_next(&walk, &insn))
		if (insn.addr - symbols->functions[function].addr == offset)
			batch_add(batch, &insn, NULL);
	walk_end(&walk);
}

void batch_read(struct batch *batch, const struct live *live, const char *file)
{
	FILE *in = fopen(file, "re");
	char line[512];
	unsigned long long offset;
	size_t function;

	if (!in)
		die("%s cannot be read", file);
	while (fgets(line, sizeof(line), in) && batch->n < MAX_BATCH)
		if (sscanf(line, "site %zu %llx", &function, &offset) == 2)
			add_site(batch, live, function, offset);
	fclose(in);
}
