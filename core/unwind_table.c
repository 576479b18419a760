// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* unwind_table.c - one step of a walk, by .eh_frame.  See unwind_table.h. */
#include "core/unwind_table.h"

#include "core/unwind_expression.h"
#include "core/unwind_read.h"

#define KEPT	2	/* rows that DW_CFA_remember_state keeps; compilers need one */

/* How to find a register of the caller: a kind in the lowest bits, and a signed number. */
enum kind { RULE_SAME, RULE_UNDEFINED, RULE_AT, RULE_IS, RULE_REGISTER, RULE_AT_EXPRESSION, RULE_IS_EXPRESSION };

static u64 rule(enum kind kind, u64 number)
{
	return number << 3 | kind;
}

static enum kind kind_of(u64 rule)
{
	return rule & 7;
}

static u64 number_of(u64 rule)
{
	return (s64)rule >> 3;
}

/* The rules for one instruction.  The CFA is the stack pointer of the caller, as a rule. */
struct row {
	u64 cfa_reg, cfa_offset;
	u64 cfa_expression;	/* its address; 0: register and offset */
	u64 rules[KT_NR_GENERAL];
};

/* What many functions share, a CIE. */
struct common {
	u64 code_align, data_align;
	u64 begin, end;		/* its instructions */
	u8 encoding;		/* of addresses */
	bool is_extended;	/* each FDE has more data, with its length */
	bool is_signal;		/* the caller is an interrupted instruction */
};

struct frame {
	struct kt_unwind *unwind;
	struct common common;
	u64 at;			/* the instruction */
	u64 location;		/* the rows so far are for instructions up to here */
	bool found;		/* the row is the one */
	u32 kept;
	struct row row, first, keeps[KEPT];
	struct kt_cursor c;
};

/* --------------------------------------------------------------- the table */

struct entry {
	s32 begin, frame;
};

/* The last function that begins at or before `at`.  False: none. */
static bool find(struct kt_unwind *u, const struct kt_code_map *map, u64 at, u64 *frame)
{
	const u64 entries = map->table + 12;
	u32 low = 0, high = map->entries;
	struct entry entry;

	*frame = 0;
	while (low < high) {
		const u32 middle = low + (high - low) / 2;

		if (!kt_unwind_load(u, &entry, entries + (u64)middle * sizeof(entry), sizeof(entry)))
			return false;
		if (at < map->table + (u64)(s64)entry.begin) {
			high = middle;
		} else {
			*frame = map->table + (u64)(s64)entry.frame;
			low = middle + 1;
		}
	}
	return true;
}

/* ------------------------------------------------------------ entries of .eh_frame */

enum {
	ENCODING_ABSOLUTE = 0, ENCODING_UDATA4 = 3, ENCODING_UDATA8 = 4, ENCODING_UDATA2 = 2, ENCODING_SIGNED = 8,
	ENCODING_RELATIVE = 0x10, ENCODING_FORM = 0xf, ENCODING_INDIRECT = 0x80, ENCODING_NONE = 0xff,
};

static u64 encoded(struct kt_cursor *c, u8 encoding)
{
	switch (encoding & ENCODING_FORM) {
	case ENCODING_ABSOLUTE:
	case ENCODING_UDATA8:
	case ENCODING_UDATA8 | ENCODING_SIGNED:
		return kt_cursor_number(c, 8);
	case ENCODING_UDATA4:
		return kt_cursor_number(c, 4);
	case ENCODING_UDATA4 | ENCODING_SIGNED:
		return kt_cursor_signed(c, 4);
	case ENCODING_UDATA2:
		return kt_cursor_number(c, 2);
	case ENCODING_UDATA2 | ENCODING_SIGNED:
		return kt_cursor_signed(c, 2);
	default:
		c->bad = true;
		return 0;
	}
}

static u64 address(struct kt_cursor *c, u8 encoding)
{
	const u64 here = c->at;

	if (encoding & ~(ENCODING_FORM | ENCODING_RELATIVE))
		c->bad = true;
	return encoded(c, encoding) + (encoding & ENCODING_RELATIVE ? here : 0);
}

/* Begin to read an entry: its length, and what follows that. */
static u32 entry_begin(struct kt_cursor *c, struct kt_unwind *u, u64 addr)
{
	u32 length;

	kt_cursor_set(c, u, addr, addr + 8);
	length = kt_cursor_number(c, 4);
	if (length < 4 || length > (1 << 20))	/* 0 ends the section, ~0 begins a longer length */
		c->bad = true;
	c->end = addr + 4 + length;
	return kt_cursor_number(c, 4);
}

