// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build_cfa.c - the canonical frame address at each place, from .debug_frame or .eh_frame (DWARF 5, section
 * 6.4), else from the kernel's ORC tables.  Only rules of the form register + offset are kept.  The tables are
 * read here, each function once.
 */
#include <stdlib.h>

#include "arch/elf.h"
#include "symbols/build/build.h"

#define STATES		16	/* nesting of remembered states */

struct rule {
	uint64_t reg;
	int64_t offset;
	bool known;
};

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint8_t pointer;	/* DW_EH_PE_* of addresses; 0 in .debug_frame */
	struct cursor start;	/* instructions */
};

struct frames {
	const struct image *image;
	const struct image_section *section;
	bool is_eh;
	struct cfa_rows *out;
};

struct walk {
	const struct frames *frames;
	const struct cie *cie;
	struct rule rule, saved[STATES];
	size_t nr_saved;
	uint64_t at, end;
};

/* -------------------------------------------------------------------- rows */

static void add_row(struct cfa_rows *out, uint64_t addr, const struct rule *rule)
{
	bool fits = rule->known && rule->reg < CFA_UNKNOWN && rule->offset == (int16_t)rule->offset;
	struct ix_cfa row = { .addr = addr, .reg = CFA_UNKNOWN };

	if (fits) {
		row.reg = rule->reg;
		row.offset = rule->offset;
	}
	if (out->n && out->v[out->n - 1].addr == row.addr)
		out->n--;
	*ARRAY_ADD(out->v, out->n, out->room) = row;
}

static void emit(struct walk *walk)
{
	uint64_t base = walk->frames->image->base;

	if (walk->at >= base && walk->at - base < UINT32_MAX)
		add_row(walk->frames->out, walk->at - base, &walk->rule);
}

static void advance(struct walk *walk, uint64_t delta)
{
	emit(walk);
	walk->at += delta * walk->cie->code_align;
}

/* ------------------------------------------------------------ instructions */

static void define(struct walk *walk, uint64_t reg, int64_t offset)
{
	walk->rule = (struct rule){ reg, offset, true };
}

static int64_t factored(const struct walk *walk, struct cursor *c)
{
	return (uint64_t)cursor_sleb(c) * walk->cie->data_align;
}

static void cfa_rule(struct walk *walk, struct cursor *c, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = cursor_uleb(c);
		define(walk, reg, cursor_uleb(c));
		return;
	case DW_CFA_def_cfa_sf:
		reg = cursor_uleb(c);
		define(walk, reg, factored(walk, c));
		return;
	case DW_CFA_def_cfa_register:
		walk->rule.reg = cursor_uleb(c);
		return;
	case DW_CFA_def_cfa_offset:
		walk->rule.offset = cursor_uleb(c);
		return;
	case DW_CFA_def_cfa_offset_sf:
		walk->rule.offset = factored(walk, c);
		return;
	case DW_CFA_def_cfa_expression:
		cursor_take(c, cursor_uleb(c));
		walk->rule.known = false;
	}
}

static void keep_state(struct walk *walk, uint8_t op)
{
	if (op == DW_CFA_remember_state && walk->nr_saved < STATES)
		walk->saved[walk->nr_saved++] = walk->rule;
	else if (op == DW_CFA_restore_state && walk->nr_saved)
		walk->rule = walk->saved[--walk->nr_saved];
}

/* The operands of the other instructions, which are skipped: u(leb), b(lock). */
static const struct skip {
	uint8_t op;
	const char *operands;
} skips[] = {
	{ DW_CFA_nop, "" }, { DW_CFA_offset_extended, "uu" }, { DW_CFA_restore_extended, "u" },
	{ DW_CFA_undefined, "u" }, { DW_CFA_same_value, "u" }, { DW_CFA_register, "uu" },
	{ DW_CFA_expression, "ub" }, { DW_CFA_offset_extended_sf, "uu" }, { DW_CFA_val_offset, "uu" },
	{ DW_CFA_val_offset_sf, "uu" }, { DW_CFA_val_expression, "ub" }, { DW_CFA_GNU_args_size, "u" },
	{ DW_CFA_GNU_window_save, "" }, { DW_CFA_GNU_negative_offset_extended, "uu" },
};

