// SPDX-License-Identifier: GPL-2.0-or-later
/* ioctl_args.c - arguments of ioctls that are correct, or nearly. See ioctl.h. */
#include <string.h>
#include <sys/ioctl.h>
#include <sys/param.h>
#include <unistd.h>

#include "ioctl.h"

uint64_t odd_number(struct fuzzer *f)
{
	static const uint64_t odd[] = {
		0, 1, 2, 7, 8, 15, 16, 31, 32, 33, 63, 64, 255, 256, 257, 1024, 4095, 4096, 16384, 16385, 65535, 65536, 65537,
		0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, INT64_MAX, 1ULL << 63, UINT64_MAX, UINT64_MAX - 7,
		0xffffffff81000000, 0xffff888000000000, 0x7fffffffffff, 0x800000000000,
	};

	if (one_in(f, 4))
		return rng_next(&f->rng) >> roll(f, 64);
	return odd[roll(f, sizeof(odd) / sizeof(odd[0]))];
}

uint64_t room_at(struct fuzzer *f, size_t offset)
{
	if (one_in(f, 30))
		return odd_number(f);
	if (one_in(f, 30))
		return (uintptr_t)f->locked;
	return (uintptr_t)f->room + offset;
}

/* ------------------------------------------------------------------- descriptors */

static struct kt_insn wild_insn(struct fuzzer *f)
{
	return (struct kt_insn){
		.op = roll(f, KT_NR_OPS + 1), .dst = roll(f, 9), .src = roll(f, 9), .aux = roll(f, 10),
		.imm = one_in(f, 3) ? (int32_t)odd_number(f) : (int32_t)roll(f, 24),
	};
}

/*
 * Registers are written before they are read, and jumps stay inside: the module accepts most of these programs.
 */
static struct kt_insn tame_insn(struct fuzzer *f, uint32_t at, uint32_t len)
{
	const uint8_t dst = roll(f, 4), src = roll(f, 4), units = 1 + roll(f, 4);
	const struct kt_insn choice[] = {
		{ KT_OP_REG, dst, 0, 0, (int32_t)roll(f, 17) },
		{ KT_OP_IMM, dst, 0, 0, (int32_t)odd_number(f) },
		{ KT_OP_PSR, dst, 0, 0, 0 },
		{ KT_OP_CUR, dst, 0, 0, (int32_t)roll(f, KT_NR_CURS) },
		{ KT_OP_ALU, dst, src, (uint8_t)roll(f, KT_NR_ALUS), 0 },
		{ KT_OP_ADDI, dst, 0, 0, (int32_t)odd_number(f) },
		{ KT_OP_LOAD, dst, src, (uint8_t)roll(f, KT_NR_SIZES), (int32_t)roll(f, 4096) },
		{ KT_OP_IMMHI, dst, 0, 0, (int32_t)odd_number(f) },
		{ KT_OP_CMP, dst, src, (uint8_t)roll(f, KT_NR_CMPS), 0 },
		{ KT_OP_EMIT, 0, src, (uint8_t)(4 + 4 * roll(f, 2)), 0 },
		{ KT_OP_EMITCUR, 0, 0, 0, (int32_t)roll(f, 2) },
		{ KT_OP_EMITUSTACK, 0, 0, 0, (int32_t)(1 + roll(f, 4)) },
		{ KT_OP_CALLER, dst, 0, 0, (int32_t)roll(f, KT_MAX_DEPTH) },
		{ KT_OP_CALLERIN, dst, src, 0, 0 },
		{ KT_OP_MATCH, dst, src, (uint8_t)(roll(f, 3) + KT_MATCH_ENDS * roll(f, 2)), (int32_t)roll(f, 64) },
		{ KT_OP_PATTERN, 0, 0, 0, (int32_t)odd_number(f) },
		{ KT_OP_EMITREG, 0, 0, 0, (int32_t)roll(f, 16) },
		{ KT_OP_EMITREGS, 0, 0, 0, 0 },
		{ KT_OP_EMIT2, 0, src, 0, 0 },
		{ KT_OP_EMITBYTES, 0, src, 0, (int32_t)(2 * roll(f, 16)) },
		{ KT_OP_EMITTEXT, 0, src, 0, (int32_t)(2 * roll(f, 16)) },
		{ KT_OP_EMITOBJECT, 0, src, KT_OBJECT_PACKET, KT_PACKET_BYTES },
		{ KT_OP_EMITOBJECT, 0, src, KT_OBJECT_PIDS, KT_PIDS_BYTES },
		{ KT_OP_EMITPART, 0, src, dst, (int32_t)(4 * roll(f, 8)) },
		{ KT_OP_ARG, dst, 0, 0, (int32_t)roll(f, KT_SYSCALL_ARGS) },
		{ KT_OP_EMITARG, 0, 0, (uint8_t)(2 << roll(f, 3)), (int32_t)roll(f, KT_SYSCALL_ARGS) },
	};
	/* These instructions need a role. */
	const struct kt_insn of_call[] = {
		{ KT_OP_ELAPSED, dst, 0, 0, 0 },
		{ KT_OP_SAVED, dst, (uint8_t)roll(f, 9), (uint8_t)roll(f, KT_NR_SIZES), (int32_t)(4 * roll(f, 16)) },
		{ KT_OP_EMITSAVED, 0, 0, units, (int32_t)(4 * roll(f, 16)) },
	};

