// SPDX-License-Identifier: GPL-2.0-or-later
/* location_words.c - the location of a variable as text.  See location.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbols/index/location_frame.h"

#define MOST_RANGES	6	/* ranges in one text */

struct text {
	char *buf;
	size_t size, n;
};

static void add(struct text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *fmt, ...)
{
	size_t room = text->n < text->size ? text->size - text->n : 0;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text->buf + (room ? text->n : 0), room, fmt, args);
	va_end(args);
	if (n > 0)
		text->n += n;
}

static void add_reg(struct text *text, uint16_t reg, loc_reg_name name)
{
	const char *known = name ? name(reg) : NULL;

	if (known)
		add(text, "%%%s", known);
	else
		add(text, "register %u", reg);
}

static void add_offset(struct text *text, int64_t n)
{
	add(text, "%c0x%" PRIx64, n < 0 ? '-' : '+', n < 0 ? -(uint64_t)n : (uint64_t)n);
}

static void add_step(struct text *text, const struct loc_step *step)
{
	static const char *const signs[] = {
		[LOC_AND] = "&", [LOC_OR] = "|", [LOC_XOR] = "^", [LOC_SHL] = "<<", [LOC_SHR] = ">>",
		[LOC_SHRA] = ">>", [LOC_MUL] = "*",
	};

	if (step->op == LOC_ADD)
		add_offset(text, step->n);
	else if (step->op == LOC_LOAD || step->op == LOC_NEG || step->op == LOC_NOT)
		add(text, ")");
	else
		add(text, "%s0x%" PRIx64 ")", signs[step->op], (uint64_t)step->n);
}

/* Add the openings before the register: *(x), -(x), (x&y). */
static void add_openings(struct text *text, const struct loc_value *value)
{
	for (size_t i = value->nr; i-- > 0;) {
		enum loc_op op = value->steps[i].op;

		if (op != LOC_ADD)
			add(text, "%s(", op == LOC_LOAD ? "*" : op == LOC_NEG ? "-" : op == LOC_NOT ? "~" : "");
	}
}

static void add_value(struct text *text, const struct loc_value *value, loc_reg_name name)
{
	bool is_constant = !value->has_reg && value->nr && value->steps[0].op == LOC_ADD;

	add_openings(text, value);
	if (value->has_reg)
		add_reg(text, value->reg, name);
	else if (is_constant)
		add(text, "0x%" PRIx64, (uint64_t)value->steps[0].n);
	else
		add(text, "0");
	for (size_t i = is_constant; i < value->nr; i++)
		add_step(text, &value->steps[i]);
}

static bool is_constant(const struct loc_value *value)
{
	return !value->has_reg && value->nr <= 1 && (!value->nr || value->steps[0].op == LOC_ADD);
}

static void add_computed(struct text *text, const struct loc_value *value, loc_reg_name name)
{
	int64_t n = value->nr ? value->steps[0].n : 0;

	if (!is_constant(value)) {
		add(text, "computed: ");
		add_value(text, value, name);
	} else if (n > -65536 && n < 65536) {
		add(text, "always %" PRId64, n);
	} else {
		add(text, "always 0x%" PRIx64, (uint64_t)n);
	}
}

static void add_bytes(struct text *text, const struct loc_piece *piece)
{
	add(text, "always bytes");
	for (uint64_t i = 0; i < piece->len && i < 8; i++)
		add(text, " %02x", piece->bytes[i]);
	add(text, piece->len > 8 ? " ..." : "");
}

static void add_piece(struct text *text, const struct loc_piece *piece, loc_reg_name name)
{
	switch (piece->kind) {
	case LOC_NOWHERE:
		add(text, "optimised out");
		break;
	case LOC_REGISTER:
		add_reg(text, piece->value.reg, name);
		break;
	case LOC_MEMORY:
		add(text, "memory at ");
		add_value(text, &piece->value, name);
		break;
	case LOC_COMPUTED:
		add_computed(text, &piece->value, name);
		break;
	case LOC_BYTES:
		add_bytes(text, piece);
	}
}

const char *location_words(const struct location *location, loc_reg_name name, char *buf, size_t size)
{
	struct text text = { buf, size, 0 };

	buf[0] = '\0';
	for (size_t i = 0; i < location->nr; i++) {
		const struct loc_piece *piece = &location->pieces[i];

		add(&text, "%s", i ? ", " : "");
		if (piece->bits && piece->bits % 8)
			add(&text, "%" PRIu64 " bits: ", piece->bits);
		else if (piece->bits)
			add(&text, "%" PRIu64 " bytes: ", piece->bits / 8);
		add_piece(&text, piece, name);
	}
	return buf;
}

