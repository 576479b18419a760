/* SPDX-License-Identifier: MIT */
/* describe.c - write what events and enums look like.  No lock: a thread takes its part of the room by two exchanges. */
#include <string.h>

#include "internal.h"

#define TEXTS	4	/* of a site */

/*
 * The length is there before desc_used includes the description, whoever raises it.  So a child, and a reader, can go from
 * each description to the next one, whatever became of the thread that writes it.  NULL: there is no room.
 */
static struct ktu_desc *take(struct ktu_file *file, size_t payload)
{
	const uint64_t bytes = (sizeof(struct ktu_desc) + payload + 7) / 8 * 8;
	uint64_t at = ktu_load(&file->desc_used), next;
	struct ktu_desc *desc;
	uint32_t others;

	while (bytes <= KTU_MAX_DESCS && at % 8 == 0 && at <= KTU_MAX_DESCS - bytes) {
		desc = (void *)((char *)file + KTU_PAGE + at);
		others = 0;
		if (__atomic_compare_exchange_n(&desc->bytes, &others, bytes, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			__atomic_compare_exchange_n(&file->desc_used, &at, at + bytes, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
			return desc;
		}
		next = at + others;
		if (__atomic_compare_exchange_n(&file->desc_used, &at, next, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			at = next;
	}
	return NULL;
}

static void publish(struct ktu_desc *desc, uint32_t magic)
{
	__atomic_store_n(&desc->magic, magic, __ATOMIC_RELEASE);
}

static size_t texts_length(const char *text)
{
	const char *at = text;

	for (int i = 0; i < TEXTS; i++)
		at += strlen(at) + 1;
	return at - text;
}

static uint32_t next_id(void)
{
	const uint32_t id = __atomic_add_fetch(&ktu.next_id, 1, __ATOMIC_RELAXED);

	return id <= KTU_MAX_ID ? id : 0;
}

/* The description behind this one; behind NULL the first.  NULL: there is none. */
static const struct ktu_desc *next_desc(const struct ktu_file *file, const struct ktu_desc *desc)
{
	const uint64_t taken = __atomic_load_n(&file->desc_used, __ATOMIC_ACQUIRE);
	const char *first = (const char *)file + KTU_PAGE, *end = first + (taken < KTU_MAX_DESCS ? taken : KTU_MAX_DESCS);
	const char *at = desc ? (const char *)desc + __atomic_load_n(&desc->bytes, __ATOMIC_RELAXED) : first;

	/* Others may have written to the file. */
	if (at >= end || (size_t)(end - at) < sizeof(*desc) || (at - first) % 8)
		return NULL;
	desc = (const void *)at;
	return desc->bytes < sizeof(*desc) || desc->bytes > end - at ? NULL : desc;
}

/* KTU_DESC_* once it is whole.  0: a thread is writing it, or has ended meanwhile. */
static uint32_t magic_of(const struct ktu_desc *desc)
{
	return __atomic_load_n(&desc->magic, __ATOMIC_ACQUIRE);
}

/* Is that the description of this site? */
static bool is_of(const struct ktu_desc *desc, const struct ktrace_site *site, size_t texts)
{
	const char *payload = (const char *)(desc + 1);

	return desc->line == site->line && desc->nr == site->nr_args &&
	       desc->bytes == (sizeof(*desc) + site->nr_args + texts + 7) / 8 * 8 &&
	       !memcmp(payload, site->types, site->nr_args) && !memcmp(payload + site->nr_args, site->text, texts);
}

/* A library that is loaded once more has the sites that it had before.  0: there is none like this one. */
static uint32_t known_id(const struct ktu_file *file, const struct ktrace_site *site, size_t texts)
{
	const struct ktu_desc *desc = NULL;

	while ((desc = next_desc(file, desc)))
		if (magic_of(desc) == KTU_DESC_SITE && is_of(desc, site, texts))
			return desc->id;
	return 0;
}

/* 0: there is no room. */
static uint32_t new_id(struct ktu_file *file, const struct ktrace_site *site, size_t texts)
{
	const uint32_t id = next_id();
	struct ktu_desc *desc = id ? take(file, site->nr_args + texts) : NULL;

	if (!desc)
		return 0;
	desc->id = id;
	desc->line = site->line;
	desc->nr = site->nr_args;
	memcpy(desc + 1, site->types, site->nr_args);
	memcpy((char *)(desc + 1) + site->nr_args, site->text, texts);
	publish(desc, KTU_DESC_SITE);
	return id;
}

/* Two threads may do it for one site at the same time: then the second description is in vain. */
bool ktu_describe(struct ktrace_site *site)
{
	const size_t texts = texts_length(site->text);
	uint32_t id = known_id(ktu.file, site, texts), none = 0;

	if (!id)
		id = new_id(ktu.file, site, texts);
	if (!__atomic_compare_exchange_n(&site->id, &none, id, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		id = none;
	/* What section.S reads instead. */
	__atomic_store_n(&site->short_id, id < KTU_ID_EXT ? id : 0, __ATOMIC_RELEASE);
	return id;
}

bool ktu_describe_enum(const struct ktrace_enum *from)
{
	size_t texts = strlen(from->name) + 1;
	struct ktu_desc *desc;
	char *at;

	for (unsigned int i = 0; i < from->nr_names; i++)
		texts += strlen(from->names[i].name) + 1;
	desc = take(ktu.file, 8 * (size_t)from->nr_names + texts);
	if (!desc)
		return false;
	desc->nr = from->nr_names;
	at = (char *)(desc + 1);
	for (unsigned int i = 0; i < from->nr_names; i++, at += 8)
		memcpy(at, &from->names[i].value, 8);
	at = stpcpy(at, from->name) + 1;
	for (unsigned int i = 0; i < from->nr_names; i++)
		at = stpcpy(at, from->names[i].name) + 1;
	publish(desc, KTU_DESC_ENUM);
	return true;
}

static void raise_next_id(uint32_t id)
{
	uint32_t now = __atomic_load_n(&ktu.next_id, __ATOMIC_RELAXED);

	while (now < id && !__atomic_compare_exchange_n(&ktu.next_id, &now, id, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/*
 * The parent goes on: it may have described more sites since the fork than this process has ids for.  A site has its id
 * only when its description is finished, so what is not finished now has no id here; and each new id of this process must
 * be behind all that it copies.
 */
void ktu_describe_as(const struct ktu_file *parent)
{
	const struct ktu_desc *from = NULL;

	while ((from = next_desc(parent, from))) {
		const uint32_t magic = magic_of(from);
		struct ktu_desc *to = magic ? take(ktu.file, from->bytes - sizeof(*from)) : NULL;

		if (!to)
			continue;
		memcpy(&to->id, &from->id, from->bytes - offsetof(struct ktu_desc, id));
		if (magic == KTU_DESC_SITE)
			raise_next_id(from->id);
		publish(to, magic);
	}
}
