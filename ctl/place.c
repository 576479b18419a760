// SPDX-License-Identifier: GPL-2.0-or-later
/* place.c - from what was typed to the instructions that are meant.  See place.h. */
#include "ctl/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/address.h"
#include "ctl/memory.h"
#include "ctl/source.h"

#define PROLOGUE_MAX 32

static bool covers(const struct sym *sym, uint64_t addr)
{
	return addr == sym->addr || (addr > sym->addr && addr - sym->addr < sym->size);
}

/* Bytes in front of a function's first own instruction. */
static uint64_t prologue(const struct target *target, const struct sym *sym)
{
	uint8_t code[PROLOGUE_MAX];
	size_t n = sym->size && sym->size < sizeof(code) ? sym->size : sizeof(code), skip;

	if (!sym_is_text(sym))
		return 0;
	n = device_text(target->dev, sym->addr, code, n);
	skip = n ? target->arch->prologue(code, n, sym->addr) : 0;
	return skip < n ? skip : 0;
}

bool place_is_entry(const struct target *target, const struct sym *sym, uint64_t addr)
{
	return sym_is_text(sym) && addr >= sym->addr && addr - sym->addr <= prologue(target, sym);
}

static void spell(const struct target *target, struct place *place, uint64_t skip)
{
	uint64_t offset = place->addr - place->sym->addr;
	size_t at;

	address_spell(target->tab, place->sym, place->name, sizeof(place->name));
	at = strlen(place->name);
	if (offset != skip)
		snprintf(place->name + at, sizeof(place->name) - at, "+0x%" PRIx64, offset);
}

static void locate(const struct target *target, uint64_t addr, const struct sym *sym,
		   bool is_entry, struct place *out)
{
	uint64_t skip;

	*out = (struct place){ .addr = addr };
	out->sym = sym && covers(sym, addr) ? sym
		 : target->tab ? symtab_by_addr(target->tab, addr) : NULL;
	if (!out->sym) {
		snprintf(out->name, sizeof(out->name), "0x%" PRIx64, addr);
		return;
	}
	skip = prologue(target, out->sym);
	if (is_entry && addr == out->sym->addr)
		out->addr += skip;
	spell(target, out, skip);
}

void place_at(const struct target *target, uint64_t addr, const struct sym *sym,
	      struct place *out)
{
	locate(target, addr, sym, true, out);
}

uint64_t place_code(const struct place *place)
{
	return place->is_event || place->is_return ? place->entry : place->addr;
}

uint64_t place_told(uint64_t addr)
{
	/* Kernel addresses begin with ones. */
	return addr >> 62 == 1 ? addr | KT_RETURN_BIT : addr;
}

void place_return(const struct target *target, const struct sym *sym, struct place *out)
{
	size_t at;

	locate(target, sym->addr, sym, true, out);
	at = strlen(out->name);
	snprintf(out->name + at, sizeof(out->name) - at, "%%return");
	out->entry = out->addr;
	out->addr = KT_RETURN_OF(sym->addr);
	out->is_return = true;
}

const char *place_name(const struct target *target, uint64_t addr, struct place *place)
{
	locate(target, addr, NULL, false, place);
	/* In front of the first instruction that can be traced: that one is meant. */
	if (place->sym && addr - place->sym->addr < prologue(target, place->sym))
		address_spell(target->tab, place->sym, place->name, sizeof(place->name));
	return place->name;
}

/* ---------------------------------------------------------- instructions */

static bool is_return_thunk(const struct target *target, uint64_t addr)
{
	const char *end = target->arch->return_thunk;
	const struct sym *sym = end && target->tab ? symtab_by_addr(target->tab, addr) : NULL;
	size_t n = sym ? strlen(sym->name) : 0;

	return sym && sym->addr == addr && n > strlen(end) && !strcmp(sym->name + n - strlen(end), end);
}

bool place_decode(const struct target *target, const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out)
{
	if (!target->arch->decode(code, n, addr, out))
		return false;
	if (out->is_jump && out->target && is_return_thunk(target, out->target))
		out->is_return = true;
	return true;
}

static bool is_filling(const uint8_t *code, size_t n)
{
	while (n && !*code) {
		code++;
		n--;
	}
	return !n;
}

enum place_step place_step(const struct target *target, const uint8_t *code, size_t n, uint64_t addr,
			   struct arch_insn *out)
{
	if (is_filling(code, n))
		return STEP_END;
	return place_decode(target, code, n, addr, out) ? STEP_INSN : STEP_UNDECODABLE;
}

/* --------------------------------------------------------------- variants */

struct variants {
	const struct target *target;
	const char *base;
	struct places *places;
	FILE *pieces;
	size_t nr_pieces;
};

static bool is_piece(const char *name)
{
	return strstr(name, ".part.") || strstr(name, ".cold");
}

void places_add(const struct target *target, struct places *places, uint64_t addr, const struct sym *sym)
{
	struct place *place;

	places->v = MEM_MORE(places->v, places->n);
	place = &places->v[places->n];
	place_at(target, addr, sym, place);
	for (size_t i = 0; i < places->n; i++)
		if (places->v[i].addr == place->addr)
			return;
	places->n++;
}

static void add_variant(const struct sym *sym, void *arg)
{
	struct variants *variants = arg;

	if (!sym_is_text(sym) || !strcmp(sym->name, variants->base))
		return;
	if (!is_piece(sym->name))
		places_add(variants->target, variants->places, sym->addr, sym);
	else if (variants->pieces)
		fprintf(variants->pieces, "%s%s", variants->nr_pieces++ ? ", " : "", sym->name);
}

static void add_variants(const struct target *target, const char *base, struct places *out)
{
	struct variants variants = { .target = target, .base = base, .places = out };
	size_t len;

	variants.pieces = open_memstream(&out->pieces, &len);
	symtab_variants(target->tab, base, add_variant, &variants);
	if (variants.pieces)
		fclose(variants.pieces);
	if (!variants.nr_pieces) {
		free(out->pieces);
		out->pieces = NULL;
	}
}

/* A name that only its variants bear. */
static bool only_variants(const struct target *target, const char *text, struct places *out)
{
	const struct sym *const *all;

	if (!target->tab || strpbrk(text, "+-:#") || symtab_by_name(target->tab, text, NULL, &all))
		return false;
	add_variants(target, text, out);
	return out->n;
}

static bool only_pieces(const char *text, const struct places *places, struct error *err)
{
	return error_set(err, STATUS_FAILURE,
			 "'%s' is inlined or split up, only pieces of it are there: name one of %s",
			 text, places->pieces);
}

bool places_resolve(const struct target *target, const char *text, struct places *out,
		    struct error *err)
{
	struct address address;

	*out = (struct places){ 0 };
	if (source_is(target, text)) {
		if (source_resolve(target, text, out, err))
			return true;
		places_free(out);
		return false;
	}
	if (only_variants(target, text, out))
		return true;
	if (out->pieces) {
		only_pieces(text, out, err);
		places_free(out);
		return false;
	}
	if (!address_parse(target->tab, text, ADDRESS_CODE, &address, err)) {
		source_only_inlined(target, text, err);
		return false;
	}
	places_add(target, out, address.value, address.sym);
	if (address.bare && sym_is_text(address.sym) && !strcmp(text, address.sym->name))
		add_variants(target, address.sym->name, out);
	return true;
}

void places_free(struct places *places)
{
	free(places->v);
	free(places->pieces);
	free(places->jumps);
	free(places->scans.v);
	*places = (struct places){ 0 };
}
