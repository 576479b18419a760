// SPDX-License-Identifier: GPL-2.0-or-later
/* paths.c - the user's own files.  See paths.h. */
#include "ctl/base/paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"

char *path_of(const char *variable, const char *fallback, const char *name)
{
	const char *base = getenv(variable), *home = getenv("HOME");

	if (base && *base == '/')
		return mem_printf("%s/ktrace/%s", base, name);
	if (!home || *home != '/')
		return NULL;
	return mem_printf("%s/%s/ktrace/%s", home, fallback, name);
}

char *path_absolute(const char *path)
{
	AUTO_FREE char *here = *path == '/' ? NULL : getcwd(NULL, 0);

	return here ? mem_printf("%s/%s", strcmp(here, "/") ? here : "", path) : mem_strdup(path);
}

void path_make(const char *path)
{
	AUTO_FREE char *part = mem_strdup(path);

	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(part, 0700);
		*slash = '/';
	}
}

bool path_is_trusted(const char *path, const char **why)
{
	struct stat st;

	*why = NULL;
	if (stat(path, &st))
		return false;
	if (!S_ISREG(st.st_mode))
		*why = "it is no plain file";
	else if (st.st_uid != geteuid())
		*why = "it belongs to another user";
	else if (st.st_mode & (S_IWGRP | S_IWOTH))
		*why = "others may write it (chmod go-w)";
	return !*why;
}