	if (at < 4)
		return (struct kt_insn){ KT_OP_REG, (uint8_t)at, 0, 0, (int32_t)roll(f, 16) };
	if (at == 4)
		return (struct kt_insn){ KT_OP_FAULTS, 0, 0, 0, 0 };
	if (at + 1 == len)
		return (struct kt_insn){ KT_OP_END, 0, 0, 0, 0 };
	if (one_in(f, 60))
		return of_call[roll(f, 3)];
	return choice[roll(f, sizeof(choice) / sizeof(choice[0]))];
}

size_t make_descriptor(struct fuzzer *f, uint8_t *to, size_t room)
{
	bool tame = !one_in(f, 4);
	uint32_t len = tame ? 6 + roll(f, 20) : one_in(f, 8) ? odd_number(f) % 300 : 1 + roll(f, 8);
	uint32_t meta = one_in(f, 4) ? odd_number(f) % (KT_MAX_META + 2) : roll(f, 200);
	struct kt_desc_req req = {
		.size = sizeof(req), .flags = one_in(f, 8) ? roll(f, 16) : 0, .late = one_in(f, 4) ? odd_number(f) : 0,
		.prog_len = len, .meta_len = meta,
	};
	size_t total = sizeof(req) + len * sizeof(struct kt_insn) + meta;

	if (total > room)
		return sizeof(req);
	memset(to, 'x', total);
	for (uint32_t i = 0; i < len; i++) {
		struct kt_insn insn = tame ? tame_insn(f, i, len) : wild_insn(f);

		memcpy(to + sizeof(req) + i * sizeof(insn), &insn, sizeof(insn));
	}
	memcpy(to, &req, sizeof(req));
	return total;
}

/* ------------------------------------------------------------------------- places */

static uint64_t some_addr(struct fuzzer *f)
{
	if (one_in(f, 10))
		return (KT_FILE_BASE | (1 + roll(f, 4)) << KT_FILE_SHIFT) + 0x1000 + roll(f, 0x8000);
	return f->world->insns[roll(f, f->world->nr_insns)].addr;
}

static void make_event(struct fuzzer *f, struct kt_site_req *site)
{
	*site = (struct kt_site_req){
		.addr = f->world->events[roll(f, f->world->nr_events)] + (one_in(f, 20) ? odd_number(f) : 0),
		.flags = KT_SITE_EVENT, .insn_len = one_in(f, 20), .method = one_in(f, 20) ? roll(f, 5) : 0,
	};
}

