// SPDX-License-Identifier: GPL-2.0-or-later
/* image_digest.c - a digest of what an index is made of. */
#include <string.h>

#include "symbols/image/image.h"

static bool counts(const struct image_section *section)
{
	return !strncmp(section->name, ".debug_", 7) || !strcmp(section->name, ".eh_frame") ||
	       !strcmp(section->name, ".gnu_debugaltlink");
}

static void add_section(struct digest *digest, const struct image_section *section)
{
	const uint64_t numbers[] = { section->addr, section->size, section->type, section->is_loaded, section->is_text };

	digest_add_text(digest, section->name);
	digest_add(digest, numbers, sizeof(numbers));
	if (counts(section) && section->data)
		digest_add(digest, section->data, section->data_size);
}

void image_digest(const struct image *image, char hex[2 * DIGEST_SIZE + 1])
{
	struct digest digest;

	digest_begin(&digest);
	digest_add(&digest, &image->machine, sizeof(image->machine));
	for (size_t i = 0; i < image->nr_sections; i++)
		add_section(&digest, &image->sections[i]);
	digest_end(&digest, hex);
}

bool image_is_kernel(const struct image *image)
{
	bool found = image->is_module;

	for (size_t i = 0; i < image->nr_sections && !found; i++)
		found = !strcmp(image->sections[i].name, "__ksymtab");
	return found;
}
