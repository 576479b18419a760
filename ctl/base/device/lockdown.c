// SPDX-License-Identifier: GPL-2.0-or-later
/* lockdown.c - see lockdown.h. */
#include "ctl/base/device/lockdown.h"

#include <stdio.h>
#include <string.h>

#include "ctl/base/memory.h"

static const char *const names[] = {
	[LOCKDOWN_UNSEEN] = "not seen", [LOCKDOWN_NONE] = "none", [LOCKDOWN_INTEGRITY] = "integrity",
	[LOCKDOWN_CONFIDENTIALITY] = "confidentiality",
};

/* The word in brackets: "none [integrity] confidentiality". */
enum lockdown lockdown_now(const char *root)
{
	AUTO_FREE char *path = mem_printf("%s/sys/kernel/security/lockdown", root);
	AUTO_CLOSE FILE *file = fopen(path, "re");
	char line[128] = "";
	const char *word;

	if (!file || !fgets(line, sizeof(line), file))
		return LOCKDOWN_UNSEEN;
	word = strchr(line, '[');
	for (size_t i = LOCKDOWN_NONE; word && i < ARRAY_SIZE(names); i++)
		if (strcspn(word + 1, "]") == strlen(names[i]) && !strncmp(word + 1, names[i], strlen(names[i])))
			return i;
	return LOCKDOWN_UNSEEN;
}

const char *lockdown_name(enum lockdown level)
{
	return names[level];
}