static void make_site(struct fuzzer *f, struct kt_site_req *site)
{
	struct insn insn = f->world->insns[roll(f, f->world->nr_insns)];

	if (one_in(f, 10) && f->world->nr_events) {
		make_event(f, site);
		return;
	}
	if (one_in(f, 8)) {
		make_user_site(f, site);
		return;
	}
	if (one_in(f, 10))
		insn.addr += roll(f, 8);
	else if (one_in(f, 20))
		insn.addr = odd_number(f);
	*site = (struct kt_site_req){
		.addr = insn.addr, .insn_len = one_in(f, 20) ? roll(f, 256) : insn.len,
		.method = one_in(f, 10) ? roll(f, 256) : roll(f, 2), .flags = one_in(f, 100),
		.updated = roll(f, 2), .refusal = roll(f, 40),
	};
	memcpy(site->insn, insn.bytes, sizeof(site->insn));
}

/* ------------------------------------------------------------ one for each request */

static size_t make_hello(struct fuzzer *f, uint8_t *arg)
{
	struct kt_hello hello = { .size = sizeof(hello), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT };

	if (one_in(f, 4))
		hello.abi += roll(f, 3);
	if (one_in(f, 4))
		hello.flags = roll(f, 2);
	memcpy(arg, &hello, sizeof(hello));
	return sizeof(hello);
}

/* Entry and return of the function for calibration. */
static void make_scratch(struct fuzzer *f, struct kt_site_req *site)
{
	*site = (struct kt_site_req){
		.addr = one_in(f, 20) ? odd_number(f) : roll(f, 2), .flags = KT_SITE_SCRATCH | one_in(f, 40),
		.insn_len = one_in(f, 20), .method = one_in(f, 20) ? roll(f, 5) : roll(f, 3),
	};
}

/* A text scan with the right sum, or nearly. */
static void make_scan(struct fuzzer *f, struct kt_scan *scan)
{
	uint8_t buf[4096];
	struct kt_text text = {
		.size = sizeof(text), .len = 1 + roll(f, sizeof(buf)), .addr = some_addr(f), .buf = (uintptr_t)buf,
		.flags = KT_TEXT_SUM,
	};

	ioctl(f->fds[f->fd], KT_IOC_TEXT, &text);
	*scan = (struct kt_scan){
		.addr = one_in(f, 20) ? odd_number(f) : text.addr, .sum = text.sum + one_in(f, 10),
		.len = one_in(f, 20) ? odd_number(f) : text.len, .reserved = one_in(f, 60),
	};
}

/*
 * The first half of the room has the sites, followed by scans and roles; the second half has the descriptors,
 * which sites share.
 */
static size_t make_trace(struct fuzzer *f, uint8_t *arg)
{
	enum { DESCS = 4, EACH = ROOM / 2 / DESCS, ROLES = 4, ROLES_AT = ROOM / 2 - ROLES * sizeof(struct kt_role),
	       SCANS = 3, SCANS_AT = ROLES_AT - SCANS * sizeof(struct kt_scan) };
	uint32_t nr = one_in(f, 200) ? 300 : 1 + roll(f, 12), i;
	struct kt_site_req *sites = (struct kt_site_req *)f->room;
	struct kt_trace trace = {
		.size = sizeof(trace), .flags = roll(f, 8), .nr = nr, .sites = room_at(f, 0),
		.scans = room_at(f, SCANS_AT), .nr_scans = one_in(f, 3) ? 1 + roll(f, SCANS) : 0, .reserved = one_in(f, 200),
	};
	struct kt_role *roles = (struct kt_role *)(f->room + ROLES_AT);
	const bool measures = one_in(f, 2), counts = one_in(f, 4);
	size_t lens[DESCS];

	if (measures && !one_in(f, 20))
		trace.flags |= KT_TRACE_OWNED;
	for (i = 0; i < ROLES; i++)
		make_role(f, f->fd, &roles[i]);
	for (i = 0; i < trace.nr_scans; i++)
		make_scan(f, (struct kt_scan *)(f->room + SCANS_AT) + i);
	for (i = 0; i < DESCS; i++)
		lens[i] = make_descriptor(f, f->room + ROOM / 2 + i * EACH, EACH);
	for (i = 0; i < nr; i++) {
		uint64_t which = roll(f, DESCS);

		if (measures && one_in(f, 4))
			make_scratch(f, &sites[i]);
		else
			make_site(f, &sites[i]);
		if (measures && !one_in(f, 4))
			sites[i].role = room_at(f, ROLES_AT + roll(f, ROLES) * sizeof(*roles));
		if (counts)
			sites[i].aggregate = some_aggregate(f);
		sites[i].desc = room_at(f, ROOM / 2 + which * EACH);
		sites[i].desc_len = one_in(f, 30) ? odd_number(f) : lens[which];
	}
	if (one_in(f, 100))
		trace.nr = odd_number(f) % 4096;
	if (one_in(f, 200))
		trace.nr_scans = odd_number(f);
	memcpy(arg, &trace, sizeof(trace));
	return sizeof(trace);
}

