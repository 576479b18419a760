// SPDX-License-Identifier: GPL-2.0-or-later
/* convert.c - a copy of a saved trace, for other readers.  See convert.h. */
#include "ctl/trace/saved/convert.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/symbols_file.h"
#include "ctl/trace/saved/saved.h"

struct copy {
	const char *dir;
	char *path;		/* of the file being written; NULL: none yet */
	int fd;			/* that file; -1: none */
	uint64_t lost;		/* in that file, so far */
	struct convert_totals *totals;
};

static bool cannot_write(const struct copy *copy, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: %s: choose another place, or make room there", copy->path, strerror(errno));
}

/* The last errors of a disk come here. */
static bool end_file(struct copy *copy, struct error *err)
{
	const int fd = copy->fd;

	copy->totals->lost += copy->lost;
	copy->lost = 0;
	copy->fd = -1;
	return fd < 0 || close(fd) == 0 || cannot_write(copy, err);
}

static bool begin_file(struct copy *copy, const char *name, struct error *err)
{
	char *path = mem_printf("%s/%s", copy->dir, name);

	if (copy->path && !strcmp(path, copy->path)) {
		free(path);
		return true;
	}
	if (!end_file(copy, err)) {
		free(path);
		return false;
	}
	free(copy->path);
	copy->path = path;
	copy->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return copy->fd >= 0 || cannot_write(copy, err);
}

#define EXPORTING	"exporting"

static bool copy_packet(void *arg, const char *name, const struct kt_packet *packet, size_t bytes, struct error *err)
{
	struct copy *copy = arg;

	if (interrupt_pending())
		return error_set(err, STATUS_FAILURE, "%s: interrupted: nothing was written", copy->dir);
	if (!begin_file(copy, name, err))
		return false;
	if (strcmp(name, SAVE_STATE))
		copy->totals->records += packet->records;
	/* The count of a packet includes those of the packets before it. */
	copy->lost = packet->discarded;
	return save_dir_write(copy->fd, packet, bytes) || cannot_write(copy, err);
}

static bool copy_packets(struct saved *saved, const char *dir, struct convert_totals *totals, struct error *err)
{
	struct copy copy = { .dir = dir, .fd = -1, .totals = totals };
	bool ok = saved_packets(saved, copy_packet, &copy, err);

	ok = end_file(&copy, ok ? err : NULL) && ok;
	free(copy.path);
	return ok;
}

/* It has whole packets only, also where a killed recorder has not. */
static bool describe(const struct saved *saved, const char *dir, const struct trace_form *form, struct error *err)
{
	struct trace_info info = *saved_info(saved);

	info.form = *form;
	info.is_open = false;
	return save_dir_describe(dir, &info, err);
}

static bool copy_all(struct saved *saved, const char *dir, const struct trace_form *form, struct convert_totals *totals,
		     struct error *err)
{
	const struct symbols_source symbols = { .path = saved_symbols(saved) };

	return copy_packets(saved, dir, totals, err) &&
	       (access(symbols.path, F_OK) || symbols_file_put(dir, &symbols, err)) && describe(saved, dir, form, err);
}

static bool write_copy(struct saved *saved, const char *dir, const struct trace_form *form,
		       struct convert_totals *totals, struct error *err)
{
	AUTO_FREE char *lock_name = mem_printf("%s/" SAVE_LOCK, dir);
	char *moved = NULL;
	int lock;
	bool ok;

	if (!save_dir_free(dir, err))
		return false;
	lock = save_dir_create(dir, &moved, err);
	free(moved);
	if (lock < 0)
		return false;
	ok = copy_all(saved, dir, form, totals, err);
	unlink(lock_name);
	close(lock);
	if (ok)
		totals->bytes += save_dir_size(dir);
	else
		save_dir_remove(dir);
	return ok;
}

/* *totals rises. */
static bool copy_trace(const char *from, const char *to, unsigned int ctf_version, const struct saved_progress *progress,
		       struct convert_totals *totals, struct error *err)
{
	const struct trace_form form = { .ctf2 = ctf_version == 2 };
	AUTO_FREE char *dir = save_dir_name(to);
	struct saved *saved = saved_open(from, err);
	bool ok;

	if (!saved)
		return false;
	saved_show(saved, progress);
	ok = write_copy(saved, dir, &form, totals, err);
	saved_close(saved);
	return ok;
}

bool save_convert(const char *from, const char *to, unsigned int ctf_version, struct progress_line *line,
		  struct convert_totals *totals, struct error *err)
{
	const struct saved_progress progress = { line, EXPORTING, 0, 1 };

	*totals = (struct convert_totals){ 0 };
	return copy_trace(from, to, ctf_version, &progress, totals, err);
}

/* ------------------------------------------------------------------------ a series */

/* DIR/0003 for any part 0003. */
static char *copy_name(const char *dir, const char *part)
{
	const char *slash = strrchr(part, '/');

	return mem_printf("%s/%s", dir, slash ? slash + 1 : part);
}

static void remove_parts(char *const *parts, size_t nr, const char *dir)
{
	for (size_t i = 0; i < nr; i++) {
		AUTO_FREE char *name = copy_name(dir, parts[i]);

		save_dir_remove(name);
	}
	rmdir(dir);
}

bool save_convert_series(char *const *parts, size_t nr, const char *to, unsigned int ctf_version,
			 struct progress_line *line, struct convert_totals *totals, struct error *err)
{
	AUTO_FREE char *dir = save_dir_name(to);

	*totals = (struct convert_totals){ 0 };
	if (!save_dir_free(dir, err))
		return false;
	if (mkdir(dir, 0700))
		return error_set(err, STATUS_FAILURE, "%s: %s: choose another place", dir, strerror(errno));
	for (size_t i = 0; i < nr; i++) {
		const struct saved_progress progress = { line, EXPORTING, i, nr };
		AUTO_FREE char *name = copy_name(dir, parts[i]);

		if (!copy_trace(parts[i], name, ctf_version, &progress, totals, err)) {
			remove_parts(parts, i, dir);
			return false;
		}
	}
	return true;
}