/* What the letters of the augmentation announce.  'B' and 'G' are about signed addresses and tagged memory. */
static void augmentation(struct common *common, struct kt_cursor *c, const char *letters)
{
	u64 length, begin;
	u8 encoding;

	length = kt_cursor_uleb(c);
	begin = c->at;
	common->is_extended = true;
	for (; *letters && !c->bad; letters++) {
		switch (*letters) {
		case 'R':
			common->encoding = kt_cursor_byte(c);
			break;
		case 'L':
			kt_cursor_byte(c);
			break;
		case 'P':
			encoding = kt_cursor_byte(c);
			if (encoding != ENCODING_NONE)
				encoded(c, encoding);
			break;
		case 'S':
			common->is_signal = true;
			break;
		case 'B':
		case 'G':
			break;
		default:
			c->bad = true;
		}
	}
	if (c->at - begin != length)
		c->bad = true;
}

static bool common_read(struct frame *f, u64 addr)
{
	struct common *common = &f->common;
	struct kt_cursor *c = &f->c;
	char letters[8];
	u32 i;
	u8 version;

	*common = (struct common){ .encoding = ENCODING_ABSOLUTE };
	if (entry_begin(c, f->unwind, addr))
		return false;
	version = kt_cursor_byte(c);
	if (version != 1 && version != 3)
		return false;
	for (i = 0; i < sizeof(letters); i++) {
		letters[i] = kt_cursor_byte(c);
		if (!letters[i])
			break;
	}
	common->code_align = kt_cursor_uleb(c);
	common->data_align = kt_cursor_sleb(c);
	if (i == sizeof(letters) || (version == 1 ? kt_cursor_byte(c) : kt_cursor_uleb(c)) != KT_UNWIND_RETURN)
		return false;
	if (letters[0] == 'z')
		augmentation(common, c, letters + 1);
	else if (letters[0])
		return false;
	common->begin = c->at;
	common->end = c->end;
	return !c->bad;
}

/* ------------------------------------------------------- instructions of call frames */

enum instruction {
	CFA_ADVANCE = 0x40, CFA_AT = 0x80, CFA_RESTORE = 0xc0,
	CFA_NOP = 0, CFA_SET_LOCATION, CFA_ADVANCE1, CFA_ADVANCE2, CFA_ADVANCE4, CFA_AT_EXTENDED, CFA_RESTORE_EXTENDED,
	CFA_UNDEFINED, CFA_SAME, CFA_REGISTER, CFA_REMEMBER, CFA_RESTORE_STATE, CFA_DEFINE, CFA_DEFINE_REGISTER,
	CFA_DEFINE_OFFSET, CFA_DEFINE_EXPRESSION, CFA_EXPRESSION, CFA_AT_SIGNED, CFA_DEFINE_SIGNED, CFA_DEFINE_OFFSET_SIGNED,
	CFA_IS, CFA_IS_SIGNED, CFA_IS_EXPRESSION, CFA_ARGUMENTS = 0x2e, CFA_AT_NEGATIVE,
};

/* Rules for registers without a place here, such as those of vectors, are read and forgotten. */
static void set(struct row *row, u64 number, u64 rule)
{
	if (number < KT_NR_GENERAL)
		row->rules[number] = rule;
}

/* An instruction outside the rows of these instructions: `location` is past all that they say of it. */
static void advance(struct frame *f, u64 delta)
{
	f->location += delta * f->common.code_align;
	f->found = f->location > f->at;
}

/* The address of an expression, behind which the next instruction is. */
static u64 expression(struct kt_cursor *c)
{
	const u64 here = c->at, length = kt_cursor_uleb(c);

	if (length > c->end - c->at)
		c->bad = true;
	else
		c->at += length;
	if (c->at - c->from > c->have)
		c->have = 0;
	return here;
}

static void remember(struct frame *f)
{
	if (f->kept == KEPT)
		f->c.bad = true;
	else
		f->keeps[f->kept++] = f->row;
}

static void restore(struct frame *f, u64 number)
{
	set(&f->row, number, number < KT_NR_GENERAL ? f->first.rules[number] : 0);
}

static void define(struct row *row, u64 reg, u64 offset)
{
	row->cfa_reg = reg;
	row->cfa_offset = offset;
	row->cfa_expression = 0;
}

/* Those whose lowest bits are an operand. */
static void execute_short(struct frame *f, u8 op)
{
	const u8 operand = op & 0x3f;

	if ((op & 0xc0) == CFA_ADVANCE)
		advance(f, operand);
	else if ((op & 0xc0) == CFA_AT)
		set(&f->row, operand, rule(RULE_AT, kt_cursor_uleb(&f->c) * f->common.data_align));
	else
		restore(f, operand);
}

