// SPDX-License-Identifier: GPL-2.0-or-later
/* below.c - see below.h. */
#include "ctl/base/below.h"

#include <string.h>

#include "ctl/base/memory.h"

char *path_below(const char *root, const char *path)
{
	return mem_printf("%s%s", root ? root : "", path);
}

FILE *file_below(const char *root, const char *path)
{
	AUTO_FREE char *below = path_below(root, path);

	return fopen(below, "re");
}

bool line_below(const char *root, const char *path, char *line, size_t size)
{
	AUTO_CLOSE FILE *file = file_below(root, path);

	line[0] = '\0';
	if (!file || !fgets(line, size, file))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return true;
}
