// SPDX-License-Identifier: GPL-2.0-or-later
/* program_find.c - the file that a word means: in PATH, where the loader searches, or in a process.  See program.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/query/program_int.h"

#define DELETED		" (deleted)"
#define LARGEST_CACHE	(64U << 20)

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Does the name of a file agree with a word?  `libc` also means libc.so.6. */
static bool is_called(const char *name, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(name, word, n) && (!name[n] || !strncmp(name + n, ".so", 3));
}

/* --------------------------------------------------------------- candidates */

struct search {
	const char *word;
	struct program_file *out;
	struct debug_error why;		/* why a file of that name is not used */
};

/* Take the file if it is a program of this machine; else remember why not. */
static bool try_open(struct search *search, int fd, const char *path)
{
	struct debug_error err = { .text = "" };
	struct program *program;

	if (fd < 0)
		return false;
	program = program_open_fd(fcntl(fd, F_DUPFD_CLOEXEC, 0), path, search->out->root, &err);
	if (program) {
		program_close(program);
		snprintf(search->out->path, sizeof(search->out->path), "%s", path);
		search->out->fd = fd;
		return true;
	}
	if (!*search->why.text)
		search->why = err;
	close(fd);
	return false;
}

static bool try_path(struct search *search, const char *path)
{
	return try_open(search, program_open_below(search->out->root, path), path);
}

/* -------------------------------------------------------------------- PATH */

static bool is_executable(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH);
}

static bool search_path(struct search *search)
{
	const char *at = getenv("PATH");
	char path[PATH_SIZE];

	for (at = at ? at : "/usr/bin:/bin"; *at; at += strspn(at, ":")) {
		int n = strcspn(at, ":"), fd;

		if (n && snprintf(path, sizeof(path), "%.*s/%s", n, at, search->word) < (int)sizeof(path)) {
			fd = program_open_below(search->out->root, path);
			if (fd >= 0 && is_executable(fd) && try_open(search, fd, path))
				return true;
			if (fd >= 0 && !is_executable(fd))
				close(fd);
		}
		at += n;
	}
	return false;
}

/* --------------------------------------------------------------- libraries */

/*
 * /etc/ld.so.cache in the form of glibc 2.2 and later: "glibc-ld.so.cache" "1.1", the number of libraries, 24 more
 * bytes; then for each its flags, the places of name and path (counted from the start), 12 more bytes.
 */
#define CACHE_MAGIC	"glibc-ld.so.cache1.1"
#define CACHE_HEAD	48
#define CACHE_ROW	24

static const char *cache_text(const uint8_t *cache, size_t len, uint64_t at)
{
	return at < len && memchr(cache + at, '\0', len - at) ? (const char *)cache + at : NULL;
}

/* Called with name and path of a library until it returns true. */
typedef bool library_fn(const char *name, const char *path, void *arg);

static bool walk_rows(const uint8_t *cache, size_t len, library_fn *each, void *arg)
{
	struct cursor c = cursor_at(cache, len, sizeof(CACHE_MAGIC) - 1);
	uint32_t n = cursor_uint(&c, 4);

	c = cursor_at(cache, len, CACHE_HEAD);
	for (uint32_t i = 0; i < n && cursor_left(&c) >= CACHE_ROW; i++) {
		const char *name, *path;

		cursor_take(&c, 4);
		name = cache_text(cache, len, cursor_uint(&c, 4));
		path = cache_text(cache, len, cursor_uint(&c, 4));
		cursor_take(&c, CACHE_ROW - 12);
		if (name && path && *path == '/' && each(name, path, arg))
			return true;
	}
	return false;
}

/* Did `each` return true for one of them? */
static bool walk_cache(const char *root, library_fn *each, void *arg)
{
	int fd = program_open_below(root, "/etc/ld.so.cache");
	uint8_t *cache = NULL, *start;
	struct stat st;
	bool found = false;
	ssize_t n = 0;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= LARGEST_CACHE)
		cache = malloc(st.st_size + 1);
	if (cache)
		n = read(fd, cache, st.st_size);
	/* The older form may stand before it. */
	start = n > 0 ? memmem(cache, n, CACHE_MAGIC, sizeof(CACHE_MAGIC) - 1) : NULL;
	if (start)
		found = walk_rows(start, n - (start - cache), each, arg);
	free(cache);
	if (fd >= 0)
		close(fd);
	return found;
}

static bool try_library(const char *name, const char *path, void *arg)
{
	struct search *search = arg;

	return is_called(name, search->word) && try_path(search, path);
}

