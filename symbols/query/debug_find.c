// SPDX-License-Identifier: GPL-2.0-or-later
/* debug_find.c - try the candidates for debug information one by one.  See debug_find.h. */
#include "symbols/query/debug_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/query/debug_server.h"
#include "symbols/query/distro.h"
#include "symbols/query/own_module.h"

#define PATH_SIZE	1024

/*
 * %r is the release, %b the build id as aa/bbbb, %m the path of a module below /lib/modules/RELEASE without the
 * suffix of its compression.
 */
static const char *const kernel_patterns[] = {
	"/usr/lib/debug/boot/vmlinux-%r",		/* Debian, Ubuntu */
	"/usr/lib/debug/vmlinux-%r",
	"/usr/lib/debug/lib/modules/%r/vmlinux",	/* Fedora and its kin */
	"/usr/lib/debug/usr/lib/modules/%r/vmlinux",
	"/usr/lib/debug/boot/vmlinux-%r.debug",		/* SUSE */
	"/usr/lib/debug/usr/lib/modules/%r/vmlinux.debug",
	"/usr/lib/debug/.build-id/%b.debug",
	"/lib/modules/%r/build/vmlinux",		/* built here; Arch */
	"/lib/modules/%r/vmlinux",
	"/boot/vmlinux-%r",
	NULL,
};

static const char *const module_patterns[] = {
	"/usr/lib/debug/lib/modules/%r/%m",
	"/usr/lib/debug/lib/modules/%r/%m.debug",
	"/usr/lib/debug/usr/lib/modules/%r/%m",
	"/usr/lib/debug/usr/lib/modules/%r/%m.debug",
	"/usr/lib/debug/.build-id/%b.debug",
	"/lib/modules/%r/%m",
	NULL,
};

static const char *const program_patterns[] = {
	"/usr/lib/debug/.build-id/%b.debug",
	NULL,
};

static const char *const packings[] = { "", ".xz", ".zst", ".gz" };

struct search {
	const struct debug_wish *wish;
	const char *root;
	char module_path[PATH_SIZE];	/* below /lib/modules/RELEASE, with its suffix; "": unknown */
	struct image *found;
	struct debug_error why;		/* about the best candidate that was refused */
	bool any;			/* why is set */
	struct debug_error not_asked;	/* why the servers were not asked; "": they were, or there are none */
};

/* ------------------------------------------------------------------- check */

static bool is_of_this_build(const struct debug_wish *wish, const struct image *image, struct debug_error *err)
{
	char have[2 * BUILD_ID_MAX + 1], want[2 * BUILD_ID_MAX + 1];

	if (!wish->id.len || build_id_equal(&wish->id, &image->id))
		return true;
	return debug_fail(err, "%s belongs to another build (build id %.12s..., needed is %.12s...) and is not used: install the one of this %s",
			  image->path, image->id.len ? build_id_text(&image->id, have) : "none",
			  build_id_text(&wish->id, want), wish->program ? "program" : wish->module ? "module" : "kernel");
}

