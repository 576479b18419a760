// SPDX-License-Identifier: GPL-2.0-or-later
/* perfetto_track.c - events on tracks: what ftrace has no message for, and system calls. */
#include <inttypes.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/ask/events/calls.h"
#include "ctl/trace/export/perfetto_int.h"
#include "ctl/trace/reader/pick.h"
#include "ctl/trace/export/schema.h"

/* The ids of tracks: those of the threads are small numbers. */
#define STATE_TRACK	(1ULL << 40)
#define CPU_TRACKS	(2ULL << 40)

/* --------------------------------------------------------------------------- names */

static void need_name(struct perfetto *p, uint32_t number, enum sent as)
{
	static const uint32_t fields[NR_SENT] = {
		[SENT_EVENT] = INTERNED_EVENT, [SENT_CATEGORY] = INTERNED_CATEGORY, [SENT_FIELD] = INTERNED_FIELD,
	};
	size_t at;

	if (number >= p->nr_sent) {
		p->sent = mem_grow(p->sent, 2 * number, 1);
		memset(p->sent + p->nr_sent, 0, 2 * number - p->nr_sent);
		p->nr_sent = 2 * number;
	}
	if (p->sent[number] >> as & 1)
		return;
	p->sent[number] |= 1 << as;
	at = pb_open(&p->pb, fields[as]);
	pb_number(&p->pb, INTERNED_NUMBER, number);
	pb_string(&p->pb, INTERNED_TEXT, names_text(&p->names, number));
	pb_close(&p->pb, at);
}

/* Send the names that are not known yet on the other side. */
static void send_names(struct perfetto *p, const struct plan *plan, uint32_t name)
{
	const size_t before = p->pb.len, at = pb_open(&p->pb, PACKET_INTERNED_DATA);

	need_name(p, name, SENT_EVENT);
	need_name(p, plan->category, SENT_CATEGORY);
	for (size_t i = 0; i < plan->nr_items; i++) {
		need_name(p, plan->items[i].number, SENT_FIELD);
		need_name(p, plan->items[i].named, SENT_FIELD);
	}
	if (p->pb.len == at)
		p->pb.len = before;
	else
		pb_close(&p->pb, at);
}

/* -------------------------------------------------------------------------- tracks */

/* tgid 0: a track without a thread. */
static void describe(struct perfetto *p, uint64_t id, const char *name, int32_t tgid, int32_t tid)
{
	const size_t at = packet_open(p, SEQ_TRACKS, 0), track = pb_open(&p->pb, PACKET_TRACK_DESCRIPTOR);
	size_t thread;

	pb_number(&p->pb, TRACK_ID, id);
	if (name)
		pb_string(&p->pb, TRACK_NAME, name);
	if (tgid) {
		thread = pb_open(&p->pb, TRACK_THREAD);
		pb_number(&p->pb, TRACK_THREAD_PID, (uint64_t)tgid);
		pb_number(&p->pb, TRACK_THREAD_TID, (uint64_t)tid);
		pb_close(&p->pb, thread);
	}
	pb_close(&p->pb, track);
	packet_close(p, at);
}

/* Events of the idle thread, and of threads that are not known, are those of their CPU. */
static uint64_t track_of_cpu(struct perfetto *p, uint32_t cpu)
{
	struct cpu_out *out = perfetto_cpu(p, cpu);
	AUTO_FREE char *name = NULL;

	if (!out->has_track) {
		name = mem_printf("CPU %" PRIu32 ", events outside of threads", cpu);
		describe(p, CPU_TRACKS + cpu, name, 0, 0);
	}
	out->has_track = true;
	return CPU_TRACKS + cpu;
}

static uint64_t track_of_thread(struct perfetto *p, int32_t tid)
{
	struct thread *thread = threads_get(&p->threads, tid);
	AUTO_FREE char *name = NULL;

	if (!thread->has_track && !thread->tgid)
		name = mem_printf("thread %" PRId32 " of an unknown process", tid);
	if (!thread->has_track)
		describe(p, thread->track, name, thread->tgid, tid);
	thread->has_track = true;
	return thread->track;
}

static uint64_t track_of_state(struct perfetto *p)
{
	if (!p->has_state_track)
		describe(p, STATE_TRACK, "state of the system", 0, 0);
	p->has_state_track = true;
	return STATE_TRACK;
}

static uint64_t track_of(struct perfetto *p, const struct plan *plan, const struct record *record, int32_t tid)
{
	if (plan->desc->is_state)
		return track_of_state(p);
	return tid > 0 ? track_of_thread(p, tid) : track_of_cpu(p, record->cpu);
}

/* --------------------------------------------------------------------- annotations */

struct annotating {
	struct pb *pb;
	const struct plan *plan;
	size_t next;		/* item */
};