/* The highest version comes first: libx.so.10 before libx.so.2, and both before libx.so. */
static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)b, *(char *const *)a);
}

static bool try_names(struct search *search, const char *dir, char **names, size_t n)
{
	char path[PATH_SIZE];
	bool found = false;

	qsort(names, n, sizeof(*names), by_version);
	for (size_t i = 0; i < n; i++) {
		found = found || (snprintf(path, sizeof(path), "%s/%s", dir, names[i]) < (int)sizeof(path) && try_path(search, path));
		free(names[i]);
	}
	return found;
}

static bool search_directory(struct search *search, const char *path)
{
	const int fd = program_open_below(search->out->root, path);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	char **names = NULL;
	size_t n = 0, room = 0;
	bool found = false;

	for (const struct dirent *entry; dir && (entry = readdir(dir));)
		if (is_called(entry->d_name, search->word))
			*ARRAY_ADD(names, n, room) = strdup(entry->d_name);
	if (n)
		found = try_names(search, path, names, n);
	free(names);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return found;
}

/* The directories in which the loader searches where there is no cache, as in some containers. */
static bool search_directories(struct search *search)
{
	static const char *const dirs[] = { "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib" };
	char path[PATH_SIZE];

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		/* Debian's directories for an architecture. */
		snprintf(path, sizeof(path), "%s/%s-linux-gnu", dirs[i], arch_native.machine);
		if (search_directory(search, dirs[i]) || search_directory(search, path))
			return true;
	}
	return false;
}

/* --------------------------------------------------------------- a process */

/* "START-END PERMISSIONS OFFSET DEVICE INODE   PATH" */
bool program_parse_mapping(char *line, struct program_mapping *out)
{
	char permissions[5];
	size_t n, m = strlen(DELETED);
	int at = 0;

	*out = (struct program_mapping){ 0 };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %n", &out->start, &out->end, permissions,
		   &out->offset, &out->inode, &at) < 5 || !at)
		return false;
	line[strcspn(line, "\n")] = '\0';
	out->is_code = permissions[2] == 'x';
	out->path = line[at] == '/' ? line + at : NULL;
	n = strlen(line + at);
	out->is_deleted = out->path && n > m && !strcmp(line + at + n - m, DELETED);
	if (out->is_deleted)
		out->path[n - m] = '\0';
	return true;
}

FILE *program_maps(int pid, struct debug_error *err)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "re");
	if (!file && (errno == ENOENT || errno == ESRCH))
		debug_fail(err, "there is no process %d", pid);
	else if (!file)
		debug_fail(err, "the mappings of process %d cannot be read: %s", pid, strerror(errno));
	return file;
}

/* The executable of a process: this needs fewer rights than its other files. */
static int open_executable(int pid, const char *mapped)
{
	char path[64], target[PATH_SIZE];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = '\0';
	return strncmp(target, mapped, strlen(mapped)) || strcmp(target + strlen(mapped), DELETED) ? -1 :
	       open(path, O_RDONLY | O_CLOEXEC);
}

/* The file itself, also where its name now leads elsewhere or nowhere. */
static bool try_mapping(struct search *search, int pid, const struct program_mapping *mapping)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, mapping->start, mapping->end);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		fd = mapping->is_deleted ? open_executable(pid, mapping->path) :
		     program_open_below(search->out->root, mapping->path);
	search->out->is_deleted = mapping->is_deleted;
	return try_open(search, fd, mapping->path);
}

static bool is_meant(const char *path, const char *word)
{
	return strchr(word, '/') ? !strcmp(path, word) : is_called(base_of(path), word);
}

static bool search_mapped(struct search *search, int pid, FILE *maps)
{
	struct program_mapping mapping;
	bool found = false;
	char *line = NULL;
	size_t room = 0;

	while (!found && getline(&line, &room, maps) > 0)
		found = program_parse_mapping(line, &mapping) && mapping.is_code && mapping.path &&
			is_meant(mapping.path, search->word) && try_mapping(search, pid, &mapping);
	if (!found)
		search->out->is_deleted = false;
	free(line);
	return found;
}

static bool was_told(char **told, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(told[i], path))
			return true;
	return false;
}

bool program_each_mapped(int pid, void (*each)(const char *path, bool is_deleted, void *arg), void *arg,
			 struct debug_error *err)
{
	FILE *maps = program_maps(pid, err);
	char **told = NULL, *line = NULL;
	size_t n = 0, told_room = 0, room = 0;
	struct program_mapping mapping;

