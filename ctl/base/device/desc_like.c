// SPDX-License-Identifier: GPL-2.0-or-later
/* desc_like.c - encode many descriptors that differ by their names: those of all functions that match a pattern. */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/desc.h"
#include "ctl/base/escape.h"
#include "ctl/base/memory.h"

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_bytes(const void *a, const void *b, size_t n)
{
	return !n || !memcmp(a, b, n);
}

/* Fields with names of values are never the same: each has its own copy of them. */
static bool differ_by_name(const struct desc *a, const struct desc *b)
{
	return !a->line && !b->line && !a->aggregate && !b->aggregate && a->nr_fields == b->nr_fields && a->prog_len == b->prog_len &&
	       a->has_faults == b->has_faults && a->is_packed == b->is_packed && a->control == b->control && a->late == b->late &&
	       a->every == b->every && a->limit == b->limit && a->timing == b->timing && a->is_hidden == b->is_hidden &&
	       a->is_user == b->is_user && same_bytes(a->prog, b->prog, a->prog_len * sizeof(*a->prog)) &&
	       same_bytes(a->fields, b->fields, a->nr_fields * sizeof(*a->fields)) && same_text(a->typed, b->typed) &&
	       same_text(a->options, b->options);
}

/* The name in the blob, which is written there as it is; NULL: with escapes.  *behind are the bytes that follow it. */
static const char *name_in(const struct desc *desc, size_t *behind)
{
	static const char key[] = "\"name\":\"";
	const char *meta = (const char *)desc->blob + sizeof(struct kt_desc_req) + desc->prog_len * sizeof(*desc->prog);
	const char *end = (const char *)desc->blob + desc->blob_len, *at = memmem(meta, end - meta, key, strlen(key));
	const size_t len = strlen(desc->name);

	if (!at || !escape_is_quotable(desc->name, len))
		return NULL;
	at += strlen(key);
	*behind = end - at - len;
	return at;
}

bool desc_encode_like(const struct desc *desc, const struct desc *like, void **out, size_t *len, struct error *err)
{
	size_t behind = 0;
	const char *name = like && differ_by_name(desc, like) ? name_in(like, &behind) : NULL;
	const size_t name_len = strlen(desc->name), before = name ? name - (const char *)like->blob : 0;
	const size_t fixed = sizeof(struct kt_desc_req) + desc->prog_len * sizeof(*desc->prog), all = before + name_len + behind;
	struct kt_desc_req *req;
	char *at;

	if (!name || !escape_is_quotable(desc->name, name_len) || all - fixed > KT_MAX_META)
		return desc_encode(desc, out, len, err);
	req = mem_grow(NULL, all, 1);
	at = mempcpy(req, like->blob, before);
	at = mempcpy(at, desc->name, name_len);
	memcpy(at, name + strlen(like->name), behind);
	req->flags = desc->control;
	req->meta_len = all - fixed;
	*out = req;
	*len = all;
	return true;
}
