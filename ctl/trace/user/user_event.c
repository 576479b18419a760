// SPDX-License-Identifier: GPL-2.0-or-later
/* user_event.c - see user_event.h. */
#include "ctl/trace/user/user_event.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/memory.h"

/* A word of a list, without what is in front of its pattern. */
struct word {
	const char *at;
	size_t len;
	bool is_user, excludes;
};

/* *list is then behind it.  False: there is none. */
static bool next_word(const char **list, struct word *out)
{
	const size_t len = strcspn(*list, ",");
	const bool excludes = **list == '-';

	if (!**list)
		return false;
	*out = (struct word){ *list + excludes, len - excludes, false, excludes };
	out->is_user = out->len > strlen(USER_EVENT) && !strncmp(out->at, USER_EVENT, strlen(USER_EVENT));
	if (out->is_user) {
		out->at += strlen(USER_EVENT);
		out->len -= strlen(USER_EVENT);
	}
	*list += len + ((*list)[len] == ',');
	return true;
}

bool user_event_is(const char *text)
{
	return !strncmp(text, USER_EVENT, strlen(USER_EVENT));
}

bool user_event_are(const char *list)
{
	struct word word;
	bool are = *list;

	while (next_word(&list, &word))
		are = are && word.is_user;
	return are;
}

bool user_event_matches(const char *list, const struct user_site *site)
{
	AUTO_FREE char *name = mem_printf("%s:%s", site->provider, site->name);
	struct word word;
	bool chosen = *list == '-';

	while (next_word(&list, &word)) {
		AUTO_FREE char *pattern = mem_strndup(word.at, word.len);

		if (!fnmatch(pattern, name, 0) || !fnmatch(pattern, site->provider, 0) || !fnmatch(pattern, site->name, 0))
			chosen = !word.excludes;
	}
	return chosen;
}

struct user_file *user_event_open(struct registrar *r, const struct kt_user_entry *entry, int *fd, struct error *err)
{
	AUTO_FREE char *name = mem_printf("process %d", entry->pid);
	struct user_file *file = NULL;
	int memory;

	error_set(err, STATUS_OK, "%s", "");
	if (registered_open(r, entry->id, &memory, err) && memory >= 0)
		file = user_file_open_memory(memory, name, err);
	if (file && fd)
		*fd = memory;
	else if (memory >= 0)
		close(memory);
	return file;
}
