// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_devices.c - files, disks and networks of a recording as tables.  See trace_report.h. */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/show/report/trace_cells.h"

const struct sheet_column file_columns[FILE_COLUMNS] = {
	{ "name", "file", CELL_TEXT }, { "calls", "calls", CELL_NUMBER }, { "errors", "errors", CELL_NUMBER },
	{ "read_bytes", "read", CELL_BYTES }, { "written_bytes", "written", CELL_BYTES },
	{ "total_ns", "total", CELL_TIME }, { "mean_ns", "mean", CELL_TIME }, { "max_ns", "max", CELL_TIME },
};

static void add_file(const struct trace_report *r, struct sheet *sheet, const char *name, const struct file *file)
{
	sheet_format(sheet, "%s", name);
	sheet_number(sheet, file->time.count);
	sheet_number(sheet, file->errors);
	sheet_number(sheet, file->read);
	sheet_number(sheet, file->written);
	sheet_number(sheet, ns_of(r, file->time.sum));
	add_mean(r, sheet, file->time.sum, file->time.count);
	add_max(r, sheet, &file->time);
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
	names_free(&names);
}

const struct sheet_column disk_columns[DISK_COLUMNS] = {
	{ "name", "disk", CELL_TEXT }, { "requests", "requests", CELL_NUMBER }, { "reads", NULL, CELL_NUMBER },
	{ "read_bytes", "read", CELL_BYTES }, { "read_mean_ns", "mean", CELL_TIME }, { "writes", NULL, CELL_NUMBER },
	{ "written_bytes", "written", CELL_BYTES }, { "write_mean_ns", "mean", CELL_TIME },
	{ "others", NULL, CELL_NUMBER }, { "p50_ns", "p50", CELL_TIME }, { "p99_ns", "p99", CELL_TIME }, { "max_ns", "max", CELL_TIME },
	{ "queued_mean_ns", "queued", CELL_TIME }, { "unpaired", NULL, CELL_NUMBER },
};

static void add_direction(const struct trace_report *r, struct sheet *sheet, const struct disk_use *use)
{
	sheet_number(sheet, use->count);
	sheet_number(sheet, use->bytes);
	add_mean(r, sheet, use->time.sum, use->count);
}

/* Numbers of devices are those of the kernel: 12 bits and 20 bits. */
void trace_disks(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	for (size_t i = 0; i < r->a->nr_disks; i++) {
		const struct disk *disk = &r->a->disks[i];

		if (!disk->time.count && !disk->half)
			continue;
		if (disk->name)
			sheet_text(sheet, names_text(&r->a->names, disk->name));
		else
			sheet_format(sheet, "%u:%u", (unsigned int)(disk->dev >> 20),
				     (unsigned int)(disk->dev & 0xfffff));
		sheet_number(sheet, disk->time.count);
		add_direction(r, sheet, &disk->uses[DIRECTION_READ]);
		add_direction(r, sheet, &disk->uses[DIRECTION_WRITE]);
		sheet_number(sheet, disk->uses[DIRECTION_OTHER].count);
		add_percentile(r, sheet, &disk->time, "p50");
		add_percentile(r, sheet, &disk->time, "p99");
		add_if(sheet, disk->time.count, ns_of(r, disk->time.max));
		add_mean(r, sheet, disk->queued.sum, disk->queued.count);
		sheet_number(sheet, disk->half);
	}
}

const struct sheet_column network_columns[NETWORK_COLUMNS] = {
	{ "name", "interface", CELL_TEXT }, { "packets_in", "in", CELL_NUMBER }, { "bytes_in", "bytes in", CELL_BYTES },
	{ "packets_out", "out", CELL_NUMBER }, { "bytes_out", "bytes out", CELL_BYTES },
};

void trace_networks(const struct trace_report *r, struct sheet *sheet, enum report_by by)
{
	for (size_t i = 0; i < r->a->nr_interfaces; i++) {
		const struct interface *interface = &r->a->interfaces[i];

		if (!interface->in && !interface->out)
			continue;
		sheet_text(sheet, names_text(&r->a->names, interface->name));
		sheet_number(sheet, interface->in);
		sheet_number(sheet, interface->in_bytes);
		sheet_number(sheet, interface->out);
		sheet_number(sheet, interface->out_bytes);
	}
}