static void execute(struct frame *f, u8 op)
{
	struct kt_cursor *c = &f->c;
	const u64 align = f->common.data_align;
	struct row *row = &f->row;
	u64 reg;

	switch (op) {
	case CFA_NOP:
		return;
	case CFA_SET_LOCATION:
		f->location = address(c, f->common.encoding);
		return advance(f, 0);
	case CFA_ADVANCE1:
		return advance(f, kt_cursor_number(c, 1));
	case CFA_ADVANCE2:
		return advance(f, kt_cursor_number(c, 2));
	case CFA_ADVANCE4:
		return advance(f, kt_cursor_number(c, 4));
	case CFA_REMEMBER:
		return remember(f);
	case CFA_RESTORE_STATE:
		if (f->kept)
			*row = f->keeps[--f->kept];
		else
			c->bad = true;
		return;
	case CFA_DEFINE_OFFSET:
		return define(row, row->cfa_reg, kt_cursor_uleb(c));
	case CFA_DEFINE_OFFSET_SIGNED:
		return define(row, row->cfa_reg, kt_cursor_sleb(c) * align);
	case CFA_DEFINE_EXPRESSION:
		row->cfa_expression = expression(c);
		return;
	case CFA_ARGUMENTS:
		kt_cursor_uleb(c);
		return;
	default:
		break;
	}
	reg = kt_cursor_uleb(c);
	switch (op) {
	case CFA_AT_EXTENDED:		return set(row, reg, rule(RULE_AT, kt_cursor_uleb(c) * align));
	case CFA_AT_SIGNED:		return set(row, reg, rule(RULE_AT, kt_cursor_sleb(c) * align));
	case CFA_AT_NEGATIVE:		return set(row, reg, rule(RULE_AT, -kt_cursor_uleb(c) * align));
	case CFA_RESTORE_EXTENDED:	return restore(f, reg);
	case CFA_UNDEFINED:		return set(row, reg, rule(RULE_UNDEFINED, 0));
	case CFA_SAME:			return set(row, reg, rule(RULE_SAME, 0));
	case CFA_REGISTER:		return set(row, reg, rule(RULE_REGISTER, kt_cursor_uleb(c)));
	case CFA_DEFINE:		return define(row, reg, kt_cursor_uleb(c));
	case CFA_DEFINE_SIGNED:		return define(row, reg, kt_cursor_sleb(c) * align);
	case CFA_DEFINE_REGISTER:	return define(row, reg, row->cfa_offset);
	case CFA_EXPRESSION:		return set(row, reg, rule(RULE_AT_EXPRESSION, expression(c)));
	case CFA_IS:			return set(row, reg, rule(RULE_IS, kt_cursor_uleb(c) * align));
	case CFA_IS_SIGNED:		return set(row, reg, rule(RULE_IS, kt_cursor_sleb(c) * align));
	case CFA_IS_EXPRESSION:		return set(row, reg, rule(RULE_IS_EXPRESSION, expression(c)));
	default:			c->bad = true;
	}
}

/* Execute until the row is that of f->at, or to the end. */
static bool execute_all(struct frame *f, u64 begin, u64 end)
{
	struct kt_cursor *c = &f->c;
	u8 op;

	if (begin != c->at || end != c->end)
		kt_cursor_set(c, f->unwind, begin, end);
	while (c->at < c->end && !c->bad && !f->found && kt_unwind_work(f->unwind)) {
		op = kt_cursor_byte(c);
		if (op & 0xc0)
			execute_short(f, op);
		else if (!op || op != KT_UNWIND_IGNORED)
			execute(f, op);
	}
	return !c->bad && (f->found || c->at == c->end);
}

/* ------------------------------------------------------------------ the caller */

static bool cfa_of(struct kt_unwind *u, const struct row *row, u64 *cfa)
{
	if (row->cfa_expression)
		return kt_unwind_expression(u, row->cfa_expression, 0, cfa);
	if (!kt_unwind_reg(u, row->cfa_reg, cfa))
		return false;
	*cfa += row->cfa_offset;
	return true;
}

/* One register of the caller, by a rule that names no place relative to the CFA. */
static bool rare_rule(struct kt_unwind *u, u64 rule, u64 cfa, u64 *to, bool *stored)
{
	*stored = kind_of(rule) == RULE_AT_EXPRESSION;
	if (kind_of(rule) == RULE_REGISTER)
		return kt_unwind_reg(u, number_of(rule), to);
	return kind_of(rule) != RULE_UNDEFINED && kt_unwind_expression(u, number_of(rule), cfa, to);
}

