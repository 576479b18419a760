// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* unwind.c - see unwind.h. */
#include "core/unwind.h"

#include "core/unwind_read.h"
#include "core/unwind_table.h"

_Static_assert(KT_NR_GENERAL <= 64 && sizeof(kt_signal_slot) == KT_NR_GENERAL, "a bit and a place for each register");

/* --------------------------------------------------------------- mapped files */

#define HEADERS		32	/* program headers of a file */

struct elf_header {
	u8 ident[16];
	u16 type, machine;
	u32 version;
	u64 entry, phoff, shoff;
	u32 flags;
	u16 ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct elf_segment {
	u32 type, flags;
	u64 offset, vaddr, paddr, filesz, memsz, align;
};

#define SEGMENT_LOAD		1
#define SEGMENT_EH_FRAME	0x6474e550

/* .eh_frame_hdr, as all linkers write it: a table of sorted entries, each distance from its beginning. */
struct table_header {
	u8 version, frame_encoding, count_encoding, entry_encoding;
	u32 frame, count;
};

static bool is_elf(const struct elf_header *elf)
{
	return elf->ident[0] == 0x7f && elf->ident[1] == 'E' && elf->ident[2] == 'L' && elf->ident[3] == 'F' &&
	       elf->ident[4] == 2 && elf->phentsize == sizeof(struct elf_segment) && elf->phnum <= HEADERS;
}

static void table_take(struct kt_unwind *u, struct kt_code_map *map, u64 addr, u64 size)
{
	struct table_header table;

	if (size < sizeof(table) || !kt_unwind_load(u, &table, addr, sizeof(table)) || table.version != 1 ||
	    (table.frame_encoding & 0xf) % 8 != 3 || table.count_encoding != 0x03 || table.entry_encoding != 0x3b ||
	    table.count > (size - sizeof(table)) / 8)
		return;
	map->table = addr;
	map->entries = table.count;
}

/* The first segment of a file says how far its addresses are from those in the file. */
static void table_find(struct kt_unwind *u, struct kt_code_map *map)
{
	struct elf_header elf;
	struct elf_segment segment, table = { .type = 0 };
	u64 moved = 0;
	bool known = false;
	u32 i;

	map->table = map->entries = 0;
	if (!map->header || !kt_unwind_load(u, &elf, map->header, sizeof(elf)) || !is_elf(&elf))
		return;
	for (i = 0; i < elf.phnum && !(known && table.type); i++) {
		if (!kt_unwind_load(u, &segment, map->header + elf.phoff + i * sizeof(segment), sizeof(segment)))
			return;
		if (segment.type == SEGMENT_EH_FRAME) {
			table = segment;
		} else if (segment.type == SEGMENT_LOAD && !segment.offset && !known) {
			moved = map->header - segment.vaddr;
			known = true;
		}
	}
	if (known && table.type)
		table_take(u, map, table.vaddr + moved, table.memsz);
}

static const struct kt_code_map *map_of(struct kt_unwind *u, u64 addr)
{
	struct kt_code_map *map;
	u32 i;

	for (i = 0; i < u->nr_maps; i++)
		if (addr >= u->maps[i].start && addr < u->maps[i].end)
			return &u->maps[i];
	u->newest = (u->newest + 1) % KT_UNWIND_MAPS;
	map = &u->maps[u->nr_maps < KT_UNWIND_MAPS ? u->nr_maps : u->newest];
	if (!kt_unwind_work(u) || !kt_code_map(addr, map)) {
		map->start = map->end = 0;
		return NULL;
	}
	if (u->nr_maps < KT_UNWIND_MAPS)
		u->nr_maps++;
	table_find(u, map);
	return map;
}

/* -------------------------------------------------------------------- one step */

static bool append(struct kt_unwind *u, u64 addr)
{
	if (u->n == KT_MAX_DEPTH)
		return false;
	u->callers[u->n++] = addr;
	return true;
}

static void finish(struct kt_unwind *u, bool complete)
{
	if (!complete)
		append(u, KT_CALLER_UNKNOWN);
	u->over = true;
}

/* The program goes on where it was interrupted by a signal: the kernel has stored all its registers. */
static enum kt_step step_signal(struct kt_unwind *u)
{
	u64 sp, pc;
	u32 i;

