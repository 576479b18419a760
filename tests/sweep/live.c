// SPDX-License-Identifier: GPL-2.0-or-later
/* live.c - see live.h. */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "insn_arch.h"
#include "user.h"

#define PIECE		65536u
#define PLACES_AT	8	/* that one byte can be in: the lengths of forms, added up */

static void *allocate(size_t n)
{
	void *p = malloc(n);

	if (!p)
		die("out of memory");
	return p;
}

/* ---------------------------------------------------------------------- decoding */

static bool decode(const uint8_t *code, size_t n, uint64_t addr, struct insn *insn)
{
	*insn = (struct insn){ .addr = addr, .len = insn_len(code, n, addr) };
	memcpy(insn->bytes, code, insn->len);
	return insn->len > 0;
}

void walk_begin(struct walk *walk, const struct live *live, const struct symbol *function)
{
	*walk = (struct walk){ .function = function, .code = allocate(function->size) };
	walk->len = device_text(live->fd, function->addr, walk->code, function->size);
	walk->prologue = arch_user_prologue(walk->code, walk->len, function->addr);
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
	for (size_t i = 0; i < live->nr_regions; i++) {
		struct region *region = &live->regions[i];

		region->first = allocate(region->len);
		memcpy(region->first, region->copy, region->len);
	}
}

