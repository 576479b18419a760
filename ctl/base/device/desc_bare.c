// SPDX-License-Identifier: GPL-2.0-or-later
/* desc_bare.c - descriptors that are decoded when they are first needed. */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/aggregate.h"
#include "ctl/base/device/desc_int.h"
#include "ctl/base/device/field_names.h"
#include "ctl/base/device/payload.h"
#include "ctl/base/escape.h"
#include "ctl/base/memory.h"

/* Decode it; if that fails, at least the length of its records. */
static struct desc *decode_any(const void *blob, size_t len, uint64_t addr, struct error *err)
{
	struct desc *desc = desc_decode(blob, len, NULL);

	return desc ? desc : desc_decode_raw(blob, len, addr, err);
}

/*
 * Can the meta data be decoded later?  Not if there is no program: then they tell whether is_user holds.  Not if they may contain
 * is_hidden.
 */
static bool can_wait(const struct kt_desc_req *req)
{
	static const char hidden[] = "\"hidden\"";
	const struct kt_insn *prog = (const struct kt_insn *)(req + 1);

	return req->prog_len && program_payload(prog, req->prog_len) >= 0 &&
	       !memmem(prog + req->prog_len, req->meta_len, hidden, strlen(hidden));
}

struct desc *desc_bare(const void *blob, size_t len, uint64_t addr, struct error *err)
{
	const struct kt_desc_req *req = desc_check_blob(blob, len);
	struct desc *desc;

	desc = req && can_wait(req) ? mem_zalloc(1, sizeof(*desc)) : decode_any(blob, len, addr, err);
	if (!desc)
		return NULL;
	desc->addr = addr;
	desc->blob = mem_copy(blob, len);
	desc->blob_len = len;
	return desc;
}

/* ------------------------------------------------------------------------ names */

/* The meta data as desc_encode() writes it, up to its end. */
struct meta {
	const char *at, *end;
};

static bool skip(struct meta *meta, const char *text)
{
	const size_t len = strlen(text);

	if ((size_t)(meta->end - meta->at) < len || memcmp(meta->at, text, len))
		return false;
	meta->at += len;
	return true;
}

/* Take a text that follows this.  NULL: it is not there, or it is not plain ASCII without an escape. */
static char *take_text(struct meta *meta, const char *before)
{
	char *text;
	size_t len;

	if (!skip(meta, before))
		return NULL;
	len = escape_quotable_length(meta->at, meta->end - meta->at);
	text = mem_strndup(meta->at, len);
	meta->at += len;
	if (skip(meta, "\""))
		return text;
	free(text);
	return NULL;
}

/* Skip a text with escapes that follows this. */
static bool skip_text(struct meta *meta, const char *before)
{
	if (!skip(meta, before))
		return false;
	while (meta->at < meta->end && *meta->at != '"')
		meta->at += *meta->at == '\\' ? 2 : 1;
	return meta->at < meta->end && skip(meta, "\"");
}

/* Most descriptors begin in this way. */
static bool take_names(struct desc *desc)
{
	const struct kt_desc_req *req = desc->blob;
	struct meta meta = { .end = (const char *)desc->blob + desc->blob_len };

	meta.at = meta.end - req->meta_len;
	if (!skip(&meta, "{\"v\":") || meta.at == meta.end || *meta.at < '1' || *meta.at > '0' + META_VERSION)
		return false;
	meta.at++;
	desc->name = take_text(&meta, ",\"name\":\"");
	desc->typed = desc->name ? take_text(&meta, ",\"typed\":\"") : NULL;
	if (!desc->typed || !skip_text(&meta, ",\"options\":\""))
		return false;
	if (skip(&meta, ",\"fields\":"))
		return true;
	desc->line = take_text(&meta, ",\"line\":\"");
	return desc->line && skip(&meta, ",\"fields\":");
}

static void drop_names(struct desc *desc)
{
	free(desc->name);
	free(desc->typed);
	free(desc->line);
	desc->name = desc->typed = desc->line = NULL;
}

void desc_complete_names(struct desc *desc)
{
	if (desc->name || take_names(desc))
		return;
	drop_names(desc);
	desc_complete(desc);
}

bool desc_mentions(const struct desc *desc, const char *word)
{
	const struct kt_desc_req *req = desc->blob;

	return memmem((const char *)desc->blob + desc->blob_len - req->meta_len, req->meta_len, word, strlen(word));
}

/* -------------------------------------------------------------------------- all */

/* Give the descriptor the content of `whole`; its id, addr, born and blob stay. */
static void fill_in(struct desc *desc, struct desc *whole)
{
	whole->id = desc->id;
	whole->addr = desc->addr;
	whole->born = desc->born;
	whole->blob = desc->blob;
	whole->blob_len = desc->blob_len;
	drop_names(desc);
	*desc = *whole;
}

void desc_complete(struct desc *desc)
{
	struct desc *whole;

	if (desc->fields)
		return;
	whole = decode_any(desc->blob, desc->blob_len, desc->addr, NULL);
	fill_in(desc, whole);
	free(whole);
}

void desc_complete_from(struct desc *desc, const struct desc *from)
{
	struct desc whole = *from;

	if (desc->fields)
		return;
	whole.name = mem_strdup(from->name);
	whole.typed = mem_strdup(from->typed);
	whole.options = mem_strdup(from->options);
	whole.line = from->line ? mem_strdup(from->line) : NULL;
	whole.fields = mem_copy(from->fields, from->nr_fields * sizeof(*from->fields));
	for (size_t i = 0; i < whole.nr_fields; i++)
		field_copy_names(&whole.fields[i], &from->fields[i]);
	whole.aggregate = from->aggregate ? mem_copy(from->aggregate, sizeof(*from->aggregate)) : NULL;
	whole.prog = mem_copy(from->prog, from->prog_len * sizeof(*from->prog));
	whole.control = ((const struct kt_desc_req *)desc->blob)->flags;
	whole.takes_self = false;
	fill_in(desc, &whole);
}
