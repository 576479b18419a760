// SPDX-License-Identifier: GPL-2.0-or-later
/* beside.c - see beside.h. */
#include "symbols/query/beside.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/base/bytes.h"
#include "symbols/join/join.h"
#include "symbols/query/debug_server.h"
#include "symbols/query/program_int.h"

struct search {
	struct image_beside *beside;
	const char *image_path, *path;	/* of the image and the program, below the root */
	const struct debug_fetch *fetch;
	size_t nr_missing, room;
	char missing[PATH_SIZE];	/* the first one */
};

/* ------------------------------------------------------------------- paths */

static struct image *open_below(const char *root, const char *path)
{
	const int fd = program_open_below(root, path);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return image_open_fd(fd, path, NULL);
	close(fd);
	return NULL;
}

static int dir_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash - path : 1;
}

static const char *dir_of(const char *path)
{
	return strchr(path, '/') ? path : ".";
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* --------------------------------------------------------------- alternate */

struct alt_link {
	const char *name;
	struct build_id id;
};

static bool read_link(const struct image *image, struct alt_link *out)
{
	const struct image_section *section = image_section(image, ".gnu_debugaltlink");
	size_t len;

	out->name = image_altlink(image);
	if (!out->name)
		return false;
	len = strlen(out->name) + 1;
	if (section->data_size - len > BUILD_ID_MAX)
		return false;
	out->id.len = section->data_size - len;
	memcpy(out->id.bytes, section->data + len, out->id.len);
	return true;
}

/* .debug_sup of DWARF 5: version, is it the other file, its name, and its id with a length. */
static bool read_sup(const struct image *image, bool is_other, struct alt_link *out)
{
	const struct image_section *section = image_section(image, ".debug_sup");
	struct cursor c = section ? cursor_of(section->data, section->data_size) : (struct cursor){ .bad = true };
	const uint8_t *end, *id;

	if (cursor_uint(&c, 2) != 5 || cursor_uint(&c, 1) != is_other || !cursor_left(&c))
		return false;
	out->name = (const char *)c.at;
	end = memchr(c.at, 0, cursor_left(&c));
	if (!end)
		return false;
	cursor_take(&c, end + 1 - c.at);
	out->id.len = cursor_uleb(&c) & 0xff;
	id = out->id.len <= BUILD_ID_MAX ? cursor_take(&c, out->id.len) : NULL;
	if (!id)
		return false;
	memcpy(out->id.bytes, id, out->id.len);
	return true;
}

static bool is_wanted(const struct image *image, const struct alt_link *link)
{
	struct alt_link own;

	return build_id_equal(&image->id, &link->id) ||
	       (read_sup(image, true, &own) && build_id_equal(&own.id, &link->id));
}

static bool try_alt(struct search *search, const char *root, const char *path, const struct alt_link *link)
{
	struct image *image = open_below(root, path);

	if (image && is_wanted(image, link)) {
		search->beside->alt = image;
		return true;
	}
	image_close(image);
	return false;
}

static bool try_beside(struct search *search, const char *path, const struct alt_link *link)
{
	char text[PATH_SIZE];

	return snprintf(text, sizeof(text), "%.*s/%s", dir_len(path), dir_of(path), link->name) < (int)sizeof(text) &&
	       try_alt(search, search->beside->root, text, link);
}

/* By its id a file outside of the container is as good. */
static bool try_id(struct search *search, const struct alt_link *link)
{
	char path[PATH_SIZE], id[2 * BUILD_ID_MAX + 1];

	if (link->id.len < 2)
		return false;
	build_id_text(&link->id, id);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	return try_alt(search, search->beside->root, path, link) || try_alt(search, "", path, link);
}

static bool try_server(struct search *search, const struct alt_link *link)
{
	char path[PATH_SIZE];

	return link->id.len && debug_server_may(search->fetch, NULL) &&
	       debug_server_ask(&link->id, search->fetch, path, sizeof(path), NULL) && try_alt(search, "", path, link);
}

static void find_alt(struct search *search, const struct image *image)
{
	struct alt_link link;

	if (!read_link(image, &link) && !read_sup(image, false, &link))
		return;
	if ((*link.name == '/' && try_alt(search, search->beside->root, link.name, &link)) ||
	    (*link.name != '/' &&
	     (try_beside(search, search->image_path, &link) || try_beside(search, search->path, &link))) ||
	    try_id(search, &link) || try_server(search, &link))
		return;
	if (asprintf(&search->beside->lacks, "%s shares types and names with %s, which is missing", image->path, link.name) < 0)
		search->beside->lacks = NULL;
}

/* ------------------------------------------------------------- split units */

static void find_package(struct search *search)
{
	const char *const paths[] = { search->image_path, search->path };
	char path[PATH_SIZE];

	for (size_t i = 0; i < 2 && !search->beside->package; i++) {
		snprintf(path, sizeof(path), "%s.dwp", paths[i]);
		search->beside->package = open_below(search->beside->root, path);
	}
}

static bool try_split(const struct search *search, const struct skeleton *skeleton, const char *dir, int len,
		      const char *name, char *out)
{
	struct image *image;
	bool ok;

	if (snprintf(out, PATH_SIZE, "%.*s%s%s", len, dir, len ? "/" : "", name) >= PATH_SIZE)
		return false;
	image = open_below(search->beside->root, out);
	ok = image && join_has_split(image, skeleton->id);
	image_close(image);
	return ok;
}

/* Where it was compiled, or beside the program. */
static bool find_split(const struct search *search, const struct skeleton *skeleton, char *out)
{
	const char *dir = skeleton->dir ? skeleton->dir : "", *here = dir_of(search->path), *name = skeleton->name;
	const int len = dir_len(search->path);

	return (*name == '/' ? try_split(search, skeleton, "", 0, name, out) :
		try_split(search, skeleton, dir, strlen(dir), name, out) ||
		try_split(search, skeleton, here, len, name, out)) ||
	       try_split(search, skeleton, here, len, base_of(name), out);
}

static bool add_split(const struct skeleton *skeleton, void *arg)
{
	struct search *search = arg;
	struct image_beside *beside = search->beside;
	char path[PATH_SIZE], *found = NULL;

	if (beside->package && join_has_split(beside->package, skeleton->id)) {
		/* It needs no file of its own. */
	} else if (find_split(search, skeleton, path)) {
		found = strdup(path);
	} else if (!search->nr_missing++) {
		snprintf(search->missing, sizeof(search->missing), "%s", base_of(skeleton->name));
	}
	*ARRAY_ADD(beside->splits, beside->nr_splits, search->room) = found;
	return true;
}

static void find_splits(struct search *search, const struct image *image)
{
	char more[64] = "";

	join_skeletons(image, add_split, search);
	if (!search->nr_missing)
		return;
	if (search->nr_missing > 1)
		snprintf(more, sizeof(more), " and %zu other files", search->nr_missing - 1);
	free(search->beside->lacks);
	if (asprintf(&search->beside->lacks, "the debug information of %s is split: %s%s %s missing (no %s.dwp has it, either)",
		     image->path, search->missing, more, search->nr_missing > 1 ? "are" : "is",
		     base_of(search->path)) < 0)
		search->beside->lacks = NULL;
}

/* -------------------------------------------------------------------- find */

static const char *below(const char *root, const char *path)
{
	const size_t n = strlen(root);

	return n && !strncmp(path, root, n) && path[n] == '/' ? path + n : path;
}

bool beside_find(struct image *image, const char *root, const char *path, const struct debug_fetch *fetch, struct debug_error *err)
{
	struct search search = { .image_path = below(root, image->path), .path = below(root, path), .fetch = fetch };

	if (!join_is_needed(image))
		return true;
	image->beside = calloc(1, sizeof(*image->beside));
	if (image->beside)
		image->beside->root = strdup(root);
	if (!image->beside || !image->beside->root)
		return debug_fail(err, "no memory for %s: free some", image->path);
	search.beside = image->beside;
	image->beside->open = program_open_below;
	find_alt(&search, image);
	find_package(&search);
	find_splits(&search, image);
	if (!search.nr_missing || search.nr_missing < image->beside->nr_splits)
		return true;
	return debug_fail(err, "%s", image->beside->lacks ? image->beside->lacks : "no memory: free some");
}
