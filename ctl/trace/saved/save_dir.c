// SPDX-License-Identifier: GPL-2.0-or-later
/* save_dir.c - the directory of a saved trace.  See save_dir.h. */
#include "ctl/trace/saved/save_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/trace/ctf/ctf.h"
#include "ctl/trace/ctf/trace_info.h"

static bool cannot(const char *path, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: %s: choose another place, or make room there",
			 path, strerror(errno));
}

char *save_dir_name(const char *dir)
{
	size_t len = strlen(dir);

	while (len > 1 && dir[len - 1] == '/')
		len--;
	return mem_strndup(dir, len);
}

/* ------------------------------------------------------------------- looking */

static bool is_ours(const char *dir)
{
	AUTO_FREE char *path = mem_printf("%s/" SAVE_INFO, dir);

	return access(path, F_OK) == 0;
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Also true if the directory cannot be read. */
static bool has_entries(const char *dir)
{
	DIR *at = opendir(dir);
	struct dirent *entry;
	bool any = !at;

	while (!any && (entry = readdir(at)))
		any = !is_dots(entry->d_name);
	if (at)
		closedir(at);
	return any;
}

bool save_dir_usable(const char *dir, struct error *err)
{
	struct stat st;

	if (!*dir)
		return error_set(err, STATUS_USAGE, "the directory has no name: give one");
	if (lstat(dir, &st))
		return errno == ENOENT || cannot(dir, err);
	if (!S_ISDIR(st.st_mode))
		return error_set(err, STATUS_FAILURE,
				 "%s: exists, but is not a directory: choose another name",
				 dir);
	return is_ours(dir) || !has_entries(dir) ||
	       error_set(err, STATUS_FAILURE,
			 "%s: the directory is neither empty nor a saved trace: choose another name",
			 dir);
}

/* -------------------------------------------------------- making and removing */

bool save_dir_free(const char *dir, struct error *err)
{
	if (rmdir(dir) == 0 || errno == ENOENT)
		return true;
	if (errno == ENOTEMPTY || errno == EEXIST)
		return error_set(err, STATUS_FAILURE, "%s: exists, and is not empty: choose another name, or remove it", dir);
	return error_set(err, STATUS_FAILURE, "%s: %s: choose another name", dir, strerror(errno));
}

static bool is_written(const char *dir, int lock, struct error *err)
{
	char pid[16] = "";

	if (pread(lock, pid, sizeof(pid) - 1, 0) < 0 || !*pid)
		return error_set(err, STATUS_FAILURE, "%s: another ktrace is writing there: wait until it ends, or choose another name", dir);
	return error_set(err, STATUS_FAILURE, "%s: process %.*s is writing there: wait until it ends, or choose another name",
			 dir, (int)strcspn(pid, "\n"), pid);
}

/* The kernel releases the lock when its process ends, in whatever way. */
static int take_lock(const char *dir, struct error *err)
{
	AUTO_FREE char *path = mem_printf("%s/" SAVE_LOCK, dir);
	int lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (lock < 0) {
		cannot(path, err);
		return -1;
	}
	if (flock(lock, LOCK_EX | LOCK_NB) == 0 && ftruncate(lock, 0) == 0 && dprintf(lock, "%d\n", getpid()) > 0)
		return lock;
	if (errno == EWOULDBLOCK)
		is_written(dir, lock, err);
	else
		cannot(path, err);
	close(lock);
	return -1;
}

/* Rename the directory to the first free name. */
static bool move_away(const char *dir, char **moved, struct error *err)
{
	for (unsigned int i = 1;; i++) {
		*moved = mem_printf("%s.killed.%u", dir, i);
		if (renameat2(AT_FDCWD, dir, AT_FDCWD, *moved, RENAME_NOREPLACE) == 0)
			return true;
		free(*moved);
		*moved = NULL;
		if (errno != EEXIST)
			return cannot(dir, err);
	}
}

static bool is_own_directory(const char *dir, struct error *err)
{
	struct stat st;

	if (lstat(dir, &st))
		return cannot(dir, err);
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid())
		return true;
	return error_set(err, STATUS_FAILURE, "%s: exists, but is not a directory of yours: choose another name", dir);
}

/* Remove the directory that is in the way, unless another process writes there. */
static bool clear_away(const char *dir, char **moved, struct error *err)
{
	AUTO_FREE char *own = mem_printf("%s/ktrace", dir);
	int lock;
	bool ok = true;

	if (rmdir(dir) == 0)
		return true;
	if (!is_own_directory(dir, err))
		return false;
	if (access(own, F_OK))
		return error_set(err, STATUS_FAILURE, "%s: exists, but is not a saved trace: choose another name", dir);
	lock = take_lock(dir, err);
	if (lock < 0)
		return false;
	/* It may be the only copy of its records: they may have been cleared. */
	if (is_ours(dir))
		ok = move_away(dir, moved, err);
	else
		save_dir_remove(dir);
	close(lock);
	return ok;
}

