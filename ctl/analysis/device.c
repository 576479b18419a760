// SPDX-License-Identifier: GPL-2.0-or-later
/* device.c - requests to disks, and packets of network interfaces. */
#include "ctl/analysis/analysis_int.h"

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

static uint64_t key_of(uint32_t disk, uint64_t sector)
{
	return (uint64_t)disk << 48 ^ sector;
}

static struct request *request_find(struct analysis *a, uint64_t key)
{
	const uint32_t at = keymap_find(&a->by_sector, key);

	return at ? &a->requests[at - 1] : NULL;
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

static struct request *request_new(struct analysis *a, uint64_t key)
{
	const uint32_t at = request_room(a);

	a->requests[at - 1] = (struct request){ .key = key };
	keymap_set(&a->by_sector, key, at);
	return &a->requests[at - 1];
}

static void request_end(struct analysis *a, struct request *request)
{
	keymap_remove(&a->by_sector, request->key);
	request->next_free = a->free_request;
	a->free_request = request - a->requests + 1;
}

static bool is_request(const struct analysis_event *e)
{
	return event_has(e, RQ_DEV) && event_has(e, RQ_SECTOR);
}

void on_rq_insert(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct request *request;
	uint64_t key;

	if (!is_request(e) || a->gaps)
		return;
	key = key_of(disk_of(a, e->value[RQ_DEV].number), e->value[RQ_SECTOR].number);
	request = request_find(a, key);
	if (!request)
		request = request_new(a, key);
	request->inserted = a->now;
	request->issued = 0;
}

static enum direction direction_of(const struct analysis_event *e)
{
	const int64_t rwbs = event_has(e, RQ_RWBS) ? e->value[RQ_RWBS].number : 0;

	if (rwbs & RWBS_DISCARD)
		return DIRECTION_OTHER;
	return rwbs & RWBS_READ ? DIRECTION_READ : rwbs & RWBS_WRITE ? DIRECTION_WRITE : DIRECTION_OTHER;
}

void on_rq_issue(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	struct request *request;
	uint32_t disk;
	uint64_t key;

	if (!is_request(e) || a->gaps)
		return;
	disk = disk_of(a, e->value[RQ_DEV].number);
	key = key_of(disk, e->value[RQ_SECTOR].number);
	request = request_find(a, key);
	if (!request)
		request = request_new(a, key);
	if (request->inserted && !request->issued && in_window(a))
		spans_add(&a->disks[disk].queued, a->now - request->inserted);
	request->issued = a->now;
	request->left = event_has(e, RQ_NR_SECTOR) ? e->value[RQ_NR_SECTOR].number : 0;
	request->direction = direction_of(e);
	request->bytes = 0;
}

/* The rest of the request completes later, from a later sector on. */
static void complete_part(struct analysis *a, struct request *request, uint64_t done)
{
	request->left -= done;
	keymap_remove(&a->by_sector, request->key);
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

void on_rq_complete(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	const uint64_t done = event_has(e, RQ_NR_SECTOR) ? e->value[RQ_NR_SECTOR].number : 0;
	struct request *request;
	struct disk *disk;
	uint32_t number;

	if (!is_request(e))
		return;
	number = disk_of(a, e->value[RQ_DEV].number);
	disk = &a->disks[number];
	request = request_find(a, key_of(number, e->value[RQ_SECTOR].number));
	if (!request || !request->issued) {
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