	if (!maps)
		return false;
	while (getline(&line, &room, maps) > 0) {
		if (!program_parse_mapping(line, &mapping) || !mapping.is_code || !mapping.path || was_told(told, n, mapping.path))
			continue;
		each(mapping.path, mapping.is_deleted, arg);
		*ARRAY_ADD(told, n, told_room) = strdup(mapping.path);
	}
	while (n)
		free(told[--n]);
	free(told);
	free(line);
	fclose(maps);
	return true;
}

/* --------------------------------------------------------------------- find */

static bool search_everywhere(struct search *search)
{
	char path[PATH_SIZE];

	if (!strchr(search->word, '/'))
		return search_path(search) || walk_cache(search->out->root, try_library, search) ||
		       search_directories(search);
	/* Below a root, the directory of this process has no meaning. */
	if (*search->out->root || !realpath(search->word, path))
		return try_path(search, search->word);
	return try_path(search, path);
}

static bool not_found(const struct search *search, int pid, struct debug_error *err)
{
	if (*search->why.text)
		return debug_fail(err, "%s", search->why.text);
	if (strchr(search->word, '/'))
		return debug_fail(err, "%s%s: %s: give an executable or a shared library", search->out->root, search->word,
				  strerror(errno));
	if (pid)
		return debug_fail(err, "process %d has no '%s' mapped, and below its root no program in PATH and no library of the loader has that name: give a path",
				  pid, search->word);
	return debug_fail(err, "no program in PATH and no library of the loader is called '%s': give a path", search->word);
}

bool program_find(const char *word, int pid, struct program_file *out, struct debug_error *err)
{
	struct search search = { .word = word, .out = out };
	char path[PATH_SIZE];
	bool found;
	FILE *maps;

	*out = (struct program_file){ .fd = -1 };
	if (!*word)
		return debug_fail(err, "no program is named: give a path, or the name of a program or library");
	/* Mappings have absolute paths. */
	if (pid && *word != '/' && strchr(word, '/') && realpath(word, path))
		search.word = path;
	if (pid) {
		maps = program_maps(pid, err);
		if (!maps)
			return false;
		snprintf(out->root, sizeof(out->root), "/proc/%d/root", pid);
		found = search_mapped(&search, pid, maps);
		fclose(maps);
		if (found)
			return true;
	}
	return search_everywhere(&search) || not_found(&search, pid, err);
}

struct program *program_open_word(const char *word, int pid, struct debug_error *err)
{
	struct program_file file;

	if (!program_find(word, pid, &file, err))
		return NULL;
	return program_open_fd(file.fd, file.path, file.root, err);
}

/* --------------------------------------------------------------- completion */

struct completion {
	const char *prefix;
	void (*each)(const char *name, void *arg);
	void *arg;
};

static bool offer_name(const struct completion *c, const char *name)
{
	if (!strncmp(name, c->prefix, strlen(c->prefix)))
		c->each(name, c->arg);
	return false;
}

static bool offer_library(const char *name, const char *path, void *arg)
{
	return offer_name(arg, name);
}

static void offer_mapped(const char *path, bool is_deleted, void *arg)
{
	offer_name(arg, base_of(path));
}

bool program_is_elf(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char head[4] = "";
	bool is = fd >= 0 && read(fd, head, sizeof(head)) == sizeof(head) && !memcmp(head, "\177ELF", sizeof(head));

	if (fd >= 0)
		close(fd);
	return is;
}

static void offer_directory(const struct completion *c, const char *dir)
{
	DIR *names = opendir(dir);
	const struct dirent *entry;

	while (names && (entry = readdir(names)))
		if (*entry->d_name != '.' && !strncmp(entry->d_name, c->prefix, strlen(c->prefix)) &&
		    program_is_elf(dirfd(names), entry->d_name))
			c->each(entry->d_name, c->arg);
	if (names)
		closedir(names);
}

void program_complete(const char *prefix, int pid, void (*each)(const char *name, void *arg), void *arg)
{
	struct completion c = { prefix, each, arg };
	const char *at = getenv("PATH");
	char dir[PATH_SIZE];

	if (pid) {
		program_each_mapped(pid, offer_mapped, &c, NULL);
		return;
	}
	for (at = at ? at : ""; *at; at += strspn(at, ":")) {
		int n = strcspn(at, ":");

		snprintf(dir, sizeof(dir), "%.*s", n, at);
		offer_directory(&c, dir);
		at += n;
	}
	walk_cache("", offer_library, &c);
}