int save_dir_create(const char *dir, char **moved, struct error *err)
{
	AUTO_FREE char *own = mem_printf("%s/ktrace", dir);
	int lock = -1;

	*moved = NULL;
	if (mkdir(dir, 0700)) {
		if (errno != EEXIST) {
			cannot(dir, err);
			return -1;
		}
		if (!clear_away(dir, moved, err))
			return -1;
		if (mkdir(dir, 0700)) {
			cannot(dir, err);
			return -1;
		}
	}
	if (mkdir(own, 0700))
		cannot(own, err);
	else
		lock = take_lock(dir, err);
	if (lock < 0) {
		rmdir(own);
		rmdir(dir);
	}
	return lock;
}

static bool is_cpu_file(const char *name)
{
	return !strncmp(name, "cpu", 3) && name[3] && !name[3 + strspn(name + 3, "0123456789.")];
}

/* All names but those of CPUs. */
static const char *const names[] = {
	SAVE_METADATA, SAVE_STATE, SAVE_INFO, SAVE_DESCRIPTORS, SAVE_SYMBOLS, SAVE_LOCK, ".ktrace-new",
};

void save_dir_remove(const char *dir)
{
	DIR *at = opendir(dir);
	struct dirent *entry;

	if (!at)
		return;
	while ((entry = readdir(at)))
		if (is_cpu_file(entry->d_name))
			unlinkat(dirfd(at), entry->d_name, 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unlinkat(dirfd(at), names[i], 0);
	unlinkat(dirfd(at), "ktrace", AT_REMOVEDIR);
	closedir(at);
	rmdir(dir);
}

static uint64_t size_of(DIR *at, const char *name)
{
	struct stat st;

	return fstatat(dirfd(at), name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_size : 0;
}

uint64_t save_dir_size(const char *dir)
{
	DIR *at = opendir(dir);
	struct dirent *entry;
	uint64_t sum = 0;

	if (!at)
		return 0;
	while ((entry = readdir(at)))
		if (is_cpu_file(entry->d_name))
			sum += size_of(at, entry->d_name);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		sum += size_of(at, names[i]);
	closedir(at);
	return sum;
}

/* --------------------------------------------------------------------- files */

bool save_dir_write(int fd, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len) {
		const ssize_t n = write(fd, at, len);

		if (n < 0 && errno != EINTR)
			return false;
		at += n > 0 ? n : 0;
		len -= n > 0 ? n : 0;
	}
	return true;
}

static bool put_final(const char *dir, const char *name, FILE *file, const char *temp,
		      struct error *err)
{
	AUTO_FREE char *path = mem_printf("%s/%s", dir, name);
	/* In this order: fclose() reports the last write errors. */
	const bool bad = ferror(file) != 0, closed = fclose(file) == 0;

	if (!bad && closed && rename(temp, path) == 0)
		return true;
	cannot(path, err);
	unlink(temp);
	return false;
}

/* A hidden name: CTF readers take every other file for packets. */
static FILE *open_temp(const char *dir, char **temp, struct error *err)
{
	FILE *file;

	*temp = mem_printf("%s/.ktrace-new", dir);
	file = fopen(*temp, "we");
	if (!file)
		cannot(*temp, err);
	else
		fchmod(fileno(file), 0600);
	return file;
}

bool save_dir_put(const char *dir, const char *name, void (*write)(const void *arg, FILE *out),
		  const void *arg, struct error *err)
{
	AUTO_FREE char *temp = NULL;
	FILE *file = open_temp(dir, &temp, err);

	if (!file)
		return false;
	write(arg, file);
	return put_final(dir, name, file, temp, err);
}

static void write_info(const void *info, FILE *out)
{
	trace_info_write(info, out);
}

static void write_metadata(const void *arg, FILE *out)
{
	const struct trace_info *info = arg;

	if (info->form.ctf2)
		ctf2_metadata(info, out);
	else
		ctf_metadata(info, out);
}

static void write_descriptors(const void *info, FILE *out)
{
	descriptors_write(info, out);
}

/* Descriptors are only added.  A reader takes as many of the file as SAVE_INFO says. */
static bool put_descriptors(const char *dir, struct trace_info *info, struct error *err)
{
	if (info->nr_written == info->nr_events)
		return true;
	if (!save_dir_put(dir, SAVE_DESCRIPTORS, write_descriptors, info, err))
		return false;
	info->nr_written = info->nr_events;
	return true;
}

bool save_dir_describe(const char *dir, struct trace_info *info, struct error *err)
{
	return put_descriptors(dir, info, err) && save_dir_put(dir, SAVE_INFO, write_info, info, err) &&
	       save_dir_put(dir, SAVE_METADATA, write_metadata, info, err);
}

bool save_dir_replace(const char *dir, const char *part, struct error *err)
{
	AUTO_FREE char *lock = mem_printf("%s/" SAVE_LOCK, dir);

	/* Rename to a free name, or over an empty directory. */
	if (rename(part, dir) == 0) {
		unlink(lock);
		return true;
	}
	if (!is_ours(dir) || renameat2(AT_FDCWD, part, AT_FDCWD, dir, RENAME_EXCHANGE))
		return error_set(err, STATUS_FAILURE, "%s: %s: the trace is in %s", dir,
				 strerror(errno), part);
	/* After the exchange the old trace has the name of the new one. */
	unlink(lock);
	save_dir_remove(part);
	return true;
}
