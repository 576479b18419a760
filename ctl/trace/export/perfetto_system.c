// SPDX-License-Identifier: GPL-2.0-or-later
/* perfetto_system.c - what the recordings say about the system: clocks, kernel, losses. */
#include <string.h>

#include "ctl/trace/export/perfetto_int.h"
#include "ctl/trace/export/schema.h"

/* -------------------------------------------------------------------------- clocks */

static void put_clock(struct pb *pb, uint32_t clock, uint64_t ns)
{
	const size_t at = pb_open(pb, CLOCKS_CLOCK);

	pb_number(pb, CLOCK_ID, clock);
	pb_number(pb, CLOCK_TIMESTAMP, ns);
	pb_close(pb, at);
}

/* real_ns 0: not known. */
static void put_snapshot(struct perfetto *p, uint64_t ns, uint64_t real_ns)
{
	const size_t at = packet_open(p, SEQ_SYSTEM, 0), clocks = pb_open(&p->pb, PACKET_CLOCK_SNAPSHOT);

	put_clock(&p->pb, PERFETTO_BOOTTIME, ns);
	if (real_ns)
		put_clock(&p->pb, PERFETTO_REALTIME, real_ns);
	pb_number(&p->pb, CLOCKS_PRIMARY, PERFETTO_BOOTTIME);
	pb_close(&p->pb, clocks);
	packet_close(p, at);
}

/*
 * Perfetto's events of ftrace know one clock, which it calls BOOTTIME: give it the clock of the recording, which
 * runs as evenly but may begin earlier than the boot.
 */
void perfetto_clocks(struct perfetto *p, const struct trace_info *info)
{
	for (uint32_t i = 0; i < info->clock.nr; i++) {
		const struct kt_anchor *anchor = &info->anchors[i];

		if (anchor->ticks < p->last_anchor)
			continue;
		p->last_anchor = anchor->ticks + 1;
		put_snapshot(p, perfetto_ns(p, anchor->ticks), anchor->real_ns);
	}
	if (!p->last_anchor)
		put_snapshot(p, 0, 0);
}

/* -------------------------------------------------------------------------- system */

static void put_attribute(struct pb *pb, const char *key, const char *text)
{
	size_t at;

	if (!text || !*text)
		return;
	at = pb_open(pb, ATTRIBUTES_ATTRIBUTE);
	pb_string(pb, ATTRIBUTE_KEY, key);
	pb_string(pb, ATTRIBUTE_TEXT, text);
	pb_close(pb, at);
}

static void put_attributes(struct perfetto *p, const struct trace_info *info)
{
	const size_t at = packet_open(p, SEQ_SYSTEM, 0), attributes = pb_open(&p->pb, PACKET_ATTRIBUTES);
	char clock[sizeof(info->clock.name) + 1] = "";

	memcpy(clock, info->clock.name, sizeof(info->clock.name));
	put_attribute(&p->pb, "ktrace.version", info->module);
	put_attribute(&p->pb, "ktrace.host", info->host);
	put_attribute(&p->pb, "ktrace.boot_id", info->boot_id);
	put_attribute(&p->pb, "ktrace.clock", clock);
	put_attribute(&p->pb, "ktrace.only_tasks", info->tasks);
	put_attribute(&p->pb, "ktrace.unfinished", info->is_open ? "the recorder was at work, or was killed" : NULL);
	pb_close(&p->pb, attributes);
	packet_close(p, at);
}

/* info->kernel is "RELEASE MACHINE". */
static void put_system(struct perfetto *p, const struct trace_info *info)
{
	const size_t at = packet_open(p, SEQ_SYSTEM, 0), system = pb_open(&p->pb, PACKET_SYSTEM_INFO);
	const size_t name = pb_open(&p->pb, SYSTEM_UTSNAME), release = strcspn(info->kernel, " ");

	pb_string(&p->pb, UTSNAME_SYSNAME, "Linux");
	pb_text(&p->pb, UTSNAME_RELEASE, info->kernel, release);
	if (info->kernel[release])
		pb_string(&p->pb, UTSNAME_MACHINE, info->kernel + release + 1);
	pb_close(&p->pb, name);
	pb_string(&p->pb, SYSTEM_MACHINE_NAME, info->host);
	pb_close(&p->pb, system);
	packet_close(p, at);
}

void perfetto_system(struct perfetto *p, const struct trace_info *info)
{
	put_system(p, info);
	put_attributes(p, info);
}

/* -------------------------------------------------------------------------- losses */

static void put_stats(struct perfetto *p, unsigned int phase)
{
	const size_t at = packet_open(p, SEQ_SYSTEM, 0), stats = pb_open(&p->pb, PACKET_FTRACE_STATS);

	pb_number(&p->pb, STATS_PHASE, phase);
	for (uint32_t cpu = 0; cpu < p->nr_cpus; cpu++) {
		const struct cpu_out *out = &p->cpus[cpu];
		const size_t one = pb_open(&p->pb, STATS_CPU);

		pb_number(&p->pb, CPU_STATS_CPU, cpu);
		pb_number(&p->pb, CPU_STATS_OVERRUN, phase == PHASE_END ? out->overwritten : 0);
		pb_number(&p->pb, CPU_STATS_DROPPED, phase == PHASE_END ? out->discarded : 0);
		pb_close(&p->pb, one);
	}
	pb_close(&p->pb, stats);
	packet_close(p, at);
}

/* Perfetto takes the difference of two. */
void perfetto_losses(struct perfetto *p)
{
	put_stats(p, PHASE_START);
	put_stats(p, PHASE_END);
}
