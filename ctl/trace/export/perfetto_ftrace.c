// SPDX-License-Identifier: GPL-2.0-or-later
/* perfetto_ftrace.c - events of ftrace, in bundles of one CPU. */
#include <string.h>

#include "ctl/ask/events/value_names.h"
#include "ctl/trace/export/perfetto_int.h"
#include "ctl/trace/export/schema.h"

/* A bundle is written when it has so many bytes, or at a gap, or at the end of a snapshot. */
#define BUNDLE_BYTES	32768

#define REALTIME_PRIORITIES	100

/* ------------------------------------------------------------------------ an event */

struct filling {
	struct perfetto *p;
	const struct plan *plan;
	struct pb *pb;
	size_t next;		/* item */
};

/* Packets of this sequence are read in the order of the file: the name is there before its first use. */
static void send_symbol(struct perfetto *p, uint64_t address, const char *symbol)
{
	size_t at, data, entry;

	if (!*symbol || keymap_find(&p->functions, address))
		return;
	keymap_set(&p->functions, address, 1);
	at = packet_open(p, SEQ_SYSTEM, FLAG_NEEDS);
	data = pb_open(&p->pb, PACKET_INTERNED_DATA);
	entry = pb_open(&p->pb, INTERNED_SYMBOL);
	pb_number(&p->pb, INTERNED_NUMBER, address);
	pb_string(&p->pb, INTERNED_TEXT, symbol);
	pb_close(&p->pb, entry);
	pb_close(&p->pb, data);
	packet_close(p, at);
}

static void put_rwbs(struct pb *pb, uint32_t field, uint64_t bits)
{
	char text[VALUE_NAMES_SIZE];

	value_rwbs(bits, text);
	pb_string(pb, field, text);
}

static void fill(struct printer *printer, const struct item *item, void *arg)
{
	struct filling *f = arg;
	const struct ftrace_field *to = f->plan->items[f->next++].to;

	if (!to || item->unreadable)
		return;
	if (item->kind == FIELD_STRING)
		pb_text(f->pb, to->number, item->raw, item->length);
	else if (to->form == FTRACE_RWBS)
		put_rwbs(f->pb, to->number, item->value);
	else
		pb_number(f->pb, to->number, item->value + (to->form == FTRACE_PRIORITY ? REALTIME_PRIORITIES : 0));
	if (to->form == FTRACE_FUNCTION)
		send_symbol(f->p, item->value, item->symbol);
}

static size_t open_event(struct pb *pb, uint64_t ns, int32_t tid)
{
	const size_t at = pb_open(pb, BUNDLE_EVENT);

	pb_number(pb, FTRACE_TIMESTAMP, ns);
	pb_number(pb, FTRACE_PID, (uint64_t)(int64_t)tid);
	return at;
}

void ftrace_event(struct perfetto *p, const struct plan *plan, const struct record *record, int32_t tid)
{
	struct pb *pb = &perfetto_cpu(p, record->cpu)->events;
	struct filling filling = { .p = p, .plan = plan, .pb = pb };
	const size_t event = open_event(pb, perfetto_ns(p, record->ticks), tid);
	const size_t message = pb_open(pb, plan->row->message);

	record_items(p->printer, record, fill, &filling);
	pb_close(pb, message);
	pb_close(pb, event);
	if (pb->len > BUNDLE_BYTES)
		ftrace_flush(p, record->cpu);
}

/* The thread that has just been switched out waits for I/O. */
void ftrace_blocked(struct perfetto *p, uint32_t cpu, uint64_t ns, int32_t tid)
{
	struct pb *pb = &perfetto_cpu(p, cpu)->events;
	const size_t event = open_event(pb, ns, tid);
	const size_t message = pb_open(pb, FTRACE_BLOCKED_REASON);

	pb_number(pb, BLOCKED_PID, (uint64_t)(int64_t)tid);
	pb_number(pb, BLOCKED_IO_WAIT, 1);
	pb_close(pb, message);
	pb_close(pb, event);
}

/* ------------------------------------------------------------------------- bundles */

/* The events are already encoded as fields of the bundle. */
static void put_events(struct pb *pb, const struct pb *events)
{
	memcpy(pb_room(pb, events->len), events->bytes, events->len);
	pb->len += events->len;
}

void ftrace_flush(struct perfetto *p, uint32_t cpu)
{
	struct cpu_out *out = perfetto_cpu(p, cpu);
	size_t at, bundle;

	if (!out->events.len && !out->lost)
		return;
	at = packet_open(p, SEQ_SYSTEM, FLAG_NEEDS);
	bundle = pb_open(&p->pb, PACKET_FTRACE_EVENTS);
	pb_number(&p->pb, BUNDLE_CPU, cpu);
	if (out->events.len)
		put_events(&p->pb, &out->events);
	if (out->lost)
		pb_number(&p->pb, BUNDLE_LOST, 1);
	if (!out->begun && p->complete_ns)
		pb_number(&p->pb, BUNDLE_PREVIOUS_END, p->complete_ns);
	pb_close(&p->pb, bundle);
	packet_close(p, at);
	out->events.len = 0;
	out->lost = false;
	out->begun = true;
}

void ftrace_gap(struct perfetto *p, const struct record *notice)
{
	struct cpu_out *out = perfetto_cpu(p, notice->cpu);

	ftrace_flush(p, notice->cpu);
	out->lost = true;
	*(notice->discarded ? &out->discarded : &out->overwritten) += notice->lost;
}
