/* SPDX-License-Identifier: MIT */
/* describe.c - write what events and enums look like.  No lock: a thread takes its part of the room by an addition. */
#include <string.h>

#include "internal.h"

#define TEXTS	4	/* of a site */

/* NULL: there is no room. */
static struct ktu_desc *take(size_t payload)
{
	struct ktu_file *file = ktu.file;
	const uint64_t bytes = (sizeof(struct ktu_desc) + payload + 7) / 8 * 8;
	const uint64_t at = __atomic_fetch_add(&file->desc_used, bytes, __ATOMIC_RELAXED);
	struct ktu_desc *desc = (void *)((char *)file + KTU_PAGE + at);

	if (bytes > KTU_MAX_DESCS || at > KTU_MAX_DESCS - bytes)
		return NULL;
	desc->bytes = bytes;
	return desc;
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

/* Is that the description of this site? */
static bool is_of(const struct ktu_desc *desc, const struct ktrace_site *site, size_t texts)
{
	const char *payload = (const char *)(desc + 1);

	return desc->line == site->line && desc->nr == site->nr_args &&
	       desc->bytes == (sizeof(*desc) + site->nr_args + texts + 7) / 8 * 8 &&
	       !memcmp(payload, site->types, site->nr_args) && !memcmp(payload + site->nr_args, site->text, texts);
}

/* A library that is loaded once more has the sites that it had before.  0: there is none like this one. */
static uint32_t known_id(const struct ktrace_site *site, size_t texts)
{
	const char *at = (const char *)ktu.file + KTU_PAGE;
	const uint64_t taken = ktu_load(&ktu.file->desc_used);
	const char *end = at + (taken < KTU_MAX_DESCS ? taken : KTU_MAX_DESCS);

	while (at < end) {
		const struct ktu_desc *desc = (const void *)at;
		const uint32_t magic = __atomic_load_n(&desc->magic, __ATOMIC_ACQUIRE);

		/* Another thread is writing this one. */
		if (!magic || desc->bytes < sizeof(*desc))
			return 0;
		if (magic == KTU_DESC_SITE && is_of(desc, site, texts))
			return desc->id;
		at += desc->bytes;
	}
	return 0;
}

/* 0: there is no room. */
static uint32_t new_id(const struct ktrace_site *site, size_t texts)
{
	const uint32_t id = next_id();
	struct ktu_desc *desc = id ? take(site->nr_args + texts) : NULL;

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
	uint32_t id = known_id(site, texts), none = 0;

	if (!id)
		id = new_id(site, texts);
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
	desc = take(8 * (size_t)from->nr_names + texts);
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