/* The first of the places that does not begin before addr; how many there are, where none does. */
static size_t first_place(const struct live *live, uint64_t addr)
{
	size_t low = 0, high = live->nr_places;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (live->places[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* FNV-1a */
static uint64_t hash_bytes(uint64_t hash, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3;
	return hash;
}

/* The text of a region without the places known; to be freed. */
static uint8_t *masked(const struct live *live, const struct region *region, const uint8_t *text)
{
	uint8_t *out = allocate(region->len);

	memcpy(out, text, region->len);
	for (size_t i = first_place(live, region->start); i < live->nr_places; i++) {
		const struct place *place = &live->places[i];

		if (place->addr >= region->start + region->len)
			break;
		memset(out + (place->addr - region->start), 0, place->len);
	}
	return out;
}

uint64_t live_hash(const struct live *live, bool first)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < live->nr_regions; i++) {
		const struct region *region = &live->regions[i];
		uint8_t *text = masked(live, region, first ? region->first : region->copy);

		hash = hash_bytes(hash, text, region->len);
		free(text);
	}
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

/* The place known that addr is in, NULL when there is none. */
static const struct place *place_at(const struct live *live, uint64_t addr)
{
	const size_t next = first_place(live, addr + 1);
	const struct place *place = next ? &live->places[next - 1] : NULL;

	return place && addr < place->addr + place->len ? place : NULL;
}

static int by_addr(const void *a, const void *b)
{
	uint64_t x = ((const struct place *)a)->addr, y = ((const struct place *)b)->addr;

	return x < y ? -1 : x > y;
}

/* Was and is there, at addr, what others may put there? */
static bool flips(const struct live *live, const struct region *region, uint64_t addr, uint8_t len, uint8_t *now)
{
	return addr >= region->start && addr + len <= region->start + region->len &&
	       insn_is_form(region->copy + (addr - region->start), len) && device_text(live->fd, addr, now, len) == len &&
	       insn_is_form(now, len);
}

/* All places, as far as the bytes go, that a change at addr can be in the middle of; how many. */
static size_t find_places(const struct live *live, const struct region *region, uint64_t addr,
			  struct kt_site_req *sites)
{
	size_t n = 0;

	for (const uint8_t *len = insn_form_lens; *len; len++) {
		for (uint64_t from = addr + 1 - *len; from <= addr; from++) {
			sites[n] = (struct kt_site_req){ .addr = from, .insn_len = *len };
			n += flips(live, region, from, *len, sites[n].insn);
		}
	}
	return n;
}

/* Refused for what it is, or where it is: not as something that is no instruction or not what it was. */
static bool by_others(uint8_t refusal)
{
	static const uint8_t ours[] = {
		KT_REFUSE_NONE, KT_REFUSE_BOUNDARY, KT_REFUSE_UNDECODABLE, KT_REFUSE_CHANGED, KT_REFUSE_BREAKPOINT,
		KT_REFUSE_TWICE, KT_REFUSE_NOMEM, KT_REFUSE_NOSLOT, KT_REFUSE_INTERRUPTED,
	};

	return !memchr(ours, refusal, sizeof(ours));
}

/*
 * Where somebody else patches the module sets nothing: a change there is not ours.  Such a place stays one.  Many are
 * asked for at once: beside so much load each call of the module may wait for a while.
 */
static void learn(struct live *live, struct kt_site_req *sites, size_t n)
{
	struct {
		struct kt_desc_req req;
		struct kt_insn prog[1];
	} desc = { { .size = sizeof(desc.req), .prog_len = 1 }, { { .op = KT_OP_END } } };
	struct kt_trace answer;
	int err;

	for (size_t i = 0; i < n; i++) {
		sites[i].desc = (uintptr_t)&desc;
		sites[i].desc_len = sizeof(desc);
	}
	err = n ? device_trace(live->fd, sites, n, KT_TRACE_DRYRUN | KT_TRACE_PARTIAL, &answer) : 0;
	if (err)
		die("a dry run of %zu tracepoints: %s", n, strerror(err));
	live->places = realloc(live->places, (live->nr_places + n + 1) * sizeof(*live->places));
	if (!live->places)
		die("out of memory");
	for (size_t i = 0; i < n; i++)
		if (by_others(sites[i].refusal))
			live->places[live->nr_places++] = (struct place){ sites[i].addr, sites[i].insn_len };
	qsort(live->places, live->nr_places, sizeof(*live->places), by_addr);
}

static void learn_one(struct live *live, const struct region *region, uint64_t addr)
{
	struct kt_site_req sites[PLACES_AT];

	if (!place_at(live, addr))
		learn(live, sites, find_places(live, region, addr, sites));
}

/* Is what stands there now what others may have put there?  Then the copy has it, too. */
static bool accept_flip(struct live *live, struct region *region, uint64_t addr)
{
	const struct place *place = place_at(live, addr);
	uint8_t now[5];

	if (!place || !flips(live, region, place->addr, place->len, now))
		return false;
	memcpy(region->copy + (place->addr - region->start), now, place->len);
	live->flips++;
	return true;
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
	uint8_t now;

	for (int tries = 0; tries < 50; tries++) {
		if (device_text(live->fd, addr, &now, 1) == 1 && now == *old)
			return;
		learn_one(live, region, addr);
		if (accept_flip(live, region, addr))
			return;
		usleep(20000);
	}
	complain(live, region, addr);
}

/* What is done with a byte that is not what it was. */
typedef void differs(struct live *live, struct region *region, uint64_t addr);

static void compare_piece(struct live *live, struct region *region, size_t at, size_t n, differs *differs)
{
	static uint8_t now[PIECE];

	if (device_text(live->fd, region->start + at, now, n) != n)
		die("the text at %s cannot be read any more", symbols_name(live->symbols, region->start + at));
	if (!memcmp(now, region->copy + at, n))
		return;
	for (size_t i = 0; i < n; i++)
		if (now[i] != region->copy[at + i])
			differs(live, region, region->start + at + i);
}

static void compare(struct live *live, differs *differs)
{
	for (size_t i = 0; i < live->nr_regions; i++) {
		struct region *region = &live->regions[i];

		for (size_t at = 0; at < region->len; at += PIECE)
			compare_piece(live, region, at, region->len - at < PIECE ? region->len - at : PIECE, differs);
	}
}

static struct kt_site_req unknown[16384];
static size_t nr_unknown;

static void gather(struct live *live, struct region *region, uint64_t addr)
{
	const struct kt_site_req *last = nr_unknown ? &unknown[nr_unknown - 1] : NULL;

	if (nr_unknown + PLACES_AT > sizeof(unknown) / sizeof(unknown[0]) || place_at(live, addr))
		return;
	if (!last || addr - last->addr >= last->insn_len)
		nr_unknown += find_places(live, region, addr, &unknown[nr_unknown]);
}

void live_compare(struct live *live)
{
	nr_unknown = 0;
	compare(live, gather);
	learn(live, unknown, nr_unknown);
	compare(live, settle);
}
