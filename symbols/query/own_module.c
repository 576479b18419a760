// SPDX-License-Identifier: GPL-2.0-or-later
/* own_module.c - see own_module.h. */
#include "symbols/query/own_module.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE	1024
#define MAX_FILES	256	/* files examined in a directory */

/* ------------------------------------------------------------------- names */

static void cut_suffix(char *name, const char *suffix)
{
	const size_t n = strlen(name), m = strlen(suffix);

	if (n > m && !strcmp(name + n - m, suffix))
		name[n - m] = '\0';
}

bool own_module_is_named(const char *path, const char *module)
{
	static const char *const suffixes[] = { ".xz", ".zst", ".gz", ".debug", ".ko" };
	const char *slash = strrchr(path, '/');
	char name[256];

	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		cut_suffix(name, suffixes[i]);
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return !strcmp(name, module);
}

static bool ends_with(const char *name, const char *suffix)
{
	const size_t n = strlen(name), m = strlen(suffix);

	return n > m && !strcmp(name + n - m, suffix);
}

/* ------------------------------------------------------------------- trust */

bool own_module_trusts(unsigned int uid, unsigned int user, const char *sudo)
{
	char *end;
	unsigned long behind;

	if (!uid || uid == user)
		return true;
	/* SUDO_UID is reliable only in root's environment. */
	if (user || !sudo || !*sudo)
		return false;
	behind = strtoul(sudo, &end, 10);
	return !*end && behind == uid;
}

/* Check the open file, so that it cannot be exchanged afterwards.  -1: err is set. */
static int open_trusted(const char *path, struct debug_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		debug_fail(err, "%s: %s: give the file of the module with its debug information", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		debug_fail(err, "%s is no regular file and not used: give the file of the module", path);
	else if (!own_module_trusts(st.st_uid, geteuid(), getenv("SUDO_UID")))
		debug_fail(err, "%s belongs to user %u and is not used: only your files and root's are: copy it",
			   path, (unsigned int)st.st_uid);
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* ------------------------------------------------------------------- files */

static bool accept(const struct debug_wish *wish, const struct image *image, struct debug_error *err)
{
	char have[2 * BUILD_ID_MAX + 1], want[2 * BUILD_ID_MAX + 1];

	if (!wish->id.len)
		return debug_fail(err, "%s is not used, as the loaded module %s has no build id to compare with: build it with one (ld --build-id)",
				  image->path, wish->module);
	if (!build_id_equal(&wish->id, &image->id))
		return debug_fail(err, "%s belongs to another build (build id %.12s..., the loaded module has %.12s...) and is not used: load this file, or give the file that was loaded",
				  image->path, image->id.len ? build_id_text(&image->id, have) : "none",
				  build_id_text(&wish->id, want));
	return image_has_dwarf(image) ||
	       debug_fail(err, "%s has no debug information: build the module with it (CONFIG_DEBUG_INFO, or KCFLAGS=-g), and load that one",
			  image->path);
}

/* Report the obstacle only for a file with the name of the module. */
static struct image *try_file(const struct debug_wish *wish, const char *path, struct debug_error *err)
{
	struct debug_error why;
	const int fd = open_trusted(path, &why);
	struct image *image = fd >= 0 ? image_open_fd(fd, path, &why) : NULL;

	if (image && accept(wish, image, &why))
		return image;
	image_close(image);
	if (own_module_is_named(path, wish->module))
		*err = why;
	return NULL;
}

struct image *own_module_named(const struct debug_wish *wish, struct debug_error *err)
{
	struct image *image = NULL;

	for (size_t i = 0; !image && i < wish->nr_modules; i++)
		image = try_file(wish, wish->modules[i], err);
	return image;
}

struct image *own_module_in(const struct debug_wish *wish, const char *directory, struct debug_error *err)
{
	DIR *dir = opendir(directory);
	struct image *image = NULL;
	struct dirent *entry;
	char path[PATH_SIZE];
	int n = 0;

	while (dir && !image && n < MAX_FILES && (entry = readdir(dir))) {
		if (!ends_with(entry->d_name, ".ko") && !ends_with(entry->d_name, ".ko.debug"))
			continue;
		n++;
		if (snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) < (int)sizeof(path))
			image = try_file(wish, path, err);
	}
	if (dir)
		closedir(dir);
	return image;
}
