// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c - look up symbols by part of a name: variants, misspelt names, completion. */
#include <stdlib.h>
#include <string.h>

#include "symbols/symtab/symtab.h"

/* ---------------------------------------------------------------- variants */

/* The index of the first dotted name that, cut to len bytes, is not below the prefix. */
static size_t first_dotted(const struct symtab *tab, const char *prefix, size_t len)
{
	size_t low = 0, high = tab->nr_dotted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strncmp(tab->dotted[middle]->name, prefix, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void symtab_variants(const struct symtab *tab, const char *name,
		     void (*each)(const struct sym *sym, void *arg), void *arg)
{
	size_t len = strlen(name), i = first_dotted(tab, name, len);

	/* Names that begin with `name` but have no dot behind it may lie between. */
	for (; i < tab->nr_dotted && !strncmp(tab->dotted[i]->name, name, len); i++)
		if (tab->dotted[i]->name[len] == '.')
			each(tab->dotted[i], arg);
}

bool sym_is_piece(const struct sym *sym)
{
	return strstr(sym->name, ".part.") || strstr(sym->name, ".cold");
}

/* ----------------------------------------------------------- misspelt names */

#define LONGEST		128	/* longer names are not compared */
#define PADDING		"__pfx_"	/* labels of the padding before functions */

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * The distance of two names by insertions, deletions, replacements, and swaps of neighbours (optimal string
 * alignment).  Any distance above limit is limit + 1.
 */
static size_t distance(const char *a, size_t na, const char *b, size_t nb, size_t limit)
{
	size_t rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *now = rows[2], *spare;
	size_t i, j, best;

	for (j = 0; j <= nb; j++)
		last[j] = j;
	for (i = 1; i <= na; i++) {
		best = now[0] = i;
		for (j = 1; j <= nb; j++) {
			now[j] = min(min(last[j], now[j - 1]) + 1,
				     last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = min(now[j], before[j - 2] + 1);
			best = min(best, now[j]);
		}
		if (best > limit)
			return limit + 1;
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[nb] <= limit ? last[nb] : limit + 1;
}

struct distance {
	const struct sym *sym;
	size_t cost;
};

static size_t suggestion_cost(const char *name, size_t len, const char *other, size_t limit)
{
	size_t other_len = strlen(other);

	if (len >= 3 && !strncmp(name, other, len))
		return 1 + (other_len - len) / 8;
	if (other_len > LONGEST || len > other_len + limit || other_len > len + limit)
		return limit + 1;
	return distance(name, len, other, other_len, limit);
}

/* At equal cost text goes before data, then alphabetical order. */
static bool nearer(const struct distance *a, const struct distance *b)
{
	if (a->cost != b->cost)
		return a->cost < b->cost;
	if (sym_is_text(a->sym) != sym_is_text(b->sym))
		return sym_is_text(a->sym);
	return strcmp(a->sym->name, b->sym->name) < 0;
}

/* Insert into the best `max`, in order; drop one that is too many. */
static size_t keep(struct distance *best, size_t nr, size_t max, struct distance one)
{
	size_t at = nr;

	if (nr == max && !nearer(&one, &best[nr - 1]))
		return nr;
	if (nr == max)
		at--;
	else
		nr++;
	for (; at > 0 && nearer(&one, &best[at - 1]); at--)
		best[at] = best[at - 1];
	best[at] = one;
	return nr;
}

/* Labels of padding are never suggested. */
static bool is_offered(const struct symtab *tab, const char *name, const char *module)
{
	const struct sym *const *first;

	return strncmp(name, PADDING, sizeof(PADDING) - 1) &&
	       (!module || symtab_by_name(tab, name, module, &first));
}

size_t symtab_similar(const struct symtab *tab, const char *name, const char *module,
		      const char **out, size_t max)
{
	size_t len = strlen(name), limit = min(1 + len / 4, 4), nr = 0, i;
	struct distance *best = max ? calloc(max, sizeof(*best)) : NULL;

	if (!best || !len || len > LONGEST) {
		free(best);
		return 0;
	}
	for (i = 0; i < tab->nr_groups; i++) {
		struct distance one = { .sym = tab->by_name[tab->groups[i].first] };

		one.cost = suggestion_cost(name, len, one.sym->name,
					   nr == max ? min(limit, best[nr - 1].cost) : limit);
		if (one.cost <= limit && is_offered(tab, one.sym->name, module))
			nr = keep(best, nr, max, one);
	}
	for (i = 0; i < nr; i++)
		out[i] = best[i].sym->name;
	free(best);
	return nr;
}

/* -------------------------------------------------------------- completion */

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct sym *const *)a)->name, (*(const struct sym *const *)b)->name);
}

void symtab_complete(const struct symtab *tab, const char *prefix,
		     bool (*each)(const struct sym *sym, void *arg), void *arg)
{
	size_t len = strlen(prefix), nr = 0, i;
	bool padding = len && !strncmp(prefix, PADDING, min(len, sizeof(PADDING) - 1));
	const struct sym **found = malloc(tab->nr_groups * sizeof(*found));

	if (!found)
		return;
	for (i = 0; i < tab->nr_groups; i++) {
		const struct sym *sym = tab->by_name[tab->groups[i].first];

		if ((!len || *sym->name == *prefix) && !strncmp(sym->name, prefix, len) &&
		    (padding || strncmp(sym->name, PADDING, sizeof(PADDING) - 1)))
			found[nr++] = sym;
	}
	qsort(found, nr, sizeof(*found), by_name);
	for (i = 0; i < nr && each(found[i], arg); i++)
		;
	free(found);
}
