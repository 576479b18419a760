// SPDX-License-Identifier: GPL-2.0-or-later
/* image_sources.c - the names of source files in the debug information.  See image.h. */
#include <string.h>

#include "symbols/image/image.h"

/* Where the tables of lines have the names of files, or refer to them. */
static const char *const sections[] = { ".debug_line", ".debug_line_str", ".debug_str" };

bool image_may_have_source(const struct image *image, const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	if (image->beside)
		return true;
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		const struct image_section *section = image_section(image, sections[i]);

		/* With its 0: the end of a path is one of a name, too. */
		if (section && memmem(section->data, section->data_size, name, strlen(name) + 1))
			return true;
	}
	return false;
}