static bool accept(const struct debug_wish *wish, const struct image *image, struct debug_error *err)
{
	if (!wish->only_symbols && !image_has_dwarf(image))
		return debug_fail(err, "%s has no debug information: was it stripped?%s", image->path,
				  wish->module ? " Give the file that has it: ktrace --module FILE" : "");
	return is_of_this_build(wish, image, err);
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool try_file(struct search *search, const char *path)
{
	struct debug_error err;

	if (!is_file(path))
		return false;
	search->found = search->wish->only_symbols ? image_open_symbols(path, &err) : image_open(path, &err);
	if (search->found && accept(search->wish, search->found, &err))
		return true;
	image_close(search->found);
	search->found = NULL;
	/* Report the first candidate, which is the most likely one. */
	if (!search->any)
		search->why = err;
	search->any = true;
	return false;
}

/* ------------------------------------------------------------------ places */

static const char *id_path(const struct build_id *id, char buf[2 * BUILD_ID_MAX + 2])
{
	char text[2 * BUILD_ID_MAX + 1];

	snprintf(buf, 2 * BUILD_ID_MAX + 2, "%.2s/%s", build_id_text(id, text), text + 2);
	return buf;
}

/* False: the place does not apply. */
static bool expand(const struct search *search, const char *pattern, char *out, size_t size)
{
	const struct debug_wish *wish = search->wish;
	char id[2 * BUILD_ID_MAX + 2];
	size_t n = snprintf(out, size, "%s", search->root);

	for (; *pattern && n < size; pattern++) {
		const char *what = NULL;

		if (*pattern != '%') {
			n += snprintf(out + n, size - n, "%c", *pattern);
			continue;
		}
		pattern++;
		if (*pattern == 'r')
			what = wish->release;
		else if (*pattern == 'b')
			what = wish->id.len > 1 ? id_path(&wish->id, id) : NULL;
		else
			what = *search->module_path ? search->module_path : NULL;
		if (!what)
			return false;
		n += snprintf(out + n, size - n, "%s", what);
	}
	return n < size;
}

static bool try_pattern(struct search *search, const char *pattern)
{
	char path[PATH_SIZE];
	size_t n;

	if (!expand(search, pattern, path, sizeof(path)))
		return false;
	n = strlen(path);
	for (size_t i = 0; i < sizeof(packings) / sizeof(packings[0]); i++) {
		snprintf(path + n, sizeof(path) - n, "%s", packings[i]);
		if (try_file(search, path))
			return true;
	}
	return false;
}

static bool try_patterns(struct search *search, const char *const *patterns)
{
	for (; *patterns; patterns++)
		if (try_pattern(search, *patterns))
			return true;
	return false;
}

/* ----------------------------------------------------------------- modules */

static void cut_suffix(char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	if (m && n > m && !strcmp(name + n - m, suffix))
		name[n - m] = '\0';
}

static void cut_packing(char *path)
{
	for (size_t i = 1; i < sizeof(packings) / sizeof(packings[0]); i++)
		cut_suffix(path, packings[i]);
}

/* modules.dep has a line for each module: "kernel/fs/ext4/ext4.ko: ..." */
static void find_module(const char *root, const char *release, const char *module, char out[PATH_SIZE])
{
	char path[PATH_SIZE], *line = NULL;
	size_t room = 0;
	FILE *file;

	*out = '\0';
	snprintf(path, sizeof(path), "%s/lib/modules/%s/modules.dep", root, release);
	file = fopen(path, "re");
	while (file && !*out && getline(&line, &room, file) > 0) {
		line[strcspn(line, ":\n")] = '\0';
		if (own_module_is_named(line, module))
			snprintf(out, PATH_SIZE, "%s", line);
	}
	free(line);
	if (file)
		fclose(file);
}

/*
 * .gnu_debuglink names a file: search it beside the module or program, in .debug/ there, and below /usr/lib/debug.
 * Without a build id the checksum tells whether it belongs to this build.
 */
static bool try_link_of(struct search *search, const struct image *module, const char *dir)
{
	uint32_t crc;
	const char *link = image_debuglink(module, &crc);
	char path[PATH_SIZE], pattern[PATH_SIZE];
	static const char *const patterns[] = { "%s/%s", "%s/.debug/%s", "/usr/lib/debug%s/%s" };

	if (!link)
		return false;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(pattern, sizeof(pattern), patterns[i], dir, link);
#pragma GCC diagnostic pop
		if (snprintf(path, sizeof(path), "%s%s", search->root, pattern) < (int)sizeof(path) &&
		    (search->wish->id.len || (is_file(path) && image_crc_of_file(path, crc))) &&
		    try_file(search, path))
			return true;
	}
	return false;
}

static bool try_link(struct search *search)
{
	char path[PATH_SIZE], *slash;
	struct image *module;
	bool ok;

	if (!*search->module_path ||
	    snprintf(path, sizeof(path), "%s/lib/modules/%s/%s", search->root, search->wish->release,
		     search->module_path) >= (int)sizeof(path))
		return false;
	module = image_open(path, NULL);
	if (!module)
		return false;
	slash = strrchr(path, '/');
	*slash = '\0';
	ok = try_link_of(search, module, path + strlen(search->root));
	image_close(module);
	return ok;
}

/* Named files come first, files in the directory last. */
static bool try_own(struct search *search, bool is_named)
{
	const struct debug_wish *wish = search->wish;
	struct debug_error err = { .text = "" };

	search->found = is_named ? own_module_named(wish, &err) :
				   own_module_in(wish, wish->directory ? wish->directory : ".", &err);
	if (*err.text && (is_named || !search->any)) {
		search->why = err;
		search->any = true;
	}
	return search->found;
}

