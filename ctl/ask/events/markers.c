// SPDX-License-Identifier: GPL-2.0-or-later
/* markers.c - SDT markers by name, and their arguments as expressions of the language.  See markers.h. */
#include "ctl/ask/events/markers.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "ctl/base/memory.h"

/* ------------------------------------------------------------------- names */

/* ":sdt" as a whole term. */
static const char *term_of(const char *text)
{
	const char *at = strstr(text, MARKER);

	while (at && at[strlen(MARKER)] && at[strlen(MARKER)] != ':')
		at = strstr(at + 1, MARKER);
	return at && at > text ? at : NULL;
}

bool marker_is(const char *text)
{
	return term_of(text);
}

void marker_split(const char *text, char **program, char **pattern)
{
	const char *term = term_of(text), *rest = term + strlen(MARKER);

	*program = mem_strndup(text, term - text);
	*pattern = mem_strdup(rest[0] && rest[1] ? rest + 1 : "*");
}

bool marker_matches(const struct program_marker *marker, const char *pattern)
{
	AUTO_FREE char *whole = mem_printf("%s:%s", marker->provider, marker->name);

	return !fnmatch(pattern, whole, 0) || !fnmatch(pattern, marker->provider, 0) ||
	       !fnmatch(pattern, marker->name, 0);
}

bool marker_is_same(const struct program_marker *a, const struct program_marker *b)
{
	return !strcmp(a->provider, b->provider) && !strcmp(a->name, b->name);
}

/* --------------------------------------------------------------- arguments */

const char *marker_type(const struct program_argument *arg)
{
	static const char *const types[][2] = {
		[1] = { "u8", "s8" }, [2] = { "u16", "s16" }, [4] = { "u32", "s32" }, [8] = { "u64", "s64" },
	};

	if (!arg->is_known || !arg->is_float)
		return arg->is_known ? types[arg->bytes][arg->is_signed] : NULL;
	if (arg->operand.kind != OPERAND_MEMORY || arg->bytes < 4)
		return NULL;
	return arg->bytes == 4 ? "float" : "double";
}

/* Add a term to a sum, which it takes. */
static char *plus(char *sum, const char *term)
{
	AUTO_FREE char *before = sum;

	if (!*before)
		return mem_strdup(term);
	return *term == '-' ? mem_printf("%s - %s", before, term + 1) : mem_printf("%s + %s", before, term);
}

static char *plus_index(char *sum, const struct arch_operand *operand)
{
	AUTO_FREE char *term = mem_printf("%s$%s * %u", operand->index_is_signed ? "(s64)(s32)" : "", operand->index->name,
					  operand->scale);

	return plus(sum, term);
}

/* The sum of the operand's parts: an address, or a constant. */
static char *sum_of(const struct arch_operand *operand)
{
	AUTO_FREE char *reg = mem_printf("$%s", operand->reg ? operand->reg->name : "");
	AUTO_FREE char *symbol = mem_printf("(u64)&%.*s", (int)operand->symbol_len, operand->symbol ? operand->symbol : "");
	AUTO_FREE char *constant = mem_printf("%" PRId64, operand->constant);
	char *sum = mem_strdup("");

	if (operand->reg)
		sum = plus(sum, reg);
	if (operand->index)
		sum = plus_index(sum, operand);
	if (operand->symbol)
		sum = plus(sum, symbol);
	return operand->constant || !*sum ? plus(sum, constant) : sum;
}

char *marker_expression(const struct program_argument *arg)
{
	const char *type = marker_type(arg);
	AUTO_FREE char *sum = NULL;

	if (!type)
		return NULL;
	if (arg->operand.kind == OPERAND_REGISTER)
		return mem_printf("(%s)$%s", type, arg->operand.reg->name);
	sum = sum_of(&arg->operand);
	if (arg->operand.kind == OPERAND_MEMORY)
		return mem_printf("*(%s *)(%s)", type, sum);
	return arg->operand.symbol ? mem_printf("(%s)(%s)", type, sum) : mem_printf("(%s)%s", type, sum);
}

char *marker_fields(const struct program_marker *marker)
{
	char *fields = mem_strdup("");

	for (size_t i = 0; i < marker->nr_args; i++) {
		AUTO_FREE char *expression = marker_expression(&marker->args[i]);
		AUTO_FREE char *before = fields;

		fields = expression ? mem_printf("%s%sarg%zu = %s", before, *before ? "; " : "", i + 1, expression)
				    : mem_strdup(before);
	}
	return fields;
}
