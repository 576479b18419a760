// SPDX-License-Identifier: GPL-2.0-or-later
/* live.c - see live.h. */
#include "live.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"

#define PIECE 65536

static void *allocate(size_t n)
{
	void *p = malloc(n);

	if (!p)
		die("out of memory");
	return p;
}

/* ---------------------------------------------------------------------- decoding */

static csh engine;
static cs_insn *one;

static void engine_open(void)
{
	if (!one && (cs_open(CS_ARCH_X86, CS_MODE_64, &engine) != CS_ERR_OK || !(one = cs_malloc(engine))))
		die("capstone cannot be used");
}

static bool decode(const uint8_t *code, size_t n, uint64_t addr, struct insn *insn)
{
	if (!cs_disasm_iter(engine, &code, &n, &addr, one))
		return false;
	insn->addr = one->address;
	insn->len = one->size;
	memset(insn->bytes, 0, sizeof(insn->bytes));
	memcpy(insn->bytes, one->bytes, one->size);
	return true;
}

void walk_begin(struct walk *walk, const struct live *live, const struct symbol *function)
{
	engine_open();
	*walk = (struct walk){ .function = function, .code = allocate(function->size) };
	walk->len = device_text(live->fd, function->addr, walk->code, function->size);
}

bool walk_next(struct walk *walk, struct insn *insn)
{
	if (walk->at >= walk->len ||
	    !decode(walk->code + walk->at, walk->len - walk->at, walk->function->addr + walk->at, insn))
		return false;
	walk->at += insn->len;
	return true;
}

void walk_end(struct walk *walk)
{
	free(walk->code);
	walk->code = NULL;
}

/* ---------------------------------------------------------------------- the copy */

static void add_region(struct live *live, uint64_t start, size_t len)
{
	struct region *last = live->nr_regions ? &live->regions[live->nr_regions - 1] : NULL;

	if (last && last->start + last->len == start) {
		last->len += len;
		return;
	}
	live->regions = realloc(live->regions, (live->nr_regions + 1) * sizeof(*last));
	if (!live->regions)
		die("out of memory");
	live->regions[live->nr_regions++] = (struct region){ .start = start, .len = len };
}

/* Does the copy hold what is there now?  Where not, it does afterwards. */
static bool refresh(struct live *live)
{
	bool same = true;

	for (size_t i = 0; i < live->nr_regions; i++) {
		struct region *region = &live->regions[i];
		uint8_t *now = allocate(region->len);

		region->len = device_text(live->fd, region->start, now, region->len);
		same = same && region->copy && !memcmp(now, region->copy, region->len);
		free(region->copy);
		region->copy = now;
	}
	return same;
}

void live_load(struct live *live, int fd, const struct symbols *symbols)
{
	int tries = 0;

	*live = (struct live){ .fd = fd, .symbols = symbols };
	for (size_t i = 0; i < symbols->nr_functions; i++)
		if (!symbol_is_area(&symbols->functions[i]))
			add_region(live, symbols->functions[i].addr, symbols->functions[i].size);
	/* The kernel may just be patching: twice the same is the text at rest. */
	while (!refresh(live) && ++tries < 100)
		usleep(20000);
}

/* FNV-1a */
uint64_t live_hash(const struct live *live)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < live->nr_regions; i++)
		for (size_t at = 0; at < live->regions[i].len; at++)
			hash = (hash ^ live->regions[i].copy[at]) * 0x100000001b3;
	return hash;
}

size_t live_bytes(const struct live *live)
{
	size_t sum = 0;

	for (size_t i = 0; i < live->nr_regions; i++)
		sum += live->regions[i].len;
	return sum;
}

/* ---------------------------------------------------------------- what has changed */

/* What the kernel itself puts where it patches: jump labels, static calls and their trampolines, ftrace. */
static const struct form {
	uint8_t len, fixed;	/* bytes; how many of them are these */
	uint8_t bytes[5];
} forms[] = {
	{ 5, 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } }, { 5, 1, { 0xe9 } }, { 5, 1, { 0xe8 } }, { 5, 2, { 0xc3, 0xcc } },
	{ 5, 5, { 0x66, 0x66, 0x48, 0x31, 0xc0 } }, { 5, 5, { 0x2e, 0x2e, 0x2e, 0x31, 0xc0 } }, { 2, 2, { 0x66, 0x90 } }, { 2, 1, { 0xeb } },
};

