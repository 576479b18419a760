// SPDX-License-Identifier: GPL-2.0-or-later
/* expr_known.c - see expr_known.h. */
#include "ctl/ask/expr/expr_known.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/ask/expr/expr_int.h"
#include "ctl/ask/resolve/vars.h"
#include "ctl/base/memory.h"
#include "symbols/base/hash.h"

#define BUCKETS	1024	/* a power of two */

struct entry {
	struct entry *next;
	uint64_t hash;
	char *text;		/* all of it, also what stands behind the expression */
	size_t used;
	struct expr *e;
};

struct expr_known {
	struct entry *buckets[BUCKETS];
};

struct expr_known *expr_known_create(void)
{
	return mem_zalloc(1, sizeof(struct expr_known));
}

static void entries_free(struct entry *entry)
{
	while (entry) {
		struct entry *next = entry->next;

		expr_free(entry->e);
		free(entry->text);
		free(entry);
		entry = next;
	}
}

void expr_known_free(struct expr_known *known)
{
	for (size_t i = 0; known && i < BUCKETS; i++)
		entries_free(known->buckets[i]);
	free(known);
}

/* How an expression is resolved depends on the names, too. */
static uint64_t hash_of(const char *text, const struct expr_names *names)
{
	return hash_number(hash_text(HASH_START, text), names->takes_slice << 1 | names->in_row);
}

static const struct entry *find(const struct expr_known *known, uint64_t hash, const char *text)
{
	const struct entry *entry = known->buckets[hash % BUCKETS];

	while (entry && (entry->hash != hash || strcmp(entry->text, text)))
		entry = entry->next;
	return entry;
}

static void add(struct expr_known *known, uint64_t hash, const char *text, size_t used, const struct expr *e)
{
	struct entry **bucket = &known->buckets[hash % BUCKETS], *entry = mem_zalloc(1, sizeof(*entry));

	*entry = (struct entry){ .next = *bucket, .hash = hash, .text = mem_strdup(text), .used = used, .e = expr_copy(e) };
	*bucket = entry;
}

static struct expr *resolve(const char *what, const char *text, size_t *used, const struct expr_names *names, struct error *err)
{
	struct expr *e = expr_parse(what, text, used, err);

	if (e && expr_resolve(e, what, text, names, err))
		return e;
	expr_free(e);
	return NULL;
}

bool expr_is_known(const char *text, const struct expr_names *names, size_t *used)
{
	const struct expr_known *known = names->vars ? names->vars->known : NULL;
	const struct entry *entry = known ? find(known, hash_of(text, names), text) : NULL;

	if (entry)
		*used = entry->used;
	return entry;
}

struct expr *expr_resolved(const char *what, const char *text, size_t *used, const struct expr_names *names, struct error *err)
{
	struct expr_known *known = names->vars ? names->vars->known : NULL;
	const uint64_t hash = known ? hash_of(text, names) : 0;
	const struct entry *entry = known ? find(known, hash, text) : NULL;
	struct expr *e;

	if (entry) {
		*used = entry->used;
		return expr_copy(entry->e);
	}
	e = resolve(what, text, used, names, err);
	if (e && known)
		add(known, hash, text, *used, e);
	return e;
}
