// SPDX-License-Identifier: GPL-2.0-or-later
/* status_saved.c - what a saved trace is, and how much it has. */
#include "ctl/show/status/status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/base/device/clockmap.h"
#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/trace/saved/saved.h"

struct content {
	uint64_t records, lost, bytes;
	uint64_t begin, end;		/* in ticks; equal if there is no packet */
	char *file;			/* of the packet before */
	uint64_t file_lost;		/* in that file, so far */
};

/* Each file counts its losses from its beginning on. */
static bool count_packet(void *arg, const char *name, const struct kt_packet *packet, size_t bytes, struct error *err)
{
	struct content *content = arg;

	if (!content->file || strcmp(content->file, name)) {
		content->lost += content->file_lost;
		free(content->file);
		content->file = mem_strdup(name);
	}
	content->file_lost = packet->discarded;
	if (packet->records && (!content->records || packet->ts_begin < content->begin))
		content->begin = packet->ts_begin;
	if (packet->records && packet->ts_end > content->end)
		content->end = packet->ts_end;
	content->records += packet->records;
	content->bytes += bytes;
	return true;
}

static bool read_content(struct saved *saved, struct content *content, struct error *err)
{
	const bool ok = saved_packets(saved, count_packet, content, err);

	content->lost += content->file_lost;
	free(content->file);
	return ok;
}

/* Tracepoints, not what ktrace wrote about the system. */
static size_t tracepoints_of(const struct trace_info *info)
{
	size_t n = 0;

	for (size_t i = 0; i < info->nr_events; i++)
		n += !info->events[i].bare->is_state && !info->events[i].bare->is_hidden;
	return n;
}

static char *time_text(int64_t ns)
{
	const time_t seconds = ns / 1000000000;
	char text[64];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm);
	return mem_strdup(text);
}

static void add_content(struct sheet *sheet, const struct trace_info *info, const struct content *content, int64_t begin, int64_t length)
{
	AUTO_FREE char *began = time_text(begin);
	char long_text[DURATION_SIZE], records[DURATION_SIZE], bytes[DURATION_SIZE], lost[DURATION_SIZE], braked[DURATION_SIZE];

	cell_format(sheet, NULL, "began", "%s, %s long", began, duration_text(length, long_text))->absent = !content->records;
	cell_digits(sheet, "begin_ns", NULL, content->records ? begin : 0);
	cell_number(sheet, "length_ns", NULL, content->records ? length : 0);
	cell_format(sheet, NULL, "records", "%s in %s%s", count_text(content->records, records), bytes_text(content->bytes, "bytes", bytes),
		    trace_info_has_state(info) ? ", with those of the state before it" : "");
	cell_number(sheet, "records", NULL, content->records);
	cell_bytes(sheet, "bytes", NULL, content->bytes);
	cell_text(sheet, NULL, "lost", count_text(content->lost, lost));
	cell_number(sheet, "lost", NULL, content->lost);
	cell_format(sheet, NULL, "braked", "%s hits were turned away by the brake", count_text(info->braked, braked))->absent = !info->braked;
	cell_number(sheet, "braked", NULL, info->braked);
}

static struct sheet saved_sheet(const struct trace_info *info, const struct content *content, int64_t begin, int64_t length)
{
	struct sheet sheet = { .key = "saved", .form = SHEET_OBJECT };

	sheet_row(&sheet);
	cell_format(&sheet, NULL, "made on", "%s, kernel %s, module %s", info->host, info->kernel, info->module);
	cell_text(&sheet, "host", NULL, info->host);
	cell_text(&sheet, "kernel", NULL, info->kernel);
	cell_text(&sheet, "module", NULL, info->module);
	add_content(&sheet, info, content, begin, length);
	cell_format(&sheet, NULL, "tracepoints", "%zu: 'list' shows them", tracepoints_of(info));
	cell_number(&sheet, "tracepoints", NULL, tracepoints_of(info));
	cell_text(&sheet, NULL, "only", info->tasks)->absent = !info->tasks;
	cell_text(&sheet, "tasks", NULL, info->tasks);
	cell_text(&sheet, NULL, "end", "its recorder is still at work, or was killed")->absent = !info->is_open;
	cell_boolean(&sheet, "is_open", NULL, info->is_open);
	return sheet;
}

bool status_saved(struct session *s, struct error *err)
{
	const struct trace_info *info = saved_info(s->saved);
	struct content content = { 0 };
	AUTO_SHEET struct sheet sheet = { 0 };
	struct clockmap *map;
	int64_t begin, length;

	if (!read_content(s->saved, &content, err))
		return false;
	/* Before that, ktrace set the tracepoints and wrote down the state of the system. */
	if (saved_complete_from(s->saved) > content.begin)
		content.begin = saved_complete_from(s->saved);
	map = trace_clockmap(info);
	begin = clockmap_wall_ns(map, content.begin);
	length = clockmap_delta_ns(map, content.begin, content.end);
	clockmap_free(map);
	sheet = saved_sheet(info, &content, begin, length);
	sheet_write(&sheet, s->format, s->out, s->colour);
	return true;
}
