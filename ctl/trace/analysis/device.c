// SPDX-License-Identifier: GPL-2.0-or-later
/* device.c - requests to disks, and packets of network interfaces. */
#include "ctl/trace/analysis/analysis_int.h"

#include <stdlib.h>

#include "ctl/base/memory.h"

#define SECTOR		512
/* A request that was merged into another never completes.  With so many under way, forget them all. */
#define MOST_REQUESTS	65536

/* Bits of rwbs. */
#define RWBS_WRITE	(1 << 0)
#define RWBS_DISCARD	(1 << 1)
#define RWBS_READ	(1 << 2)

struct request {
	uint64_t key;
	uint64_t inserted, issued;	/* 0: not seen */
	uint64_t left, bytes;
	enum direction direction;
	uint32_t next_free;		/* index plus 1 */
	uint32_t next;			/* with the same key: index plus 1; 0: the last */
};

void requests_forget(struct analysis *a)
{
	keymap_free(&a->by_sector);
	a->nr_requests = a->free_request = 0;
}

void devices_free(struct analysis *a)
{
	for (size_t i = 0; i < a->nr_disks; i++)
		free(a->disks[i].time.buckets);
	free(a->disks);
	free(a->requests);
	free(a->interfaces);
	keymap_free(&a->by_dev);
	keymap_free(&a->by_sector);
	keymap_free(&a->by_interface);
}

/* ----------------------------------------------------------------------- disks */

static uint32_t disk_of(struct analysis *a, uint64_t dev)
{
	const uint32_t at = keymap_find(&a->by_dev, dev);

	if (at)
		return at - 1;
	a->disks = MEM_MORE(a->disks, a->nr_disks);
	a->disks[a->nr_disks++] = (struct disk){ .dev = dev };
	keymap_set(&a->by_dev, dev, a->nr_disks);
	return a->nr_disks - 1;
}

/*
 * Requests that flush the disk's cache, and those that a driver sends for itself, are at no place of it: their sector
 * is 0 when they are issued, and -1 when they complete.  Several of one disk may be under way: each completion belongs
 * to the oldest.
 */
#define NOWHERE		(UINT64_MAX >> 16)

static uint64_t key_of(uint32_t disk, uint64_t sector)
{
	return (uint64_t)disk << 48 ^ sector;
}

static int64_t rwbs_of(const struct analysis_event *e)
{
	return event_has(e, RQ_RWBS) ? e->value[RQ_RWBS].number : 0;
}

static uint64_t sectors_of(const struct analysis_event *e)
{
	return event_has(e, RQ_NR_SECTOR) ? (uint64_t)e->value[RQ_NR_SECTOR].number : 0;
}

/* The driver's own requests are neither read, written, discarded nor flushed. */
static bool is_nowhere(const struct analysis_event *e)
{
	const int64_t rwbs = rwbs_of(e);

	return e->value[RQ_SECTOR].number == -1 ||
	       (!e->value[RQ_SECTOR].number && !sectors_of(e) && !(rwbs & (RWBS_READ | RWBS_WRITE | RWBS_DISCARD)));
}

static uint64_t event_key(uint32_t disk, const struct analysis_event *e)
{
	return key_of(disk, is_nowhere(e) ? NOWHERE : (uint64_t)e->value[RQ_SECTOR].number);
}

/* The oldest request with this key that was issued, or was not. */
static struct request *request_find(struct analysis *a, uint64_t key, bool issued)
{
	for (uint32_t at = keymap_find(&a->by_sector, key); at; at = a->requests[at - 1].next)
		if (!!a->requests[at - 1].issued == issued)
			return &a->requests[at - 1];
	return NULL;
}

static uint32_t request_room(struct analysis *a)
{
	const uint32_t at = a->free_request;

	if (at) {
		a->free_request = a->requests[at - 1].next_free;
		return at;
	}
	if (a->nr_requests == MOST_REQUESTS)
		requests_forget(a);
	if (!a->requests)
		a->requests = mem_zalloc(MOST_REQUESTS, sizeof(*a->requests));
	return ++a->nr_requests;
}

/* Behind those that have the key already. */
static struct request *request_new(struct analysis *a, uint64_t key)
{
	const uint32_t at = request_room(a), first = keymap_find(&a->by_sector, key);
	uint32_t last = first;

	a->requests[at - 1] = (struct request){ .key = key };
	while (last && a->requests[last - 1].next)
		last = a->requests[last - 1].next;
	if (last)
		a->requests[last - 1].next = at;
	else
		keymap_set(&a->by_sector, key, at);
	return &a->requests[at - 1];
}

/* Requests with the same key are in a list.  Take this one out of it. */
static void request_unlink(struct analysis *a, struct request *request)
{
	const uint32_t at = request - a->requests + 1;
	uint32_t before = keymap_find(&a->by_sector, request->key);

	if (before != at) {
		while (a->requests[before - 1].next != at)
			before = a->requests[before - 1].next;
		a->requests[before - 1].next = request->next;
	} else if (request->next) {
		keymap_set(&a->by_sector, request->key, request->next);
	} else {
		keymap_remove(&a->by_sector, request->key);
	}
	request->next = 0;
}

static void request_end(struct analysis *a, struct request *request)
{
	request_unlink(a, request);
	request->next_free = a->free_request;
	a->free_request = request - a->requests + 1;
}