static bool is_form(const uint8_t *bytes, uint8_t len)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i].len == len && !memcmp(forms[i].bytes, bytes, forms[i].fixed))
			return true;
	return false;
}

/* Where somebody else patches the module sets nothing: so a change there is not ours. */
static bool is_refused(const struct live *live, uint64_t addr, const uint8_t *bytes, uint8_t len)
{
	struct kt_insn prog[] = { { .op = KT_OP_END } };
	struct {
		struct kt_desc_req req;
		struct kt_insn prog[1];
	} desc = { { .size = sizeof(desc.req), .prog_len = 1 }, { prog[0] } };
	struct kt_site_req site = {
		.addr = addr, .desc = (uintptr_t)&desc, .desc_len = sizeof(desc), .insn_len = len,
	};
	struct kt_trace answer;

	memcpy(site.insn, bytes, len);
	device_trace(live->fd, &site, 1, KT_TRACE_DRYRUN | KT_TRACE_PARTIAL, &answer);
	return site.refusal && site.refusal != KT_REFUSE_CHANGED;
}

/* The instruction of the copy that holds addr. */
static bool find_insn(const struct region *region, const struct symbol *function, uint64_t addr, struct insn *insn)
{
	uint64_t at = function->addr;

	engine_open();
	for (; at <= addr; at += insn->len) {
		if (!decode(region->copy + (at - region->start), function->addr + function->size - at, at, insn))
			return false;
		if (addr < at + insn->len)
			return true;
	}
	return false;
}

struct flip {
	uint64_t addr;
	uint8_t len;
	uint8_t now[5];
};

static bool is_flip(const struct live *live, const struct region *region, uint64_t addr, struct flip *flip)
{
	const struct symbol *function = symbols_at(live->symbols, addr);
	struct insn insn;

	if (!function || !find_insn(region, function, addr, &insn))
		return false;
	flip->addr = insn.addr;
	flip->len = insn.len == 2 ? 2 : 5;
	return insn.addr + flip->len <= region->start + region->len &&
	       device_text(live->fd, insn.addr, flip->now, flip->len) == flip->len &&
	       is_form(region->copy + (insn.addr - region->start), flip->len) && is_form(flip->now, flip->len) &&
	       is_refused(live, insn.addr, flip->now, flip->len);
}

static void print_bytes(const char *what, const uint8_t *bytes, size_t n)
{
	fprintf(stderr, "  %s", what);
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, " %02x", bytes[i]);
	fputc('\n', stderr);
}

static void complain(const struct live *live, const struct region *region, uint64_t addr)
{
	size_t n = region->start + region->len - addr < 8 ? region->start + region->len - addr : 8;
	uint8_t now[8] = { 0 };

	device_text(live->fd, addr, now, n);
	print_bytes("was", region->copy + (addr - region->start), n);
	print_bytes("is ", now, n);
	die("the text at %s (%#llx) has changed", symbols_name(live->symbols, addr), (unsigned long long)addr);
}

/* While somebody patches there is a breakpoint for a moment: look again before it counts. */
static void settle(struct live *live, struct region *region, uint64_t addr)
{
	const uint8_t *old = region->copy + (addr - region->start);
	struct flip flip;
	uint8_t now;

	for (int tries = 0; tries < 50; tries++) {
		if (device_text(live->fd, addr, &now, 1) == 1 && now == *old)
			return;
		if (is_flip(live, region, addr, &flip)) {
			memcpy(region->copy + (flip.addr - region->start), flip.now, flip.len);
			live->flips++;
			return;
		}
		usleep(20000);
	}
	complain(live, region, addr);
}

static void compare_piece(struct live *live, struct region *region, size_t at, size_t n)
{
	static uint8_t now[PIECE];

	if (device_text(live->fd, region->start + at, now, n) != n)
		die("the text at %s cannot be read any more", symbols_name(live->symbols, region->start + at));
	if (!memcmp(now, region->copy + at, n))
		return;
	for (size_t i = 0; i < n; i++)
		if (now[i] != region->copy[at + i])
			settle(live, region, region->start + at + i);
}

void live_compare(struct live *live)
{
	for (size_t i = 0; i < live->nr_regions; i++) {
		struct region *region = &live->regions[i];

		for (size_t at = 0; at < region->len; at += PIECE)
			compare_piece(live, region, at, region->len - at < PIECE ? region->len - at : PIECE);
	}
}