/* ------------------------------------------------------------- everywhere */

struct var_range {
	uint32_t low, high;
	char words[96];
};

/* False: the location is not readable. */
static bool words_at(const struct dbindex *ix, const struct scope *scope, const struct var *var,
		     const struct loc_at *at, char words[96])
{
	struct loc_refusal refusal;
	struct location location;

	if (location_of(ix, scope, var, at, &location, &refusal) != LOC_OK)
		return false;
	location_words(&location, at->name, words, 96);
	return true;
}

/* The part of the function that the compiler split off; it has its own symbol. */
static const struct scope_range *cold_part(const struct scope *function, uint32_t addr)
{
	for (size_t i = 1; i < function->nr_ranges; i++)
		if (addr >= function->ranges[i].low && addr < function->ranges[i].high)
			return &function->ranges[i];
	return NULL;
}

static void add_range(struct text *text, const struct var_range *range, const struct scope *function, bool is_first)
{
	const struct scope_range *cold = cold_part(function, range->low);
	const uint32_t low = cold ? cold->low : function->entry;

	add(text, "%s%s at ", is_first ? "" : ", ", range->words);
	add(text, "%s+0x%x..+0x%x", cold ? ".cold" : "", range->low - low, range->high - low);
}

/* Join a range to the one before if it continues with the same location. */
static bool joins(struct var_range *last, const struct var_range *next, bool any)
{
	if (!any || last->high != next->low || strcmp(last->words, next->words))
		return false;
	last->high = next->high;
	return true;
}

struct everywhere {
	const struct dbindex *ix;
	const struct scope *scope, *function;
	const struct var *var;
	const struct loc_at *at;
	struct text text;
	struct var_range last;
	size_t n, more;
	bool any;
};

static void end_range(struct everywhere *all)
{
	if (all->any && all->n < MOST_RANGES)
		add_range(&all->text, &all->last, all->function, !all->n++);
	else if (all->any)
		all->more++;
}

/* The range from low on has the location that holds at its begin. */
static void take_range(struct everywhere *all, uint32_t low, uint32_t high, bool is_entry)
{
	const struct loc_at at = {
		.addr = low, .is_entry = is_entry, .is_clone = all->at->is_clone, .calling = all->at->calling,
		.name = all->at->name,
	};
	struct var_range next = { .low = low, .high = high };

	if (low >= high || !words_at(all->ix, all->scope, all->var, &at, next.words) || joins(&all->last, &next, all->any))
		return;
	end_range(all);
	all->last = next;
	all->any = true;
}

/* A slot of the frame has its variable only from some instruction on. */
static uint32_t written_from(const struct everywhere *all, const struct var_part *part)
{
	struct loc_frame frame;
	uint32_t declared;

	if (!(all->function->flags & SCOPE_CALLED) || all->var->form != VAR_EXPR || !location_is_home(part->expr, part->len))
		return 0;
	frame = location_frame(all->ix, all->function);
	declared = location_declared(all->ix, all->scope, all->var);
	return declared > frame.ready ? declared : frame.ready;
}

static void take_part(struct everywhere *all, const struct var_part *part)
{
	const uint32_t entry = all->function->entry, from = written_from(all, part);
	uint32_t low = part->low, high = part->high;

	if (all->var->form == VAR_EXPR && all->scope->nr_ranges) {
		low = all->scope->ranges[0].low;
		high = all->scope->ranges[0].high;
	}
	low = low < from ? from : low;
	/* The entry comes first, in a range of its own. */
	if (low == entry && low < high && all->any && all->last.low == entry)
		low++;
	take_range(all, low, high, false);
}

const char *location_everywhere(const struct dbindex *ix, const struct scope *scope, const struct var *var,
				const struct loc_at *at, char *buf, size_t size)
{
	struct everywhere all = {
		.ix = ix, .scope = scope, .function = scope_outermost(scope), .var = var, .at = at, .text = { buf, size, 0 },
	};

	buf[0] = '\0';
	if (all.function->flags & SCOPE_CALLED && scope == all.function && var->flags & VAR_PARAMETER)
		take_range(&all, all.function->entry, all.function->entry + 1, true);
	for (size_t i = 0; i < var->nr_parts; i++)
		take_part(&all, &var->parts[i]);
	end_range(&all);
	if (all.more)
		add(&all.text, " and %zu more", all.more);
	return buf;
}
