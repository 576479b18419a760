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
#define PLACES_AT	8	/* places that can contain one byte: the sum of the lengths of forms */

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

/* Is the copy equal to the live text? If not, update it. */
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
	/* The kernel may be patching right now: two equal reads are text at rest. */
	while (!refresh(live) && ++tries < 100)
		usleep(20000);
	for (size_t i = 0; i < live->nr_regions; i++) {
		struct region *region = &live->regions[i];

		region->first = allocate(region->len);
		memcpy(region->first, region->copy, region->len);
	}
}

/* The index of the first place that does not begin before addr; the number of places if there is none. */
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

/* The text of a region without the known places; the caller frees it. */
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

/* The known place that contains addr; NULL: none. */
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

/* Are both the old and the new bytes at addr code that the kernel may patch in? */
static bool flips(const struct live *live, const struct region *region, uint64_t addr, uint8_t len, uint8_t *now)
{
	return addr >= region->start && addr + len <= region->start + region->len &&
	       insn_is_form(region->copy + (addr - region->start), len) && device_text(live->fd, addr, now, len) == len &&
	       insn_is_form(now, len);
}

/* Find all places that a change at addr may be inside of, as far as the bytes allow; returns how many. */
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

/*
 * Does the module refuse it because of what or where it is? (Not because it is no instruction, or has changed.)
 */
static bool by_others(uint8_t refusal)
{
	static const uint8_t ours[] = {
		KT_REFUSE_NONE, KT_REFUSE_BOUNDARY, KT_REFUSE_UNDECODABLE, KT_REFUSE_CHANGED, KT_REFUSE_BREAKPOINT,
		KT_REFUSE_TWICE, KT_REFUSE_NOMEM, KT_REFUSE_NOSLOT, KT_REFUSE_INTERRUPTED,
	};

	return !memchr(ours, refusal, sizeof(ours));
}

/*
 * The module sets nothing where the kernel or somebody else patches, so a change there is not by ktrace. Such a
 * place is remembered. The sweep asks about many at once: under this much load, each call of the module may
 * wait for a while.
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

/* Are the live bytes code that others may have patched in? Then update the copy. */
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

/* During a patch there is a breakpoint for a moment: look again before it counts as a difference. */
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

/* Called for a byte that has changed. */
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