static bool pass(struct cursor *c, uint8_t op)
{
	for (size_t i = 0; i < sizeof(skips) / sizeof(skips[0]); i++) {
		if (skips[i].op != op)
			continue;
		for (const char *p = skips[i].operands; *p; p++) {
			uint64_t v = cursor_uleb(c);

			if (*p == 'b')
				cursor_take(c, v);
		}
		return true;
	}
	return false;
}

static uint64_t read_pointer(const struct frames *frames, struct cursor *c, uint8_t how);

static bool step(struct walk *walk, struct cursor *c)
{
	uint8_t op = cursor_uint(c, 1);

	switch (op) {
	case DW_CFA_set_loc:
		emit(walk);
		walk->at = read_pointer(walk->frames, c, walk->cie->pointer);
		return true;
	case DW_CFA_advance_loc1:
	case DW_CFA_advance_loc2:
		advance(walk, cursor_uint(c, op == DW_CFA_advance_loc1 ? 1 : 2));
		return true;
	case DW_CFA_advance_loc4:
		advance(walk, cursor_uint(c, 4));
		return true;
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
		keep_state(walk, op);
		return true;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_def_cfa_expression:
		cfa_rule(walk, c, op);
		return true;
	}
	if ((op & 0xc0) == DW_CFA_advance_loc)
		advance(walk, op & 0x3f);
	else if ((op & 0xc0) == DW_CFA_offset)
		cursor_uleb(c);
	else if ((op & 0xc0) != DW_CFA_restore)
		return pass(c, op);
	return true;
}

static bool run(struct walk *walk, struct cursor c)
{
	while (cursor_left(&c))
		if (!step(walk, &c) || c.bad)
			return false;
	return true;
}

/* ----------------------------------------------------------------- entries */

#define PE_PCREL	0x10

/* Only the forms that the kernel's tools write. */
static uint64_t read_pointer(const struct frames *frames, struct cursor *c, uint8_t how)
{
	uint64_t here = frames->section->addr + (c->at - frames->section->data), v;
	bool is_signed = how & 8;
	size_t bytes = (how & 7) == 2 ? 2 : (how & 7) == 3 ? 4 : 8;

	v = is_signed ? (uint64_t)cursor_sint(c, bytes) : cursor_uint(c, bytes);
	return how & PE_PCREL ? here + v : v;
}

static void read_augmentation(struct cie *cie, struct cursor *c, const char *text)
{
	if (*text != 'z')
		return;
	cursor_uleb(c);
	for (text++; *text; text++) {
		/* Signal frames and the keys of return addresses have no data. */
		uint8_t v = strchr("SBG", *text) ? 0 : cursor_uint(c, 1);

		if (*text == 'R')
			cie->pointer = v;
		else if (*text == 'P')
			cursor_take(c, (v & 7) == 3 ? 4 : 8);
	}
}

static bool read_cie(const struct frames *frames, uint64_t offset, struct cie *out)
{
	struct cursor c = cursor_at(frames->section->data, frames->section->data_size, offset);
	uint64_t len = cursor_uint(&c, 4);
	const char *augmentation;
	uint8_t version;

	if (len == UINT32_MAX)
		return false;
	c = cursor_of(c.at, cursor_left(&c) < len ? 0 : len);
	cursor_uint(&c, 4);
	version = cursor_uint(&c, 1);
	augmentation = (const char *)c.at;
	if (c.bad || !memchr(c.at, '\0', cursor_left(&c)))
		return false;
	cursor_take(&c, strlen(augmentation) + 1);
	if (version == 4)
		cursor_take(&c, 2);
	*out = (struct cie){ .code_align = cursor_uleb(&c) };
	out->data_align = cursor_sleb(&c);
	if (version == 1)
		cursor_uint(&c, 1);
	else
		cursor_uleb(&c);
	read_augmentation(out, &c, augmentation);
	out->start = c;
	return !c.bad;
}

