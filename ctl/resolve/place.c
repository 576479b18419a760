// SPDX-License-Identifier: GPL-2.0-or-later
/* place.c - instructions, and what they are called.  See place.h. */
#include "ctl/resolve/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/resolve/address.h"

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

/* ------------------------------------------------------------------- lists */

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

void places_free(struct places *places)
{
	free(places->v);
	free(places->pieces);
	free(places->jumps);
	free(places->scans.v);
	*places = (struct places){ 0 };
}
