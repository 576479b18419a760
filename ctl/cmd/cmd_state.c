// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_state.c - freeze, unfreeze and status. */
#include <stdlib.h>

#include "ctl/base/memory.h"
#include "ctl/cmd/command.h"
#include "ctl/show/status/status.h"

/* Say what does not stop: the recordings of `record`, which have rings of their own. */
static bool say_what_goes_on(struct session *s, struct error *err)
{
	AUTO_FREE struct kt_recording_entry *entries = NULL;
	AUTO_FREE char *names = mem_strdup("");
	size_t n;

	if (!device_recordings(&s->dev, &entries, &n, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		char *longer = mem_printf("%s%s%.*s", names, i ? ", " : "", (int)sizeof(entries[i].name), entries[i].name);

		free(names);
		names = longer;
	}
	if (n)
		session_note(s, "%s on: %s ('record --stop NAME' ends one)", n == 1 ? "a recording goes" : "recordings go", names);
	return true;
}

bool cmd_freeze(struct session *s, const struct words *words, struct error *err)
{
	if (!device_recording(&s->dev, KT_RECORDING_FREEZE, err))
		return false;
	session_note(s, "the records of the prompt are frozen: hits are only counted until 'unfreeze'");
	return say_what_goes_on(s, err);
}

bool cmd_unfreeze(struct session *s, const struct words *words, struct error *err)
{
	return device_recording(&s->dev, KT_RECORDING_UNFREEZE, err);
}

bool cmd_status(struct session *s, const struct words *words, struct error *err)
{
	struct status status;

	if (s->input)
		return status_saved(s, err);
	if (!status_load(s, &status, err))
		return false;
	status_show(s, &status);
	status_free(&status);
	return true;
}