static size_t make_delete(struct fuzzer *f, uint8_t *arg)
{
	struct kt_delete delete = { .size = sizeof(delete), .nr = 1 + roll(f, 4), .addrs = room_at(f, 0) };
	uint64_t *addrs = (uint64_t *)f->room;

	for (uint32_t i = 0; i < delete.nr; i++)
		addrs[i] = some_addr(f);
	if (one_in(f, 8)) {
		delete.flags = KT_DELETE_ALL;
		delete.nr = one_in(f, 4);
	}
	memcpy(arg, &delete, sizeof(delete));
	return sizeof(delete);
}

static size_t make_list(struct fuzzer *f, uint8_t *arg)
{
	struct kt_list list = {
		.size = sizeof(list), .nr = roll(f, 100), .entries = room_at(f, 0), .cursor = one_in(f, 2) ? odd_number(f) : 0,
	};

	memcpy(arg, &list, sizeof(list));
	return sizeof(list);
}

static size_t make_desc(struct fuzzer *f, uint8_t *arg)
{
	struct kt_desc_get get = {
		.size = sizeof(get), .id = one_in(f, 8) ? odd_number(f) : roll(f, 3000), .buf = room_at(f, 0),
		.room = one_in(f, 4) ? roll(f, 100) : ROOM,
	};

	memcpy(arg, &get, sizeof(get));
	return sizeof(get);
}

static size_t make_code(struct fuzzer *f, uint8_t *arg)
{
	struct kt_code_get get = {
		.size = sizeof(get), .id = one_in(f, 8) ? odd_number(f) : roll(f, 3000), .buf = room_at(f, 0),
		.addr = odd_number(f), .room = one_in(f, 4) ? roll(f, 100) : ROOM,
	};

	memcpy(arg, &get, sizeof(get));
	return sizeof(get);
}

static size_t make_recording(struct fuzzer *f, uint8_t *arg)
{
	struct kt_recording recording = { .size = sizeof(recording), .op = roll(f, 16) ? roll(f, 2) : roll(f, 9) };

	memcpy(arg, &recording, sizeof(recording));
	return sizeof(recording);
}

static size_t make_status(struct fuzzer *f, uint8_t *arg)
{
	struct kt_status status = {
		.size = sizeof(status), .nr_cpus = one_in(f, 4) ? odd_number(f) : 8, .cpus = one_in(f, 4) ? 0 : room_at(f, 0),
	};

	memcpy(arg, &status, sizeof(status));
	return sizeof(status);
}

