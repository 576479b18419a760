// SPDX-License-Identifier: GPL-2.0-or-later
/* own_index.c - see own_index.h. */
#include "own_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbols/build/dbindex_build.h"

bool own_index(const char *source, char *template)
{
	const struct dbindex_choice choice = { .files = &source, .nr_files = 1 };
	struct debug_error err = { .text = "" };
	struct image *image = image_open("/proc/self/exe", &err);
	const int fd = mkstemp(template);
	const bool ok = image && fd >= 0 && dbindex_build_file(image, &choice, 1, template, NULL, &err);

	if (!ok)
		fprintf(stderr, "%s\n", err.text);
	if (fd >= 0)
		close(fd);
	image_close(image);
	return ok;
}