static bool is_request(const struct analysis_event *e)
{
	return event_has(e, RQ_DEV) && event_has(e, RQ_SECTOR);
}

/* At one place of a disk there is one request: what is left of an older one was merged into another. */
static struct request *request_at(struct analysis *a, uint64_t key, const struct analysis_event *e, bool issued)
{
	struct request *request = request_find(a, key, issued);

	if (!request && !is_nowhere(e))
		request = request_find(a, key, !issued);
	return request ? request : request_new(a, key);
}

void on_rq_insert(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct request *request;
	uint64_t key;

	if (!is_request(e) || a->gaps)
		return;
	key = event_key(disk_of(a, e->value[RQ_DEV].number), e);
	request = is_nowhere(e) ? request_new(a, key) : request_at(a, key, e, false);
	request->inserted = a->now;
	request->issued = 0;
}

static enum direction direction_of(const struct analysis_event *e)
{
	const int64_t rwbs = rwbs_of(e);

	if (rwbs & RWBS_DISCARD)
		return DIRECTION_OTHER;
	return rwbs & RWBS_READ ? DIRECTION_READ : rwbs & RWBS_WRITE ? DIRECTION_WRITE : DIRECTION_OTHER;
}

void on_rq_issue(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct request *request;
	uint32_t disk;

	if (!is_request(e) || a->gaps)
		return;
	disk = disk_of(a, e->value[RQ_DEV].number);
	request = request_at(a, event_key(disk, e), e, false);
	if (request->inserted && !request->issued && in_window(a))
		spans_add(&a->disks[disk].queued, a->now - request->inserted);
	request->issued = a->now;
	request->left = sectors_of(e);
	request->direction = direction_of(e);
	request->bytes = 0;
}

/* The driver had no room for it: it is issued once more. */
void on_rq_requeue(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct request *request;

	if (!is_request(e) || a->gaps)
		return;
	request = request_find(a, event_key(disk_of(a, e->value[RQ_DEV].number), e), true);
	if (request)
		request->inserted = request->issued = 0;
}

/* The rest of the request completes later, from a later sector on. */
static void complete_part(struct analysis *a, struct request *request, uint64_t done)
{
	request_unlink(a, request);
	request->left -= done;
	request->key += done;
	keymap_set(&a->by_sector, request->key, request - a->requests + 1);
}

static void complete(struct analysis *a, struct disk *disk, struct request *request)
{
	const uint64_t took = a->now - request->issued;
	struct disk_use *use = &disk->uses[request->direction];

	if (in_window(a)) {
		use->count++;
		use->bytes += request->bytes;
		spans_add(&use->time, took);
		samples_add(&disk->time, took);
	}
	request_end(a, request);
}

/*
 * A write that flushes the cache before or behind itself completes once more when all of that is done.  Without data it
 * is not issued at all: the request that flushes is another one.  No other write completes without data.
 */
static bool ends_flushing(const struct analysis_event *e)
{
	return event_has(e, RQ_NR_SECTOR) && !sectors_of(e) && rwbs_of(e) & (RWBS_READ | RWBS_WRITE);
}

void on_rq_complete(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	const uint64_t done = sectors_of(e);
	struct request *request;
	struct disk *disk;
	uint32_t number;

	if (!is_request(e) || ends_flushing(e))
		return;
	number = disk_of(a, e->value[RQ_DEV].number);
	disk = &a->disks[number];
	request = request_find(a, event_key(number, e), true);
	if (!request) {
		disk->half += in_window(a);
		return;
	}
	request->bytes += done * SECTOR;
	if (done && done < request->left)
		complete_part(a, request, done);
	else
		complete(a, disk, request);
}

void on_dump_disk(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	const struct event_value *name = &e->value[DISK_NAME];
	uint32_t number;

	if (!event_has(e, DISK_DEV) || !event_has(e, DISK_NAME) || !name->text)
		return;
	number = disk_of(a, e->value[DISK_DEV].number);
	a->disks[number].name = names_add(&a->names, name->text, name->length);
}

/* --------------------------------------------------------------------- network */

static struct interface *interface_of(struct analysis *a, const struct analysis_event *e)
{
	const struct event_value *text = &e->value[NET_NAME];
	const uint32_t name = event_has(e, NET_NAME) && text->text ? names_add(&a->names, text->text, text->length) : 0;
	const uint32_t at = keymap_find(&a->by_interface, name);

	if (at)
		return &a->interfaces[at - 1];
	a->interfaces = MEM_MORE(a->interfaces, a->nr_interfaces);
	a->interfaces[a->nr_interfaces++] = (struct interface){ .name = name };
	keymap_set(&a->by_interface, name, a->nr_interfaces);
	return &a->interfaces[a->nr_interfaces - 1];
}

void on_net_out(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct interface *interface = interface_of(a, e);

	if (!in_window(a))
		return;
	interface->out++;
	interface->out_bytes += event_has(e, NET_LEN) ? e->value[NET_LEN].number : 0;
}

void on_net_in(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct interface *interface = interface_of(a, e);

	if (!in_window(a))
		return;
	interface->in++;
	interface->in_bytes += event_has(e, NET_LEN) ? e->value[NET_LEN].number : 0;
}
