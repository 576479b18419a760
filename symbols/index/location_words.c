// SPDX-License-Identifier: GPL-2.0-or-later
/* location_words.c - the location of a variable as text.  See location.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbols/index/location.h"

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

static const struct scope *outermost(const struct scope *scope)
{
	while (scope->outer)
		scope = scope->outer;
	return scope;
}

/* False: the location is not readable. */
static bool words_at(const struct dbindex *ix, const struct scope *scope, const struct var *var, uint32_t addr,
		     loc_reg_name name, char words[96])
{
	struct loc_refusal refusal;
	struct location location;

	if (location_of(ix, scope, var, addr, name, &location, &refusal) != LOC_OK)
		return false;
	location_words(&location, name, words, 96);
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

const char *location_everywhere(const struct dbindex *ix, const struct scope *scope, const struct var *var,
				loc_reg_name name, char *buf, size_t size)
{
	struct text text = { buf, size, 0 };
	const struct scope *function = outermost(scope);
	struct var_range last = { 0 }, next;
	size_t n = 0, more = 0;
	bool any = false;

	buf[0] = '\0';
	for (size_t i = 0; i < var->nr_parts; i++) {
		next.low = var->parts[i].low;
		next.high = var->parts[i].high;
		if (var->form == VAR_EXPR && scope->nr_ranges) {
			next.low = scope->ranges[0].low;
			next.high = scope->ranges[0].high;
		}
		if (!words_at(ix, scope, var, next.low, name, next.words) || joins(&last, &next, any))
			continue;
		if (any && n < MOST_RANGES)
			add_range(&text, &last, function, !n++);
		else if (any)
			more++;
		last = next;
		any = true;
	}
	if (any && n < MOST_RANGES)
		add_range(&text, &last, function, !n);
	if (more)
		add(&text, " and %zu more", more);
	return buf;
}