	if (!kt_unwind_reg(u, KT_UNWIND_SP, &sp))
		return KT_STEP_UNKNOWN;
	for (i = 0; i < KT_NR_GENERAL; i++)
		u->reg[i] = sp + KT_SIGNAL_REGS + 8 * kt_signal_slot[i];
	u->known = u->stored = ~0ULL >> (64 - KT_NR_GENERAL);
	u->exact = true;
	return kt_unwind_reg(u, KT_UNWIND_PC, &pc) ? KT_STEP_CALLER : KT_STEP_UNKNOWN;
}

static bool is_sigreturn(struct kt_unwind *u, u64 pc)
{
	u8 code[sizeof(kt_sigreturn)];

	return !u->exact && kt_unwind_load(u, code, pc, sizeof(code)) && !memcmp(code, kt_sigreturn, sizeof(code));
}

static bool follows_call(struct kt_unwind *u, u64 addr)
{
	u8 code[KT_CALL_BYTES];

	return map_of(u, addr - 1) && kt_unwind_load(u, code, addr - sizeof(code), sizeof(code)) && kt_ends_in_call(code);
}

/* The frame pointer points to the caller's, and the return address is behind that. */
static enum kt_step step_frame(struct kt_unwind *u)
{
	u64 frame, sp, above[2];

	if (!kt_unwind_reg(u, KT_UNWIND_FP, &frame) || !kt_unwind_reg(u, KT_UNWIND_SP, &sp) || frame < sp || frame % 8 ||
	    !kt_unwind_load(u, &above[0], frame, 8) || !kt_unwind_load(u, &above[1], frame + 8, 8))
		return KT_STEP_UNKNOWN;
	above[1] = kt_user_code(above[1]);
	if (!follows_call(u, above[1]))
		return KT_STEP_UNKNOWN;
	if (!u->guesses && !append(u, KT_CALLER_UNKNOWN))
		return KT_STEP_UNKNOWN;
	u->guesses = true;
	u->reg[KT_UNWIND_FP] = above[0];
	u->reg[KT_UNWIND_SP] = frame + 16;
	u->reg[KT_UNWIND_PC] = above[1];
	u->known = 1ULL << KT_UNWIND_FP | 1ULL << KT_UNWIND_SP | 1ULL << KT_UNWIND_PC;
	u->stored = 0;
	u->exact = false;
	return KT_STEP_CALLER;
}

static enum kt_step step(struct kt_unwind *u)
{
	const u64 pc = u->reg[KT_UNWIND_PC], at = u->exact ? pc : pc - 1;
	const struct kt_code_map *map;
	enum kt_step step = KT_STEP_NO_TABLE;

	if (is_sigreturn(u, pc))
		return step_signal(u);
	map = map_of(u, at);
	if (!map)
		return KT_STEP_UNKNOWN;
	if (map->table)
		step = kt_unwind_by_table(u, map, at);
	return step == KT_STEP_NO_TABLE ? step_frame(u) : step;
}

static void begin(struct kt_unwind *u, const struct pt_regs *regs)
{
	u32 i;

	for (i = 0; i < KT_NR_GENERAL; i++)
		u->reg[i] = kt_regs_get(regs, kt_reg_offset(i));
	u->known = ~0ULL >> (64 - KT_NR_GENERAL);
	u->stored = 0;
	u->exact = true;
	u->guesses = u->over = false;
	u->nr_maps = u->newest = 0;
	u->work = KT_UNWIND_WORK;
	append(u, u->reg[KT_UNWIND_PC]);
}

u32 kt_unwind_to(struct kt_unwind *u, const struct pt_regs *regs, u32 most)
{
	if (!u->n)
		begin(u, regs);
	while (u->n < most && !u->over) {
		switch (step(u)) {
		case KT_STEP_CALLER:
			append(u, u->reg[KT_UNWIND_PC]);
			break;
		case KT_STEP_END:
			finish(u, true);
			break;
		default:
			finish(u, false);
		}
	}
	return u->n;
}