static bool find_for_module(struct search *search)
{
	find_module(search->root, search->wish->release, search->wish->module, search->module_path);
	if (try_own(search, true) || try_link(search))
		return true;
	cut_packing(search->module_path);
	return try_patterns(search, module_patterns) || try_own(search, false);
}

static bool find_for_program(struct search *search)
{
	const struct debug_wish *wish = search->wish;
	const char *slash = strrchr(wish->program_path, '/');
	char dir[PATH_SIZE];

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - wish->program_path) : 0, wish->program_path);
	if (try_patterns(search, program_patterns) || (slash && try_link_of(search, wish->program, dir)))
		return true;
	/* The build id says that a file outside of the container is of this build, too. */
	search->root = "";
	return try_patterns(search, program_patterns);
}

static bool find_locally(struct search *search)
{
	if (search->wish->program)
		return find_for_program(search);
	return search->wish->module ? find_for_module(search) : try_patterns(search, kernel_patterns);
}

/* -------------------------------------------------------------- debuginfod */

static bool try_server(struct search *search)
{
	const struct debug_wish *wish = search->wish;
	char path[PATH_SIZE];
	struct debug_error err;

	if (!wish->id.len || wish->is_casual || !debug_server_may(&wish->fetch, &search->not_asked))
		return false;
	if (wish->note)
		wish->note(wish->arg, "asking the servers of DEBUGINFOD_URLS: this may take a while");
	if (debug_server_ask(&wish->id, &wish->fetch, path, sizeof(path), &err))
		return try_file(search, path);
	if (!err.is_absence && !search->any) {
		search->why = err;
		search->any = true;
	}
	return false;
}

/* ------------------------------------------------------------------ advice */

/* Modules of the distribution are below kernel/; a module that was built here may be missing from modules.dep. */
static bool is_own(const char *root, const char *release, const char *module)
{
	char path[PATH_SIZE];

	find_module(root, release, module, path);
	return strncmp(path, "kernel/", strlen("kernel/"));
}

const char *debug_install_hint(const char *root, const char *release, const char *module, char *buf, size_t size)
{
	if (module && is_own(root ? root : "", release, module))
		snprintf(buf, size, "give its file, built with debug information: ktrace --module FILE");
	else
		distro_hint(root, DISTRO_DEBUG, release, buf, size);
	return buf;
}

static void nothing_found(const struct search *search, struct debug_error *err)
{
	const struct debug_wish *wish = search->wish;
	const char *not_asked = search->not_asked.text, *also = *not_asked ? "; " : "";
	char hint[256];

	debug_install_hint(search->root, wish->release, wish->module, hint, sizeof(hint));
	if (search->any)
		debug_fail(err, "%s", search->why.text);
	else if (wish->program)
		debug_fail(err, "no debug information of %s, which would give source lines and variables by name: install its package of debug symbols (-dbgsym, -debuginfo), or compile it with -g%s%s",
			   wish->program_path, also, not_asked);
	else
		debug_fail(err, "no debug information of %s%s, which would give source lines, inlined copies and variables by name: %s%s%s",
			   wish->module ? "module " : "kernel ", wish->module ? wish->module : wish->release, hint, also, not_asked);
	if (err)
		err->is_absence = !search->any;
}

/* ------------------------------------------------------------------- find */

static struct image *take_named(const struct debug_wish *wish, struct debug_error *err)
{
	struct image *image = image_open(wish->file, err);

	if (image && accept(wish, image, err))
		return image;
	image_close(image);
	return NULL;
}

struct image *debug_find(const struct debug_wish *wish, struct debug_error *err)
{
	struct search search = { .wish = wish, .root = wish->root ? wish->root : "" };

	if (wish->file)
		return take_named(wish, err);
	if (!find_locally(&search) && !try_server(&search))
		nothing_found(&search, err);
	return search.found;
}

bool debug_live_id(const char *root, const char *module, struct build_id *out)
{
	char path[PATH_SIZE];

	if (!module)
		snprintf(path, sizeof(path), "%s/sys/kernel/notes", root ? root : "");
	else
		snprintf(path, sizeof(path), "%s/sys/module/%s/notes/.note.gnu.build-id", root ? root : "", module);
	return image_id_of_notes(path, out);
}