/* The registers of the caller into reg[], without those that no rule mentions and that functions may change. */
static void registers(struct kt_unwind *u, const struct row *row, u64 cfa, u64 reg[KT_NR_GENERAL])
{
	const u64 kept = u->exact ? KT_UNWIND_SAVED | 1ULL << KT_UNWIND_RETURN : KT_UNWIND_SAVED;
	u64 known = 0, stored = 0;
	bool good, is_stored;
	u32 i;

	for (i = 0; i < KT_NR_GENERAL; i++) {
		const u64 bit = 1ULL << i, rule = row->rules[i];

		if (kind_of(rule) == RULE_SAME) {
			reg[i] = u->reg[i];
			known |= u->known & kept & bit;
			stored |= u->stored & bit;
			continue;
		}
		reg[i] = cfa + number_of(rule);
		is_stored = kind_of(rule) == RULE_AT;
		good = is_stored || kind_of(rule) == RULE_IS || rare_rule(u, rule, cfa, &reg[i], &is_stored);
		known |= good ? bit : 0;
		stored |= is_stored ? bit : 0;
	}
	/* The return address is in no register of its own, or it is in one that this instruction has not yet saved. */
	if (KT_UNWIND_RETURN == KT_UNWIND_PC && kind_of(row->rules[KT_UNWIND_PC]) == RULE_SAME)
		known &= ~(1ULL << KT_UNWIND_PC);
	u->known = known;
	u->stored = stored;
}

static enum kt_step leave(struct kt_unwind *u, const struct frame *f)
{
	const struct row *row = &f->row;
	const u64 pc = u->reg[KT_UNWIND_PC];
	u64 reg[KT_NR_GENERAL], sp, cfa, to;

	if (kind_of(row->rules[KT_UNWIND_RETURN]) == RULE_UNDEFINED)
		return KT_STEP_END;
	if (!kt_unwind_reg(u, KT_UNWIND_SP, &sp) || !cfa_of(u, row, &cfa))
		return KT_STEP_UNKNOWN;
	registers(u, row, cfa, reg);
	memcpy(u->reg, reg, sizeof(reg));
	if (kind_of(row->rules[KT_UNWIND_SP]) == RULE_SAME) {
		u->reg[KT_UNWIND_SP] = cfa;
		u->known |= 1ULL << KT_UNWIND_SP;
		u->stored &= ~(1ULL << KT_UNWIND_SP);
	}
	if (!kt_unwind_reg(u, KT_UNWIND_RETURN, &to))
		return KT_STEP_UNKNOWN;
	if (KT_UNWIND_RETURN != KT_UNWIND_PC && !f->common.is_signal)
		u->known &= ~(1ULL << KT_UNWIND_RETURN);
	to = kt_user_code(to);
	if (!to)
		return KT_STEP_END;
	/* The stack of a caller is above, unless a signal came between. */
	if (!f->common.is_signal && (cfa < sp || (cfa == sp && to == pc)))
		return KT_STEP_UNKNOWN;
	u->reg[KT_UNWIND_PC] = to;
	u->known |= 1ULL << KT_UNWIND_PC;
	u->stored &= ~(1ULL << KT_UNWIND_PC);
	u->exact = f->common.is_signal;
	return KT_STEP_CALLER;
}

enum kt_step kt_unwind_by_table(struct kt_unwind *u, const struct kt_code_map *map, u64 at)
{
	struct frame f KT_UNINITIALIZED;
	u64 frame, begin, length, rows;
	u32 back;
	u64 end;

	if (!find(u, map, at, &frame))
		return KT_STEP_UNKNOWN;
	if (!frame)
		return KT_STEP_NO_TABLE;
	f.unwind = u;
	f.at = at;
	f.found = false;
	f.kept = 0;
	memset(&f.row, 0, sizeof(f.row));
	f.row.cfa_reg = KT_NR_GENERAL;	/* none */
	back = entry_begin(&f.c, u, frame);
	if (f.c.bad || !back || !common_read(&f, frame + 4 - back))
		return KT_STEP_UNKNOWN;
	/* No row of the CIE is for another instruction. */
	f.location = at;
	if (!execute_all(&f, f.common.begin, f.common.end) || f.found)
		return KT_STEP_UNKNOWN;
	f.first = f.row;

	entry_begin(&f.c, u, frame);
	begin = address(&f.c, f.common.encoding);
	length = encoded(&f.c, f.common.encoding & ENCODING_FORM);
	if (f.common.is_extended) {
		rows = kt_cursor_uleb(&f.c);
		rows += f.c.at;
	} else {
		rows = f.c.at;
	}
	end = f.c.end;
	if (f.c.bad || rows < f.c.at || rows > end)
		return KT_STEP_UNKNOWN;
	if (at - begin >= length)
		return KT_STEP_NO_TABLE;
	f.location = begin;
	if (!execute_all(&f, rows, end))
		return KT_STEP_UNKNOWN;
	return leave(u, &f);
}
