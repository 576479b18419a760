// SPDX-License-Identifier: GPL-2.0-or-later
/* series.c - a directory of saved traces that follow one another.  See series.h. */
#include "ctl/trace/saved/series.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/trace/saved/save_dir.h"

struct part {
	unsigned int number;
	uint64_t size;			/* of all its files */
	struct disk_totals totals;
};

struct series {
	char *dir;
	struct part *parts;		/* complete ones, by number, also those that were removed */
	size_t nr, first;		/* parts before `first` were removed */
	unsigned int named;		/* number of the newest part */
	char *newest;
};

static char *part_dir(const struct series *series, unsigned int number)
{
	return mem_printf("%s/%04u", series->dir, number);
}

struct series *series_create(const char *dir, struct error *err)
{
	struct series *series = mem_zalloc(1, sizeof(*series));

	series->dir = save_dir_name(dir);
	if (save_dir_free(series->dir, err)) {
		if (mkdir(series->dir, 0700) == 0)
			return series;
		error_set(err, STATUS_FAILURE, "%s: %s: choose another place", series->dir, strerror(errno));
	}
	free(series->dir);
	free(series);
	return NULL;
}

void series_free(struct series *series)
{
	if (!series)
		return;
	rmdir(series->dir);
	free(series->parts);
	free(series->newest);
	free(series->dir);
	free(series);
}

char *series_next(struct series *series)
{
	return part_dir(series, ++series->named);
}

void series_undo(struct series *series)
{
	series->named--;
}

void series_add(struct series *series, const struct disk_totals *totals)
{
	const unsigned int number = series->nr ? series->parts[series->nr - 1].number + 1 : 1;

	series->parts = MEM_MORE(series->parts, series->nr);
	free(series->newest);
	series->newest = part_dir(series, number);
	series->parts[series->nr++] = (struct part){ number, save_dir_size(series->newest), *totals };
}

bool series_shrink(struct series *series, uint64_t growing, uint64_t most)
{
	uint64_t sum = growing;

	for (size_t i = series->first; i < series->nr; i++)
		sum += series->parts[i].size;
	for (; sum > most && series->first < series->nr; series->first++) {
		AUTO_FREE char *dir = part_dir(series, series->parts[series->first].number);

		save_dir_remove(dir);
		sum -= series->parts[series->first].size;
	}
	return sum <= most;
}

char *series_newest(const char *dir)
{
	DIR *at = opendir(dir);
	struct dirent *entry;
	unsigned long newest = 0;

	while (at && (entry = readdir(at))) {
		const char *name = entry->d_name;
		const unsigned long number = strspn(name, "0123456789") == strlen(name) ? strtoul(name, NULL, 10) : 0;

		newest = number > newest ? number : newest;
	}
	if (at)
		closedir(at);
	return newest ? mem_printf("%s/%04lu", dir, newest) : NULL;
}

struct series_totals series_totals(const struct series *series)
{
	struct series_totals totals = {
		.parts = series->nr - series->first, .removed = series->first, .number = series->named,
		.newest = series->newest,
	};

	for (size_t i = series->first; i < series->nr; i++) {
		totals.records += series->parts[i].totals.records;
		totals.lost += series->parts[i].totals.lost;
		totals.bytes += series->parts[i].totals.bytes;
		totals.braked += series->parts[i].totals.braked;
		if (series->parts[i].totals.off > totals.off)
			totals.off = series->parts[i].totals.off;
	}
	return totals;
}