static size_t open_annotation(struct pb *pb, uint32_t number)
{
	const size_t at = pb_open(pb, EVENT_ANNOTATION);

	pb_number(pb, ANNOTATION_NAME_NUMBER, number);
	return at;
}

static void put_named(struct pb *pb, uint32_t number, const char *text)
{
	size_t at;

	if (!text || !*text)
		return;
	at = open_annotation(pb, number);
	pb_string(pb, ANNOTATION_TEXT, text);
	pb_close(pb, at);
}

static void put_string(struct pb *pb, const struct item *item)
{
	AUTO_FREE char *text = mem_printf("%.*s%s", (int)item->length, (const char *)item->raw, item_cut(item));

	pb_string(pb, ANNOTATION_TEXT, text);
}

static void put_callers(struct pb *pb, const struct printer *printer, const struct item *item)
{
	char symbol[SYMBOL_SIZE];

	for (size_t i = 0; i < item->length; i++) {
		const uint64_t address = item_caller(printer, item, i, symbol);
		const size_t at = pb_open(pb, ANNOTATION_ELEMENT);

		if (*symbol)
			pb_string(pb, ANNOTATION_TEXT, symbol);
		else
			pb_number(pb, ANNOTATION_POINTER, address);
		pb_close(pb, at);
	}
}

static bool is_address(const struct item *item)
{
	return item->kind == FIELD_REG || item->kind == FIELD_WORD || item->kind == FIELD_PSR ||
	       item->kind == FIELD_ALLREGS || item->kind == FIELD_POINTER || item->kind == FIELD_RAW;
}

static void put_float(struct pb *pb, const struct item *item)
{
	char text[NUMBER_SIZE];

	format_float(text, item);
	pb_string(pb, ANNOTATION_TEXT, text);
}

static void put_value(struct pb *pb, const struct printer *printer, const struct item *item)
{
	if (item->unreadable)
		pb_string(pb, ANNOTATION_TEXT, "(unreadable)");
	else if (item->kind == FIELD_FLOAT)
		put_float(pb, item);
	else if (item->kind == FIELD_TEXT || item_is_object(item) || (item->kind == FIELD_STRING && item->word))
		pb_string(pb, ANNOTATION_TEXT, item->word);
	else if (item->kind == FIELD_STRING)
		put_string(pb, item);
	else if (item->kind == FIELD_BACKTRACE)
		put_callers(pb, printer, item);
	else if (is_address(item))
		pb_number(pb, ANNOTATION_POINTER, item->value);
	else
		pb_number(pb, item->is_signed || item->kind == FIELD_CONST ? ANNOTATION_INT : ANNOTATION_UINT,
			  item->value);
}

static void annotate(struct printer *printer, const struct item *item, void *arg)
{
	struct annotating *a = arg;
	const struct plan_item *to = &a->plan->items[a->next++];
	const size_t at = open_annotation(a->pb, to->number);

	put_value(a->pb, printer, item);
	pb_close(a->pb, at);
	if (item->unreadable || item->kind == FIELD_TEXT || item_is_object(item))
		return;
	put_named(a->pb, to->named, item->word ? item->word : item->symbol);
}

/* -------------------------------------------------------------------------- events */

/* Which CPU it was: of the events of ftrace, Perfetto knows that itself. */
static void put_cpu(struct pb *pb, const struct record *record)
{
	const size_t at = pb_open(pb, EVENT_ANNOTATION);

	pb_string(pb, ANNOTATION_NAME, "on_cpu");
	pb_number(pb, ANNOTATION_UINT, record->cpu);
	pb_close(pb, at);
}

static size_t open_event(struct perfetto *p, uint64_t track, unsigned int type)
{
	const size_t at = pb_open(&p->pb, PACKET_TRACK_EVENT);

	pb_number(&p->pb, EVENT_TYPE, type);
	pb_number(&p->pb, EVENT_TRACK, track);
	return at;
}

static void put_event(struct perfetto *p, const struct plan *plan, uint32_t name, const struct record *record,
		      uint64_t track, unsigned int type)
{
	struct annotating annotating = { .pb = &p->pb, .plan = plan };
	const size_t at = packet_open(p, SEQ_TRACKS, FLAG_NEEDS);
	size_t event;

	pb_number(&p->pb, PACKET_TIMESTAMP, perfetto_ns(p, record->ticks));
	send_names(p, plan, name);
	event = open_event(p, track, type);
	pb_number(&p->pb, EVENT_CATEGORY, plan->category);
	pb_number(&p->pb, EVENT_NAME, name);
	if (!plan->desc->is_state)
		put_cpu(&p->pb, record);
	record_items(p->printer, record, annotate, &annotating);
	pb_close(&p->pb, event);
	packet_close(p, at);
}