static void read_fde(const struct frames *frames, struct cursor c, uint64_t cie_offset)
{
	struct walk walk = { .frames = frames };
	struct rule none = { 0 };
	struct cie cie;
	uint64_t low, size;

	if (!read_cie(frames, cie_offset, &cie))
		return;
	low = read_pointer(frames, &c, cie.pointer);
	size = read_pointer(frames, &c, cie.pointer & 0xf);
	if (frames->is_eh)
		cursor_take(&c, cursor_uleb(&c));
	walk.cie = &cie;
	walk.at = low;
	if (c.bad || low < frames->image->base || low + size - frames->image->base >= UINT32_MAX)
		return;
	/* The initial instructions do not advance the address. */
	if (run(&walk, cie.start) && run(&walk, c) && walk.at < low + size)
		emit(&walk);
	add_row(frames->out, low + size - frames->image->base, &none);
}

static void read_frames(const struct frames *frames)
{
	const struct image_section *section = frames->section;
	struct cursor c = cursor_of(section->data, section->data_size);

	while (cursor_left(&c) >= 8) {
		uint64_t len = cursor_uint(&c, 4), at = c.at - section->data, id;
		const uint8_t *start = cursor_take(&c, len);
		struct cursor inside;

		if (!len || !start)
			return;
		inside = cursor_of(start, len);
		id = cursor_uint(&inside, 4);
		if (frames->is_eh ? id != 0 : id != UINT32_MAX)
			read_fde(frames, inside, frames->is_eh ? at - id : id);
	}
}

/* --------------------------------------------------------------------- ORC */

/*
 * .orc_unwind_ip: 32-bit offsets, each relative to its own place, in order of their target addresses.
 * .orc_unwind: for each two offsets and 16 bits; the low four bits name the base register of the previous stack
 * pointer.
 */
#define ORC_SIZE	6

static struct rule orc_rule(uint16_t machine, const uint8_t *entry)
{
	struct cursor c = cursor_of(entry, ORC_SIZE);
	struct rule rule = { .offset = cursor_sint(&c, 2) };

	cursor_uint(&c, 2);
	rule.known = elf_orc_register(machine, cursor_uint(&c, 2) & 15, &rule.reg);
	return rule;
}

static void read_orc(const struct image *image, const struct image_section *ips,
		     const struct image_section *entries, struct cfa_rows *out)
{
	struct cursor c = cursor_of(ips->data, ips->data_size);

	for (size_t i = 0; cursor_left(&c) >= 4 && (i + 1) * ORC_SIZE <= entries->data_size; i++) {
		uint64_t here = ips->addr + (c.at - ips->data), addr = here + cursor_sint(&c, 4);
		struct rule rule = orc_rule(image->machine, entries->data + i * ORC_SIZE);

		if (addr >= image->base && addr - image->base < UINT32_MAX)
			add_row(out, addr - image->base, &rule);
	}
}

/* -------------------------------------------------------------------- rows */

/* Where one function ends and the next begins, the beginning counts: it comes last. */
static int by_addr(const void *a, const void *b)
{
	const struct ix_cfa *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (y->reg == CFA_UNKNOWN) - (x->reg == CFA_UNKNOWN);
}

static void unite(struct cfa_rows *rows)
{
	size_t n = 0;

	qsort(rows->v, rows->n, sizeof(*rows->v), by_addr);
	for (size_t i = 0; i < rows->n; i++) {
		if (n && rows->v[n - 1].addr == rows->v[i].addr)
			n--;
		rows->v[n++] = rows->v[i];
	}
	rows->n = n;
}

void build_cfa(const struct image *image, struct cfa_rows *out)
{
	const struct image_section *ips = image_section(image, ".orc_unwind_ip");
	const struct image_section *entries = image_section(image, ".orc_unwind");
	const struct image_section *debug = image_section(image, ".debug_frame"), *eh = image_section(image, ".eh_frame");

	/* A program may have objects with the one and objects with the other. */
	if (debug)
		read_frames(&(struct frames){ image, debug, false, out });
	if (eh)
		read_frames(&(struct frames){ image, eh, true, out });
	if (!debug && !eh && ips && entries)
		read_orc(image, ips, entries, out);
	if (out->n)
		unite(out);
}
