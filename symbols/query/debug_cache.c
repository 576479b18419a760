// SPDX-License-Identifier: GPL-2.0-or-later
/* debug_cache.c - see debug_cache.h. */
#include "symbols/query/debug_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE	1024

struct debug_key debug_key_of_kernel(const struct image *image)
{
	return (struct debug_key){ .id = image->id };
}

struct debug_key debug_key_of_program(const struct image *image, bool is_foreign)
{
	struct debug_key key = { .id = image->id, .is_foreign = is_foreign };

	image_digest(image, key.digest);
	return key;
}

bool debug_cache_path(const char *dir, const struct debug_key *key, char *out, size_t size)
{
	char id[2 * BUILD_ID_MAX + 1];

	return dir && key->id.len &&
	       snprintf(out, size, "%s/%s%s%s%s.index", dir, key->is_foreign ? "foreign-" : "",
			build_id_text(&key->id, id), *key->digest ? "-" : "", key->digest) < (int)size;
}

/* A damaged or old index is built again without a message. */
struct dbindex *debug_cache_open(const char *dir, const struct debug_key *key)
{
	char path[PATH_SIZE];
	struct dbindex *ix = NULL;
	int fd;

	if (!debug_cache_path(dir, key, path, sizeof(path)))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	if (kept_is_trusted(fd, S_IFREG))
		ix = dbindex_map(fd, path, NULL);
	close(fd);
	if (ix && !build_id_equal(&dbindex_header(ix)->id, &key->id)) {
		dbindex_close(ix);
		ix = NULL;
	}
	return ix;
}

struct dbindex *debug_cache_kept(const char *dir, const char *name, const char key[KEPT_KEY])
{
	size_t size;
	void *map = kept_map(dir, name, key, NULL, &size);

	return map ? dbindex_take(map, size, name, NULL) : NULL;
}

void debug_cache_make_dirs(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}