void track_instant(struct perfetto *p, const struct plan *plan, const struct record *record, int32_t tid)
{
	put_event(p, plan, plan->name, record, track_of(p, plan, record, tid), TYPE_INSTANT);
}

/* -------------------------------------------------------------------- system calls */

/* 0: the end of the present call, which has wiped out its number: rt_sigreturn(2). */
static uint32_t name_of_call(struct perfetto *p, const struct plan *plan, const struct record *record)
{
	static const char *const names[] = { "id", "compat" };
	struct picked picked[ARRAY_SIZE(names)];
	AUTO_FREE char *name = NULL;
	const char *known;

	if (plan->name)
		return plan->name;
	pick(record, names, ARRAY_SIZE(names), picked);
	if (picked[0].number < 0 && plan->kind == PLAN_CALL_EXIT)
		return 0;
	known = !picked[0].is_known ? NULL : picked[1].number ? call_compat_name(picked[0].number) : call_name(picked[0].number);
	if (known)
		name = mem_printf("%s%s", picked[1].number ? "compat_sys_" : "sys_", known);
	else
		name = mem_printf(picked[1].number ? "compat_sys_%lld" : "sys_%lld", (long long)picked[0].number);
	return names_add(&p->names, name, strlen(name));
}

void track_call_ends(struct perfetto *p, uint64_t ns, int32_t tid)
{
	struct thread *thread = threads_get(&p->threads, tid);
	size_t at, event;

	if (!thread->call)
		return;
	thread->call = 0;
	at = packet_open(p, SEQ_TRACKS, FLAG_NEEDS);
	pb_number(&p->pb, PACKET_TIMESTAMP, ns);
	event = open_event(p, thread->track, TYPE_END);
	pb_close(&p->pb, event);
	packet_close(p, at);
}

/*
 * A thread is in one call at a time.  Of a call that began before the recording, or whose begin was lost, the end is an
 * instant; the end of one whose end was lost is where the next begins.
 */
void track_call(struct perfetto *p, const struct plan *plan, const struct record *record, int32_t tid)
{
	const uint64_t track = track_of(p, plan, record, tid);
	const bool begins = plan->kind == PLAN_CALL_ENTRY;
	struct thread *thread = tid > 0 ? threads_get(&p->threads, tid) : NULL;
	unsigned int type = begins ? TYPE_BEGIN : TYPE_END;
	uint32_t name = name_of_call(p, plan, record);

	if (!name)
		name = thread && thread->call ? thread->call : names_add(&p->names, "sys", strlen("sys"));
	if (thread && thread->call && (begins || thread->call != name))
		track_call_ends(p, perfetto_ns(p, record->ticks), tid);
	if (!thread || (!begins && !thread->call))
		type = TYPE_INSTANT;
	put_event(p, plan, name, record, track, type);
	if (thread)
		thread->call = begins ? name : 0;
}

/* ---------------------------------------------------------------------------- gaps */

static void put_notice(struct pb *pb, const struct record *notice)
{
	const size_t reason = pb_open(pb, EVENT_ANNOTATION);
	size_t lost;

	pb_string(pb, ANNOTATION_NAME, "reason");
	pb_string(pb, ANNOTATION_TEXT, notice->discarded ? "discarded" : "overwritten");
	pb_close(pb, reason);
	lost = pb_open(pb, EVENT_ANNOTATION);
	pb_string(pb, ANNOTATION_NAME, "lost");
	pb_number(pb, ANNOTATION_UINT, notice->lost);
	pb_close(pb, lost);
}

/* Perfetto then forgets the names of this sequence. */
void track_gap(struct perfetto *p, const struct record *notice)
{
	static const char name[] = "events lost";
	const uint64_t track = track_of_cpu(p, notice->cpu);
	struct plan plan = { .category = names_add(&p->names, "ktrace", strlen("ktrace")) };
	size_t at, event;

	if (p->nr_sent)
		memset(p->sent, 0, p->nr_sent);
	at = packet_open(p, SEQ_TRACKS, FLAG_CLEARED | FLAG_NEEDS);
	pb_number(&p->pb, PACKET_PREVIOUS_DROPPED, 1);
	pb_number(&p->pb, PACKET_TIMESTAMP, perfetto_ns(p, notice->ticks));
	plan.name = names_add(&p->names, name, strlen(name));
	send_names(p, &plan, plan.name);
	event = open_event(p, track, TYPE_INSTANT);
	pb_number(&p->pb, EVENT_CATEGORY, plan.category);
	pb_number(&p->pb, EVENT_NAME, plan.name);
	put_notice(&p->pb, notice);
	pb_close(&p->pb, event);
	packet_close(p, at);
}
