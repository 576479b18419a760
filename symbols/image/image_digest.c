// SPDX-License-Identifier: GPL-2.0-or-later
/* image_digest.c - a digest of what an index is made of. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/image/image.h"

static bool counts(const struct image_section *section)
{
	return !strncmp(section->name, ".debug_", 7) || !strcmp(section->name, ".eh_frame") ||
	       !strcmp(section->name, ".gnu_debugaltlink");
}

static void add_section(struct digest *digest, const struct image_section *section)
{
	const uint64_t numbers[] = { section->addr, section->size, section->type, section->is_loaded,
				     section->is_text };

	digest_add_text(digest, section->name);
	digest_add(digest, numbers, sizeof(numbers));
	if (counts(section) && section->data)
		digest_add(digest, section->data, section->data_size);
}

static void add_image(struct digest *digest, const struct image *image)
{
	digest_add(digest, &image->machine, sizeof(image->machine));
	for (size_t i = 0; i < image->nr_sections; i++)
		add_section(digest, &image->sections[i]);
}

/* There may be many, so they are not read: a file that has changed has another time. */
static void add_split(struct digest *digest, const struct image_beside *beside, const char *path)
{
	const int fd = path ? beside->open(beside->root, path) : -1;
	struct stat st;

	digest_add_text(digest, path ? path : "");
	if (fd < 0)
		return;
	if (!fstat(fd, &st)) {
		const uint64_t numbers[] = { st.st_dev, st.st_ino, st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
					     st.st_ctim.tv_sec, st.st_ctim.tv_nsec };

		digest_add(digest, numbers, sizeof(numbers));
	}
	close(fd);
}

static void add_beside(struct digest *digest, const struct image_beside *beside)
{
	if (beside->alt)
		add_image(digest, beside->alt);
	if (beside->package)
		add_image(digest, beside->package);
	for (size_t i = 0; i < beside->nr_splits; i++)
		add_split(digest, beside, beside->splits[i]);
}

void image_digest(const struct image *image, char hex[2 * DIGEST_SIZE + 1])
{
	struct digest digest;

	digest_begin(&digest);
	add_image(&digest, image);
	if (image->beside)
		add_beside(&digest, image->beside);
	digest_end(&digest, hex);
}

bool image_is_kernel(const struct image *image)
{
	bool found = image->is_module;

	for (size_t i = 0; i < image->nr_sections && !found; i++)
		found = !strcmp(image->sections[i].name, "__ksymtab");
	return found;
}
