// SPDX-License-Identifier: GPL-2.0-or-later
/* lockdown.c - see lockdown.h. */
#include "ctl/base/device/lockdown.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ctl/base/below.h"
#include "ctl/base/memory.h"

static const char *const names[] = {
	[LOCKDOWN_UNSEEN] = "not seen", [LOCKDOWN_NONE] = "none", [LOCKDOWN_INTEGRITY] = "integrity",
	[LOCKDOWN_CONFIDENTIALITY] = "confidentiality",
};

/* The word in brackets: "none [integrity] confidentiality". */
enum lockdown lockdown_now(const char *root)
{
	char line[128];
	const char *word;

	if (!line_below(root, "/sys/kernel/security/lockdown", line, sizeof(line)))
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

/* Four bytes of attributes, then the value. */
enum secure_boot secure_boot_now(const char *root)
{
	AUTO_CLOSE FILE *file = file_below(root, "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
	unsigned char variable[5];

	if (!file)
		return errno == ENOENT ? SECURE_BOOT_NONE : SECURE_BOOT_UNREADABLE;
	if (fread(variable, 1, sizeof(variable), file) != sizeof(variable))
		return SECURE_BOOT_UNREADABLE;
	return variable[4] ? SECURE_BOOT_ON : SECURE_BOOT_OFF;
}
