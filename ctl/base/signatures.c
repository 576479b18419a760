// SPDX-License-Identifier: GPL-2.0-or-later
/* signatures.c - see signatures.h. */
#include "ctl/base/signatures.h"

#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/base/signature.h"

struct known {
	char *name;
	char *form;		/* as it is shown; NULL: not known yet */
	size_t suffix;		/* bytes at the end of both that name a place in the function: "+0x10", "%return" */
};

struct signatures {
	void *by_name;		/* a tree of all entries */
	struct known **v;
	size_t n;
	bool are_settled;	/* all forms are known */
};

struct signatures *signatures_create(void)
{
	return mem_zalloc(1, sizeof(struct signatures));
}

static void keep(void *entry)
{
}

void signatures_free(struct signatures *all)
{
	if (!all)
		return;
	tdestroy(all->by_name, keep);
	for (size_t i = 0; i < all->n; i++) {
		free(all->v[i]->name);
		free(all->v[i]->form);
		free(all->v[i]);
	}
	free(all->v);
	free(all);
}

static int compare_names(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct known *find(const struct signatures *all, const char *name)
{
	const struct known wanted = { .name = (char *)name };
	struct known **found = tfind(&wanted, &all->by_name, compare_names);

	return found ? *found : NULL;
}

static size_t suffix_length(const char *name)
{
	static const char ends[] = "%return";
	const char *plus = strrchr(name, '+');
	const size_t n = strlen(name);

	if (n > strlen(ends) && !strcmp(name + n - strlen(ends), ends))
		return strlen(ends);
	return plus && !strncmp(plus, "+0x", 3) && !plus[3 + strspn(plus + 3, "0123456789abcdef")] ? strlen(plus) : 0;
}

void signatures_add(struct signatures *all, const char *name)
{
	struct known *entry;

	if (find(all, name))
		return;
	entry = mem_zalloc(1, sizeof(*entry));
	entry->name = mem_strdup(name);
	entry->suffix = suffix_length(name);
	all->v = MEM_MORE(all->v, all->n);
	all->v[all->n++] = entry;
	tsearch(entry, &all->by_name, compare_names);
	all->are_settled = false;
}

/* Compare texts without so many bytes at their ends. */
static int compare_begins(const char *a, size_t without_a, const char *b, size_t without_b)
{
	const size_t n = strlen(a) - without_a, m = strlen(b) - without_b;
	const int order = memcmp(a, b, n < m ? n : m);

	return order ? order : (n > m) - (n < m);
}

/* Functions with the same form one after the other, and of those each function. */
static int compare_forms(const void *a, const void *b)
{
	const struct known *x = *(struct known *const *)a, *y = *(struct known *const *)b;
	const int order = compare_begins(x->form, x->suffix, y->form, y->suffix);

	return order ? order : compare_begins(x->name, x->suffix, y->name, y->suffix);
}

/* How many have the form of the first one.  *one: they are all of one function. */
static size_t count_alike(struct known *const *open, size_t n, bool *one)
{
	const struct known *first = open[0];
	size_t i = 1;

	while (i < n && !compare_begins(first->form, first->suffix, open[i]->form, open[i]->suffix))
		i++;
	*one = !compare_begins(first->name, first->suffix, open[i - 1]->name, open[i - 1]->suffix);
	return i;
}

/* Give this form to n names, and move those of functions that share one to the begin.  Returns their number. */
static size_t give(struct known **open, size_t n, enum signature_form form)
{
	size_t left = 0, alike;
	bool one;

	for (size_t i = 0; i < n; i++) {
		free(open[i]->form);
		open[i]->form = signature_form(open[i]->name, form);
	}
	qsort(open, n, sizeof(struct known *), compare_forms);
	for (size_t i = 0; i < n; i += alike) {
		alike = count_alike(open + i, n - i, &one);
		if (!one)
			memmove(open + left, open + i, alike * sizeof(struct known *));
		left += one ? 0 : alike;
	}
	return left;
}

/*
 * Functions that share a form share every shorter one, too, and so get the longer one together.  Thus none gets the form
 * of one that is settled before.
 */
static void settle(struct signatures *all)
{
	AUTO_FREE struct known **open = mem_zalloc(all->n + 1, sizeof(struct known *));
	size_t n = all->n;

	memcpy(open, all->v, n * sizeof(struct known *));
	for (enum signature_form form = SIGNATURE_SHORT; n && form <= SIGNATURE_FULL; form++)
		n = give(open, n, form);
	all->are_settled = true;
}

const char *signatures_find(struct signatures *all, const char *name)
{
	const struct known *entry = find(all, name);

	if (!entry)
		return name;
	if (!all->are_settled)
		settle(all);
	return entry->form;
}
