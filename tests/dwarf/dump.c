// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dump.c - print what an index has about functions, lines and structures that a seed chooses, so that
 * tests/dwarf/check can compare it with other tools: dump scopes|lines|types INDEX SEED COUNT. Addresses are
 * those of the image.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/index/line.h"
#include "symbols/index/location.h"
#include "symbols/index/type.h"

static const struct dbindex *ix;
static uint64_t base, state;

static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

/* ------------------------------------------------------------------ scopes */

static const char *const ops[] = {
	[LOC_ADD] = "add", [LOC_LOAD] = "load", [LOC_AND] = "and", [LOC_OR] = "or", [LOC_XOR] = "xor",
	[LOC_SHL] = "shl", [LOC_SHR] = "shr", [LOC_SHRA] = "shra", [LOC_MUL] = "mul", [LOC_NEG] = "neg",
	[LOC_NOT] = "not",
};

static const char *const kinds[] = {
	[LOC_NOWHERE] = "nowhere", [LOC_REGISTER] = "register", [LOC_MEMORY] = "memory",
	[LOC_COMPUTED] = "computed", [LOC_BYTES] = "bytes",
};

static void dump_piece(const struct loc_piece *piece, bool first)
{
	printf("%s{\"kind\":\"%s\",\"bits\":%" PRIu64 ",\"from\":%" PRIu64 ",\"reg\":%d,\"steps\":[",
	       first ? "" : ",", kinds[piece->kind], piece->bits, piece->from,
	       piece->value.has_reg ? piece->value.reg : -1);
	for (size_t i = 0; i < piece->value.nr; i++)
		printf("%s[\"%s\",%" PRId64 "]", i ? "," : "", ops[piece->value.steps[i].op], piece->value.steps[i].n);
	printf("],\"bytes\":[");
	for (uint64_t i = 0; i < piece->len; i++)
		printf("%s%u", i ? "," : "", piece->bytes[i]);
	printf("]}");
}

static void dump_part(const struct scope *scope, const struct var *var, uint32_t low, uint32_t high, bool first)
{
	static const char *const names[] = { [LOC_OK] = "ok", [LOC_NONE] = "none", [LOC_REFUSED] = "refused" };
	const struct loc_at at = { .addr = low };
	struct loc_refusal refusal;
	struct location location;
	enum loc_status status = location_of(ix, scope, var, &at, &location, &refusal);

	printf("%s{\"low\":%" PRIu64 ",\"high\":%" PRIu64 ",\"status\":\"%s\",\"why\":\"%s\",\"pieces\":[",
	       first ? "" : ",", base + low, base + high, names[status], refusal.why);
	for (size_t i = 0; status == LOC_OK && i < location.nr; i++)
		dump_piece(&location.pieces[i], !i);
	printf("]}");
}

static void dump_var(const struct scope *scope, const struct var *var, uint32_t addr, bool first)
{
	printf("%s{\"name\":\"%s\",\"place\":%d,\"external\":%d,\"size\":%" PRIu64 ",\"parts\":[", first ? "" : ",",
	       var->name, var->form, !!(var->flags & VAR_EXTERNAL), type_size(ix, var->type));
	if (var->form == VAR_LIST) {
		bool is_first = true;

		/* gdb does not show empty ranges. */
		for (size_t i = 0; i < var->nr_parts; i++) {
			if (var->parts[i].low == var->parts[i].high)
				continue;
			dump_part(scope, var, var->parts[i].low, var->parts[i].high, is_first);
			is_first = false;
		}
	}
	if (var->form != VAR_LIST && var->form != VAR_NOWHERE)
		dump_part(scope, var, addr, addr + 1, true);
	printf("]}");
}

/* From the innermost inlined copy at the address up to the function. */
static void dump_place(const struct scope *function, uint32_t addr)
{
	bool first = true;

	printf("{\"function\":\"%s\",\"addr\":%" PRIu64 ",\"entry\":%" PRIu64 ",\"vars\":[", function->name,
	       base + addr, base + function->entry);
	for (const struct scope *scope = scope_at(function, addr); scope; scope = scope->outer) {
		for (size_t i = 0; i < scope->nr_vars; i++) {
			if (!*scope->vars[i].name)
				continue;
			dump_var(scope, &scope->vars[i], addr, first);
			first = false;
		}
		if (scope->kind != SCOPE_BLOCK)
			break;
	}
	printf("]}\n");
}

