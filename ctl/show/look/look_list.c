// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * look_list.c - walk a list of the kernel.
 *
 * Nothing holds the list still: it may change under the walk, which is therefore bounded and says how it ended.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/show/look/look.h"
#include "ctl/base/device/memory_read.h"
#include "ctl/trace/print/print_int.h"
#include "symbols/index/type.h"

/* How one element leads to the next. */
struct link {
	uint64_t at;		/* offset of the member */
	bool is_pointer;	/* to the next element; else to the same member of the next one */
};

/* A walk: the address `end` is that of the head, where a ring closes. */
struct walk {
	struct look *look;
	const struct look_list *list;
	struct link link;
	char type[256];		/* of the elements */
	uint64_t element, end;
	uint64_t count;
	struct printer *printer;
};

/* -------------------------------------------------------------------- links */

/* Their first member is the pointer to the next one. */
static const char *const nodes[] = { "list_head", "hlist_node", "hlist_bl_node", "llist_node" };

static bool is_node(const struct type *type)
{
	for (size_t i = 0; type->kind == TYPE_STRUCT && i < ARRAY_SIZE(nodes); i++)
		if (!strcmp(type->name, nodes[i]))
			return true;
	return false;
}

static bool find_link(struct walk *walk, const struct dbindex *ix, uint32_t number, const char *member, struct error *err)
{
	struct type_member found;
	struct type type;

	if (!type_member(ix, number, member, &found))
		return error_set(err, STATUS_USAGE, "show: %s has no member '%s': 'show %s' lists them", walk->type, member,
				 walk->type);
	walk->link.at = found.bit_offset / 8;
	walk->link.is_pointer = type_resolve(ix, found.type, &type) && type.kind == TYPE_POINTER;
	if (walk->link.is_pointer || is_node(&type))
		return true;
	return error_set(err, STATUS_USAGE, "show: %s.%s does not lead to a next one: it is neither a pointer nor a struct list_head, hlist_node or llist_node",
			 walk->type, member);
}

static bool read_word(const struct walk *walk, uint64_t addr, uint64_t *out)
{
	return memory_read(walk->look->memory, addr, out, sizeof(*out));
}

/* HEAD is the head of a list whose elements have the type before the dot. */
static bool begin_at_head(struct walk *walk, const char *dot, struct error *err)
{
	AUTO_FREE char *name = mem_strndup(walk->list->next, dot - walk->list->next);
	const struct dbindex *ix;
	char unused[256];
	uint32_t number;
	uint64_t head, first;

	if (!look_object(walk->look, walk->list->head, &head, &ix, &number, unused, sizeof(unused), err) ||
	    !look_type(walk->look, name, &ix, &number, walk->type, sizeof(walk->type), err) ||
	    !find_link(walk, ix, number, dot + 1, err))
		return false;
	if (walk->link.is_pointer)
		return error_set(err, STATUS_USAGE, "show: %s is a pointer: give the first element as HEAD, and the name of the member alone",
				 walk->list->next);
	if (!read_word(walk, head, &first))
		return error_set(err, STATUS_FAILURE, "show %s: it is not readable", walk->list->head);
	walk->end = head - walk->link.at;
	walk->element = first ? first - walk->link.at : 0;
	return true;
}

/* HEAD is the first element. */
static bool begin_at_element(struct walk *walk, struct error *err)
{
	const struct dbindex *ix;
	uint32_t number;

	if (!look_object(walk->look, walk->list->head, &walk->element, &ix, &number, walk->type, sizeof(walk->type), err))
		return false;
	return find_link(walk, ix, number, walk->list->next, err);
}

/* --------------------------------------------------------------------- show */

static void show_text(struct walk *walk, const struct looked *values)
{
	FILE *out = walk->look->s->out;
	char address[24];

	snprintf(address, sizeof(address), "0x%" PRIx64, walk->element);
	style_put(out, walk->look->s->colour, STYLE_NAME, address, 0);
	printer_values(walk->printer, &values->record, true);
}

static void show_json(struct walk *walk, const struct looked *values)
{
	struct json j = json_typed(walk->look->s->out, "element");

	json_hex(&j, "addr", walk->element);
	json_open_array(&j, "data");
	record_items(walk->printer, &values->record, item_json, &j);
	json_close(&j);
	json_end(&j);
}

static bool show_element(struct walk *walk, struct error *err)
{
	const size_t n = walk->list->nr_members;
	AUTO_FREE struct look_item *items = mem_zalloc(n, sizeof(*items));
	AUTO_FREE char **texts = mem_zalloc(n, sizeof(*texts));
	struct looked values;
	bool ok;

	for (size_t i = 0; i < n; i++) {
		texts[i] = mem_printf("((%s *)0x%" PRIx64 ")->%s", walk->type, walk->element, walk->list->members[i]);
		items[i] = (struct look_item){ walk->list->members[i], texts[i] };
	}
	ok = look_values(walk->look, items, n, &values, err);
	if (ok && walk->look->s->format == PRINT_JSON)
		show_json(walk, &values);
	else if (ok)
		show_text(walk, &values);
	if (ok)
		looked_free(&values);
	for (size_t i = 0; i < n; i++)
		free(texts[i]);
	return ok;
}

/* Go to the next element.  The reason why there is none; NULL: there is one. */
static const char *advance(struct walk *walk)
{
	uint64_t next;

	if (!read_word(walk, walk->element + walk->link.at, &next))
		return "unreadable";
	if (!walk->link.is_pointer && next)
		next -= walk->link.at;
	walk->element = next;
	return !next ? "null" : next == walk->end ? "head" : NULL;
}

static void show_end(const struct walk *walk, const char *why)
{
	static const struct {
		const char *why, *says;
	} ends[] = {
		{ "head", "the list is back at its head" }, { "null", "the last one leads to no next one" },
		{ "most", "there are more: --most shows so many" }, { "unreadable", "the link to the next one is not readable" },
		{ "interrupted", "interrupted" },
	};
	FILE *out = walk->look->s->out;
	struct json j;

	if (walk->look->s->format == PRINT_JSON) {
		j = json_typed(out, "list_end");
		json_number(&j, "elements", walk->count);
		json_text(&j, "why", why);
		json_end(&j);
		return;
	}
	style_set(out, walk->look->s->colour, STYLE_DIM);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!strcmp(ends[i].why, why))
			fprintf(out, "%" PRIu64 " element%s: %s\n", walk->count, walk->count == 1 ? "" : "s", ends[i].says);
	style_set(out, walk->look->s->colour, STYLE_PLAIN);
}

static bool walk_all(struct walk *walk, struct error *err)
{
	const char *why = !walk->element ? "null" : walk->element == walk->end ? "head" : NULL;

	if (!walk->end)
		walk->end = walk->element;
	while (!why) {
		if (!show_element(walk, err))
			return false;
		walk->count++;
		why = advance(walk);
		if (!why && walk->count == walk->list->most)
			why = "most";
		if (interrupt_pending())
			why = "interrupted";
	}
	show_end(walk, why);
	return true;
}

bool look_show_list(struct look *look, const struct look_list *list, struct error *err)
{
	struct walk walk = { .look = look, .list = list };
	const char *dot = strchr(list->next, '.');
	bool ok;

	if (!(dot ? begin_at_head(&walk, dot, err) : begin_at_element(&walk, err)))
		return false;
	walk.printer = printer_create(look->s->out, look->s->format, look->s->colour);
	printer_symbols(walk.printer, look->target.tab);
	ok = walk_all(&walk, err);
	printer_free(walk.printer);
	return ok;
}
