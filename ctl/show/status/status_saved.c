// SPDX-License-Identifier: GPL-2.0-or-later
/* status_saved.c - what a saved trace is, and how much it has. */
#include "ctl/show/status/status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/base/device/clockmap.h"
#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/trace/saved/saved.h"

#define LABEL_WIDTH	13

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

static FILE *label(struct session *s, const char *name)
{
	style_put(s->out, s->colour, STYLE_DIM, name, LABEL_WIDTH);
	return s->out;
}

static void put_time(FILE *out, int64_t ns)
{
	const time_t seconds = ns / 1000000000;
	char text[64];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm);
	fprintf(out, "%s", text);
}

static void put_text(struct session *s, const struct trace_info *info, const struct content *content, int64_t begin,
		     int64_t length)
{
	char text[DURATION_SIZE], all[DURATION_SIZE];

	fprintf(label(s, "made on"), "%s, kernel %s, module %s\n", escape_shown(info->host), escape_shown(info->kernel),
		escape_shown(info->module));
	if (content->records) {
		put_time(label(s, "began"), begin);
		fprintf(s->out, ", %s long\n", duration_text(length, text));
	}
	fprintf(label(s, "records"), "%s in %s%s\n", count_text(content->records, all),
		bytes_text(content->bytes, "bytes", text), trace_info_has_state(info) ? ", with those of the state before it" : "");
	fprintf(label(s, "lost"), "%s\n", count_text(content->lost, all));
	if (info->braked)
		fprintf(label(s, "braked"), "%s hits were turned away by the brake\n", count_text(info->braked, all));
	fprintf(label(s, "tracepoints"), "%zu: 'list' shows them\n", tracepoints_of(info));
	if (info->tasks)
		fprintf(label(s, "only"), "%s\n", escape_shown(info->tasks));
	if (info->is_open)
		fputs("its recorder is still at work, or was killed\n", label(s, "end"));
}

static void put_json(struct session *s, const struct trace_info *info, const struct content *content, int64_t begin,
		     int64_t length)
{
	struct json j = json_typed(s->out, "saved");

	json_text(&j, "host", info->host);
	json_text(&j, "kernel", info->kernel);
	json_text(&j, "module", info->module);
	json_digits(&j, "begin_ns", content->records ? begin : 0);
	json_number(&j, "length_ns", content->records ? length : 0);
	json_number(&j, "records", content->records);
	json_number(&j, "bytes", content->bytes);
	json_number(&j, "lost", content->lost);
	json_number(&j, "braked", info->braked);
	json_number(&j, "tracepoints", tracepoints_of(info));
	json_text(&j, "tasks", info->tasks);
	json_boolean(&j, "is_open", info->is_open);
	json_end(&j);
}

bool status_saved(struct session *s, struct error *err)
{
	const struct trace_info *info = saved_info(s->saved);
	struct content content = { 0 };
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
	if (s->format == PRINT_JSON)
		put_json(s, info, &content, begin, length);
	else
		put_text(s, info, &content, begin, length);
	clockmap_free(map);
	return true;
}
