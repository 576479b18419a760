// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which path do hits of a measurement take, fast or slow? paths SP
 *
 * Takes the addresses of the two tracepoints that are set, at the entry and at the only return of a function,
 * and gives them roles in measurements of all kinds. For each pair of roles the module must report the expected
 * path, and the same for the scratch function, if told to use that path. SP: the DWARF number of the stack
 * pointer.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "device.h"

struct blob {
	struct kt_desc_req req;
	struct kt_insn prog[4];
};

static const struct blob plain = {
	{ .size = sizeof(struct kt_desc_req), .prog_len = 1 }, { { .op = KT_OP_END } },
}, filtered = {
	{ .size = sizeof(struct kt_desc_req), .prog_len = 4 },
	{
		{ .op = KT_OP_CUR, .dst = 0, .imm = KT_CUR_PID },
		{ .op = KT_OP_CMPI, .dst = 0, .src = 1, .aux = KT_CMP_EQ },
		{ .op = KT_OP_DROP },
		{ .op = KT_OP_END },
	},
}, recording = {
	{ .size = sizeof(struct kt_desc_req), .prog_len = 2 },
	{ { .op = KT_OP_EMITCUR, .imm = KT_CUR_PID }, { .op = KT_OP_END } },
};

static const struct row {
	const char *name;
	const struct blob *blobs[2];
	uint32_t measure_flags, saved;
	uint32_t what;		/* of both roles, besides the usual flags */
	bool other_key;		/* the register is not the stack pointer */
	bool is_long[2];
} rows[] = {
	{ "nothing asked", { &plain, &plain }, .is_long = { false, false } },
	{ "a filter at the entry", { &filtered, &plain }, .is_long = { true, false } },
	{ "a filter at the return", { &plain, &filtered }, .is_long = { false, true } },
	{ "a program that is never run", { &recording, &recording }, .is_long = { false, false } },
	{ "by thread", { &plain, &plain }, .what = KT_ROLE_THREAD, .is_long = { true, true } },
	{ "across threads", { &plain, &plain }, .measure_flags = KT_MEASURE_ACROSS, .is_long = { true, true } },
	{ "something is kept with calls", { &plain, &plain }, .saved = 8, .is_long = { true, true } },
	{ "another register as key", { &plain, &plain }, .other_key = true, .is_long = { true, true } },
};

static uint32_t sp;

static bool says_long(int fd, uint32_t id)
{
	struct kt_list_entry *entries = NULL;
	uint32_t n = device_list(fd, &entries), at = n;
	bool is_long;

	for (uint32_t i = 0; i < n; i++)
		if (entries[i].id == id)
			at = i;
	if (at == n)
		die("tracepoint %u is not listed", id);
	is_long = entries[at].slow_path;
	free(entries);
	return is_long;
}

static void give_role(const struct row *row, uint32_t i, uint32_t measure, struct kt_role *role)
{
	*role = (struct kt_role){
		.size = sizeof(*role), .measure = measure, .reg = row->other_key ? 0 : sp,
		.what = KT_ROLE_SILENT | (i ? KT_ROLE_END | KT_ROLE_TALLY : KT_ROLE_BEGIN) | row->what,
	};
}

static void set(int fd, const char *name, struct kt_site_req *reqs)
{
	struct kt_trace answer;
	int err = device_trace(fd, reqs, 2, KT_TRACE_OWNED, &answer);

	if (err || answer.nr_refused)
		die("%s: not set: %s, refusals %u and %u", name, strerror(err), reqs[0].refusal, reqs[1].refusal);
}

static void expect(int fd, const char *name, const char *of, const struct kt_site_req *reqs, const bool *is_long)
{
	for (uint32_t i = 0; i < 2; i++)
		if (says_long(fd, reqs[i].id) != is_long[i])
			die("%s: the %s of %s goes the %s way", name, i ? "return" : "entry", of, is_long[i] ? "short" : "long");
}

static void try(const struct row *row, const struct kt_site_req *places)
{
	struct kt_measure measure = {
		.size = sizeof(measure), .slots = KT_MIN_SLOTS, .flags = row->measure_flags, .saved = row->saved,
	}, own = { .size = sizeof(own), .slots = KT_MIN_SLOTS };
	struct kt_site_req reqs[2] = { places[0], places[1] }, scratch[2] = { { 0 }, { 0 } };
	static const struct row usual = { .name = "the scratch function" };
	struct kt_role roles[2], scratch_roles[2];
	int fd = device_open(NULL);

	must(fd, KT_IOC_MEASURE, &measure, "KT_IOC_MEASURE");
	must(fd, KT_IOC_MEASURE, &own, "KT_IOC_MEASURE");
	for (uint32_t i = 0; i < 2; i++) {
		give_role(row, i, measure.id, &roles[i]);
		reqs[i].desc = (uintptr_t)row->blobs[i];
		reqs[i].desc_len = sizeof(struct kt_desc_req) + row->blobs[i]->req.prog_len * sizeof(struct kt_insn);
		reqs[i].role = (uintptr_t)&roles[i];
	}
	set(fd, row->name, reqs);
	expect(fd, row->name, "the function", reqs, row->is_long);
	for (uint32_t i = 0; i < 2; i++) {
		give_role(&usual, i, own.id, &scratch_roles[i]);
		scratch_roles[i].what |= (row->what & KT_ROLE_THREAD) | (row->is_long[i] ? KT_ROLE_SLOW_PATH : 0);
		scratch[i] = (struct kt_site_req){
			.addr = KT_SCRATCH_ENTRY + i, .flags = KT_SITE_SCRATCH, .desc = (uintptr_t)&plain,
			.desc_len = sizeof(struct kt_desc_req) + sizeof(struct kt_insn), .role = (uintptr_t)&scratch_roles[i],
		};
	}
	set(fd, row->name, scratch);
	expect(fd, row->name, "the scratch function", scratch, row->is_long);
	close(fd);
}

int main(int argc, char **argv)
{
	struct kt_site_req *places;
	int fd = device_open(NULL);

	if (argc != 2)
		die("give the number of the stack pointer");
	sp = strtoul(argv[1], NULL, 0);
	if (device_requests(fd, &places) != 2)
		die("not two tracepoints are set");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		try(&rows[i], places);
	printf("%zu measurements: tracepoints and what they are calibrated on go the same way\n",
	       sizeof(rows) / sizeof(*rows));
	free(places);
	close(fd);
	return 0;
}