/* Positions near the true ones, which the mapped rings show. */
static size_t make_seen(struct fuzzer *f, uint8_t *arg)
{
	struct kt_seen seen = { .size = sizeof(seen), .nr = 1 + roll(f, 3), .cpus = room_at(f, 0) };
	struct kt_seen_cpu *cpus = (struct kt_seen_cpu *)f->room;

	for (uint32_t i = 0; i < seen.nr; i++) {
		const struct map *map = &f->maps[roll(f, NR_MAPS)];
		const struct kt_ring_ctl *ctl = (const void *)map->at;
		uint64_t from = map->at ? ctl->seen : odd_number(f), count = map->at ? ctl->count : odd_number(f);

		cpus[i] = (struct kt_seen_cpu){
			.cpu = one_in(f, 8) ? odd_number(f) : i, .reserved = one_in(f, 50), .from = from,
			.to = one_in(f, 2) ? count : from + roll(f, 5),
			.discarded_from = map->at ? ctl->discarded_seen : 0,
			.discarded_to = map->at ? ctl->discarded - roll(f, 2) : odd_number(f),
			.printed = roll(f, 3), .seq = map->at ? ctl->seq - roll(f, 2) : odd_number(f),
		};
	}
	if (one_in(f, 3)) {
		seen.flags = KT_SEEN_ALL;
		seen.nr = one_in(f, 8);
	}
	memcpy(arg, &seen, sizeof(seen));
	return sizeof(seen);
}

static size_t make_text(struct fuzzer *f, uint8_t *arg)
{
	struct kt_text text = {
		.size = sizeof(text), .len = one_in(f, 8) ? odd_number(f) : 1 + roll(f, 4096),
		.addr = one_in(f, 4) ? odd_number(f) : some_addr(f), .buf = room_at(f, 0),
		.flags = one_in(f, 20) ? odd_number(f) : roll(f, 2) * KT_TEXT_SUM, .reserved = one_in(f, 40),
	};

	memcpy(arg, &text, sizeof(text));
	return sizeof(text);
}

static size_t make_clock(struct fuzzer *f, uint8_t *arg)
{
	struct kt_clock clock = { .size = sizeof(clock), .nr = one_in(f, 4) ? odd_number(f) : 16, .anchors = room_at(f, 0) };

	memcpy(arg, &clock, sizeof(clock));
	return sizeof(clock);
}

static size_t make_wait(struct fuzzer *f, uint8_t *arg)
{
	struct kt_wait wait = { .size = sizeof(wait), .packets = one_in(f, 20), .total = odd_number(f) };

	memcpy(arg, &wait, sizeof(wait));
	return sizeof(wait);
}

/* Mostly small rings: the guest has little memory. */
static size_t make_buffer(struct fuzzer *f, uint8_t *arg)
{
	struct kt_buffer buffer = {
		.size = sizeof(buffer), .flags = one_in(f, 20) ? odd_number(f) : roll(f, 4),
		.bytes = one_in(f, 8) ? odd_number(f) : 4096ULL << roll(f, 9),
		.mode = one_in(f, 8) ? odd_number(f) : roll(f, 2),
	};

	memcpy(arg, &buffer, sizeof(buffer));
	return sizeof(buffer);
}

/* Its own process, process 1, another one, or none. */
static size_t make_process_tree(struct fuzzer *f, uint8_t *arg)
{
	struct kt_process_tree_add add = {
		.size = sizeof(add), .flags = roll(f, 8) ? roll(f, 2) : odd_number(f),
		.pid = one_in(f, 2) ? getpid() : one_in(f, 2) ? (int32_t)roll(f, 300) : (int32_t)odd_number(f),
		.reserved = one_in(f, 30),
	};

	memcpy(arg, &add, sizeof(add));
	return sizeof(add);
}

static size_t make_own(struct fuzzer *f, uint8_t *arg)
{
	struct kt_own_req own = {
		.size = sizeof(own), .flags = one_in(f, 30) ? odd_number(f) : 0, .reserved = one_in(f, 30),
		.pid = one_in(f, 4) ? (int32_t)odd_number(f) : one_in(f, 2) ? getpid() : (int32_t)roll(f, 300),
	};

	memcpy(arg, &own, sizeof(own));
	return sizeof(own);
}

static struct kt_task_rule some_rule(struct fuzzer *f, uint32_t kind)
{
	struct kt_task_rule rule = { .kind = one_in(f, 30) ? odd_number(f) : kind, .reserved = one_in(f, 40) };

	rule.value[0] = one_in(f, 3) ? odd_number(f) : one_in(f, 2) ? (uint64_t)getpid() : roll(f, 300);
	if (kind == KT_TASK_COMM || one_in(f, 30))
		rule.value[1] = one_in(f, 2) ? odd_number(f) : 0;
	return rule;
}

