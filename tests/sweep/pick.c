// SPDX-License-Identifier: GPL-2.0-or-later
/* pick.c - see pick.h. */
#include "pick.h"

#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "insn_arch.h"

#define MEAN_BYTES	6	/* of an instruction, with its share of the filler: less than the real mean */

static void shuffle(uint32_t *order, size_t n, uint64_t seed)
{
	struct rng rng = { mix(seed) };

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t j = rng_below(&rng, i);
		uint32_t was = order[i - 1];

		order[i - 1] = order[j];
		order[j] = was;
	}
}

void picker_begin(struct picker *picker, const struct live *live, uint64_t seed, uint64_t count, unsigned int share,
		  unsigned int shares)
{
	uint64_t all = live_bytes(live) / MEAN_BYTES / shares, one = 1ULL << 32;
	uint64_t rate = count < all ? one * count / all * 5 / 4 : one;
	size_t n = live->symbols->nr_functions;

	*picker = (struct picker){
		.live = live, .seed = seed, .share = share, .shares = shares,
		.order = malloc(n * sizeof(*picker->order)),
	};
	if (!picker->order)
		die("out of memory");
	picker->threshold = rate > one / 16 ? rate : one / 16;
	shuffle(picker->order, n, seed);
}

static bool taken(const struct picker *picker, uint32_t function, uint64_t offset)
{
	return mix(picker->seed ^ mix((uint64_t)function << 32 ^ offset)) >> 32 < picker->threshold;
}

static bool next_function(struct picker *picker)
{
	const struct symbols *symbols = picker->live->symbols;

	if (picker->walk.code)
		walk_end(&picker->walk);
	while (picker->next < symbols->nr_functions) {
		const struct symbol *function = &symbols->functions[picker->order[picker->next++]];

		if ((picker->next - 1) % picker->shares != picker->share || symbol_is_area(function))
			continue;
		walk_begin(&picker->walk, picker->live, function);
		return true;
	}
	return false;
}

/*
 * Is this a function's entry: a landing pad, or the nop that the kernel patches? There the controller puts the
 * tracepoint behind both. The sweep tries some of these addresses anyway.
 */
static bool is_moved(const struct picker *picker)
{
	return picker->walk.at <= picker->walk.prologue && mix(picker->seed ^ picker->next) % 16;
}

bool picker_next(struct picker *picker, struct insn *insn)
{
	for (;;) {
		if (!picker->walk.code && !next_function(picker))
			return false;
		while (walk_next(&picker->walk, insn)) {
			if (insn_is_filler(insn->bytes))
				continue;
			if (!taken(picker, picker->order[picker->next - 1], insn->addr - picker->walk.function->addr))
				continue;
			while (is_moved(picker) && walk_next(&picker->walk, insn))
				;
			return true;
		}
		if (!next_function(picker))
			return false;
	}
}

/* ------------------------------------------------------------------ what is wrong */

static void somewhere(struct rng *rng, struct insn *insn, uint64_t from, uint64_t to)
{
	insn->addr = from + rng_below(rng, to - from);
	insn->len = 1 + rng_below(rng, 15);
	for (size_t i = 0; i < sizeof(insn->bytes); i++)
		insn->bytes[i] = rng_next(rng);
}

static const struct symbol *some_other(const struct live *live, struct rng *rng, const char *types)
{
	const struct symbol *symbol;

	do
		symbol = &live->symbols->others[rng_below(rng, live->symbols->nr_others)];
	while (!strchr(types, symbol->type) || symbol->addr < 1ULL << 63);
	return symbol;
}

static bool wrong_middle(const struct live *live, struct rng *rng, struct insn *insn)
{
	uint8_t skip;

	if (insn->len < 2)
		return false;
	skip = 1 + rng_below(rng, insn->len - 1);
	insn->addr += skip;
	insn->len -= skip;
	memmove(insn->bytes, insn->bytes + skip, insn->len);
	return true;
}

static bool wrong_bytes(const struct live *live, struct rng *rng, struct insn *insn)
{
	insn->bytes[rng_below(rng, insn->len)] ^= 1 << rng_below(rng, 8);
	return true;
}

static bool wrong_length(const struct live *live, struct rng *rng, struct insn *insn)
{
	insn->len = (insn->len + rng_below(rng, 14)) % 15 + 1;
	return true;
}

static bool wrong_data(const struct live *live, struct rng *rng, struct insn *insn)
{
	uint64_t addr = some_other(live, rng, "dDbBrR")->addr;

	somewhere(rng, insn, addr, addr + 64);
	return true;
}

static bool wrong_init(const struct live *live, struct rng *rng, struct insn *insn)
{
	uint64_t addr = some_other(live, rng, "tT")->addr;

	somewhere(rng, insn, addr, addr + 16);
	return true;
}

static bool wrong_self(const struct live *live, struct rng *rng, struct insn *insn)
{
	const struct symbols *symbols = live->symbols;
	const struct symbol *symbol;

	do
		symbol = &symbols->functions[rng_below(rng, symbols->nr_functions)];
	while (strcmp(symbol->module, "ktrace"));
	somewhere(rng, insn, symbol->addr, symbol->addr + symbol->size);
	return true;
}

static bool wrong_past_end(const struct live *live, struct rng *rng, struct insn *insn)
{
	const struct region *region = &live->regions[rng_below(rng, live->nr_regions)];
	uint64_t end = region->start + region->len;

	somewhere(rng, insn, end, end + 0x1000);
	return !symbols_at(live->symbols, insn->addr);
}

static bool wrong_user(const struct live *live, struct rng *rng, struct insn *insn)
{
	somewhere(rng, insn, 0, 1ULL << 47);
	return true;
}

static bool wrong_anywhere(const struct live *live, struct rng *rng, struct insn *insn)
{
	somewhere(rng, insn, 0, UINT64_MAX);
	return true;
}

static bool wrong_filler(const struct live *live, struct rng *rng, struct insn *insn)
{
	insn->addr--;
	insn->len = 1;
	insn->bytes[0] = 0xcc;
	return true;
}

static const struct wrong {
	const char *what;
	bool (*make)(const struct live *live, struct rng *rng, struct insn *insn);
} wrongs[] = {
	{ "in the middle of an instruction", wrong_middle }, { "other bytes than are there", wrong_bytes },
	{ "another length", wrong_length }, { "data", wrong_data }, { "init text", wrong_init },
	{ "the module itself", wrong_self }, { "past the end of the text", wrong_past_end },
	{ "user address", wrong_user }, { "any 64-bit number", wrong_anywhere }, { "a filler", wrong_filler },
};

const char *pick_wrong(const struct live *live, struct rng *rng, struct insn *insn)
{
	const struct wrong *wrong;

	do
		wrong = &wrongs[rng_below(rng, sizeof(wrongs) / sizeof(wrongs[0]))];
	while (!wrong->make(live, rng, insn));
	return wrong->what;
}