static void dump_ranges(const struct scope *function, const struct scope *scope)
{
	for (size_t i = 0; i < scope->nr_ranges; i++)
		dump_place(function, scope->ranges[i].low);
	for (size_t i = 0; i < scope->nr_inner; i++)
		dump_ranges(function, &scope->inner[i]);
}

static bool has_vars(const struct scope *scope)
{
	bool any = scope->nr_vars;

	for (size_t i = 0; i < scope->nr_inner; i++)
		any |= has_vars(&scope->inner[i]);
	return any;
}

static void dump_scopes(uint64_t count)
{
	size_t nr;

	dbindex_rows(ix, PART_FUNCS, struct ix_func, &nr);
	while (count && nr) {
		struct scope *scope = scope_read(ix, dbindex_func(ix, draw(nr)));

		if (!scope) {
			fputs("dump: a function cannot be read\n", stderr);
			exit(1);
		}
		/* What the debug information says, without what is known of entries and prologues. */
		scope->flags &= ~SCOPE_CALLED;
		if (has_vars(scope)) {
			dump_ranges(scope, scope);
			count--;
		}
		scope_free(scope);
	}
}

/* ------------------------------------------------------------------- lines */

static void dump_lines(uint64_t count)
{
	size_t nr;
	const struct ix_span *spans = dbindex_rows(ix, PART_SPANS, struct ix_span, &nr);

	while (count-- && nr) {
		const struct ix_span *span = &spans[draw(nr)];
		uint32_t addr = span->low + draw(span->high - span->low);
		struct ix_line line = { 0 };
		const bool is_known = dbindex_line_at(ix, addr, &line);

		printf("%" PRIx64 " %s:%u\n", base + addr, is_known ? dbindex_file_name(ix, line.file) : "??",
		       line.line & LINE_MASK);
	}
}

/* ------------------------------------------------------------------- types */

/* Is it the only structure of its name? Others cannot be compared, because the tools ask by name. */
static bool is_only(const struct type *type)
{
	const uint32_t *all;
	size_t n = dbindex_types(ix, type->name, &all), same = 0;

	for (size_t i = 0; i < n; i++) {
		struct type other;

		same += type_read(ix, all[i], &other) && other.is_complete &&
			(other.kind == TYPE_STRUCT || other.kind == TYPE_UNION);
	}
	return same == 1;
}

static bool dump_type(uint32_t number)
{
	struct type_member member;
	struct type type;

	if (!type_read(ix, number, &type) || type.kind != TYPE_STRUCT || !type.is_complete || !*type.name ||
	    !type.nr || !is_only(&type))
		return false;
	printf("%s %" PRIu64, type.name, type.size);
	while (type_next_member(ix, &type, &member))
		printf(" %s:%" PRIu64 ":%u", *member.name ? member.name : "-", member.bit_offset, member.bits);
	putchar('\n');
	return true;
}

/* Take all structures in a random order, each once, until there are enough. */
static void dump_types(uint64_t count)
{
	uint32_t *order;
	size_t nr;

	dbindex_rows(ix, PART_TYPES, uint64_t, &nr);
	order = malloc((nr + 1) * sizeof(*order));
	for (size_t i = 0; order && i < nr; i++) {
		size_t other = draw(i + 1);

		order[i] = order[other];
		order[other] = i;
	}
	for (size_t i = 0; order && i < nr && count; i++)
		count -= dump_type(order[i]);
	free(order);
}

int main(int argc, char **argv)
{
	struct debug_error err;
	struct dbindex *opened;

	if (argc != 5) {
		fputs("usage: dump scopes|lines|types INDEX SEED COUNT\n", stderr);
		return 2;
	}
	opened = dbindex_open(argv[2], &err);
	if (!opened) {
		fprintf(stderr, "dump: %s\n", err.text);
		return 1;
	}
	ix = opened;
	base = dbindex_header(ix)->base;
	state = strtoull(argv[3], NULL, 0) * 0x9e3779b97f4a7c15ULL + 1;
	if (!strcmp(argv[1], "scopes"))
		dump_scopes(strtoull(argv[4], NULL, 0));
	else if (!strcmp(argv[1], "lines"))
		dump_lines(strtoull(argv[4], NULL, 0));
	else
		dump_types(strtoull(argv[4], NULL, 0));
	dbindex_close(opened);
	return 0;
}
