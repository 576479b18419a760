// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_devices.c - files, disks and networks of a recording as tables.  See trace_report.h. */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/show/report/trace_cells.h"

static void add_file(const struct trace_report *r, struct sheet *sheet, const char *name, const struct file *file)
{
	sheet_row(sheet);
	cell_text(sheet, "name", "file", name);
	cell_number(sheet, "calls", "calls", file->time.count);
	cell_number(sheet, "errors", "errors", file->errors);
	cell_bytes(sheet, "read_bytes", "read", file->read);
	cell_bytes(sheet, "written_bytes", "written", file->written);
	add_time(r, sheet, "total_ns", "total", file->time.sum);
	add_mean(r, sheet, "mean_ns", "mean", file->time.sum, file->time.count);
	add_max(r, sheet, "max_ns", "max", file->time.max, file->time.count);
}

/* One row for all files with one name, as the pipes between two processes. */
void trace_files(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	AUTO_FREE struct file *files = mem_zalloc(r->a->nr_files + 1, sizeof(*files));
	struct names names = { 0 };

	for (size_t i = 0; i < r->a->nr_files; i++) {
		const struct file *from = &r->a->files[i];
		AUTO_FREE char *text = file_text(r->a, from->name);
		struct file *file = &files[names_add(&names, text, strlen(text)) - 1];

		spans_merge(&file->time, &from->time);
		file->errors += from->errors;
		file->read += from->read;
		file->written += from->written;
	}
	for (uint32_t i = 0; i < names.nr; i++)
		add_file(r, sheet, names_text(&names, i + 1), &files[i]);
	FILL_NONE(sheet, add_file(r, sheet, "", &files[0]));
	names_free(&names);
}

static void add_direction(const struct trace_report *r, struct sheet *sheet, const char *const *keys, const char *heading,
			  const struct disk_use *use)
{
	cell_number(sheet, keys[0], NULL, use->count);
	cell_bytes(sheet, keys[1], heading, use->bytes);
	add_mean(r, sheet, keys[2], "mean", use->time.sum, use->count);
}

/* Numbers of devices are those of the kernel: 12 bits and 20 bits. */
static void add_disk(const struct trace_report *r, struct sheet *sheet, const struct disk *disk)
{
	static const char *const reads[] = { "reads", "read_bytes", "read_mean_ns" };
	static const char *const writes[] = { "writes", "written_bytes", "write_mean_ns" };

	sheet_row(sheet);
	if (disk->name)
		cell_text(sheet, "name", "disk", names_text(&r->a->names, disk->name));
	else
		cell_format(sheet, "name", "disk", "%u:%u", (unsigned int)(disk->dev >> 20), (unsigned int)(disk->dev & 0xfffff));
	cell_number(sheet, "requests", "requests", disk->time.count);
	add_direction(r, sheet, reads, "read", &disk->uses[DIRECTION_READ]);
	add_direction(r, sheet, writes, "written", &disk->uses[DIRECTION_WRITE]);
	cell_number(sheet, "others", NULL, disk->uses[DIRECTION_OTHER].count);
	add_percentile(r, sheet, "p50_ns", "p50", &disk->time);
	add_percentile(r, sheet, "p99_ns", "p99", &disk->time);
	add_max(r, sheet, "max_ns", "max", disk->time.max, disk->time.count);
	add_mean(r, sheet, "queued_mean_ns", "queued", disk->queued.sum, disk->queued.count);
	cell_number(sheet, "unpaired", NULL, disk->half);
}

void trace_disks(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	static const struct disk none;

	for (size_t i = 0; i < r->a->nr_disks; i++)
		if (r->a->disks[i].time.count || r->a->disks[i].half)
			add_disk(r, sheet, &r->a->disks[i]);
	FILL_NONE(sheet, add_disk(r, sheet, &none));
}

static void add_network(const struct trace_report *r, struct sheet *sheet, const struct interface *interface)
{
	sheet_row(sheet);
	cell_text(sheet, "name", "interface", names_text(&r->a->names, interface->name));
	cell_number(sheet, "packets_in", "in", interface->in);
	cell_bytes(sheet, "bytes_in", "bytes in", interface->in_bytes);
	cell_number(sheet, "packets_out", "out", interface->out);
	cell_bytes(sheet, "bytes_out", "bytes out", interface->out_bytes);
}

void trace_networks(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	static const struct interface none;

	for (size_t i = 0; i < r->a->nr_interfaces; i++)
		if (r->a->interfaces[i].in || r->a->interfaces[i].out)
			add_network(r, sheet, &r->a->interfaces[i]);
	FILL_NONE(sheet, add_network(r, sheet, &none));
}