/* Rules in rising order of their kinds, mostly. */
static size_t make_tasks(struct fuzzer *f, uint8_t *arg)
{
	static struct kt_task_rule rules[KT_NR_TASK_KINDS];
	struct kt_tasks tasks = {
		.size = sizeof(tasks), .flags = roll(f, 8) ? roll(f, 2) : odd_number(f), .nr = 1 + roll(f, 3),
		.reserved = one_in(f, 40), .rules = one_in(f, 20) ? odd_number(f) : (uintptr_t)rules,
	};

	for (uint32_t i = 0; i < KT_NR_TASK_KINDS; i++)
		rules[i] = some_rule(f, roll(f, 3) + i);
	if (one_in(f, 20))
		tasks.nr = odd_number(f);
	memcpy(arg, &tasks, sizeof(tasks));
	return sizeof(tasks);
}

/* Cursors that the module returned come from earlier calls, which are repeated. */
static size_t make_state(struct fuzzer *f, uint8_t *arg)
{
	struct kt_state state = {
		.size = sizeof(state), .kind = one_in(f, 20) ? odd_number(f) : roll(f, KT_NR_STATES), .buf = room_at(f, 0),
		.room = one_in(f, 10) ? odd_number(f) : roll(f, ROOM + 1), .flags = one_in(f, 40), .reserved = one_in(f, 40),
	};

	for (size_t i = 0; i < 4; i++)
		if (one_in(f, 3))
			state.cursor[i] = one_in(f, 3) ? odd_number(f) : roll(f, 3000);
	memcpy(arg, &state, sizeof(state));
	return sizeof(state);
}

static const struct maker {
	unsigned long request;
	unsigned int weight;
	size_t (*make)(struct fuzzer *f, uint8_t *arg);
} makers[] = {
	{ KT_IOC_TRACE, 6, make_trace },   { KT_IOC_DELETE, 6, make_delete }, { KT_IOC_LIST, 2, make_list },
	{ KT_IOC_DESC, 2, make_desc }, { KT_IOC_CODE, 2, make_code }, { KT_IOC_RECORDING, 1, make_recording }, { KT_IOC_STATUS, 1, make_status },
	{ KT_IOC_SEEN, 4, make_seen },	   { KT_IOC_TEXT, 2, make_text },     { KT_IOC_CLOCK, 1, make_clock },
	{ KT_IOC_WAIT, 1, make_wait },	   { KT_IOC_HELLO, 1, make_hello },   { KT_IOC_BUFFER, 1, make_buffer },
	{ KT_IOC_PROCESS_TREE, 2, make_process_tree }, { KT_IOC_MEASURE, 2, make_measure },
	{ KT_IOC_MEASURE_RUN, 3, make_measure_run },
	{ KT_IOC_TALLY, 3, make_tally },     { KT_IOC_CALIBRATE, 2, make_calibrate }, { KT_IOC_STATE, 2, make_state },
	{ KT_IOC_FILE, 3, make_file }, { KT_IOC_OWN, 2, make_own },
	{ KT_IOC_TASKS, 2, make_tasks },     { KT_IOC_AGGREGATE, 3, make_aggregate },
	{ KT_IOC_AGGREGATE_RELEASE, 1, make_aggregate_release }, { KT_IOC_AGGREGATE_GET, 4, make_aggregate_get },
	{ KT_IOC_USER_HELLO, 1, make_user_hello }, { KT_IOC_USER_LIST, 1, make_user_list }, { KT_IOC_USER_OPEN, 1, make_user_open }, { KT_IOC_USER_SWITCH, 3, make_user_switch },
};

#define ALL_WEIGHTS 63

unsigned long make_argument(struct fuzzer *f, uint8_t *arg, size_t *len)
{
	uint64_t at = roll(f, ALL_WEIGHTS);
	const struct maker *maker = makers;

	while (at >= maker->weight)
		at -= maker++->weight;
	*len = maker->make(f, arg);
	return maker->request;
}
