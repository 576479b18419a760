// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_snapshot.c - snapshot: let a flight recording write what it has. */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/base/paths.h"
#include "ctl/cmd/command.h"
#include "ctl/live/recorder/recording.h"
#include "ctl/live/recorder/remote.h"
#include "ctl/trace/saved/flight.h"

struct asked {
	const char *name;	/* of the recording; NULL: there is only one */
	const char *dir;	/* -o, or NULL */
};

static const struct flag rows[] = {
	{ "-o", "DIR", 1, flag_set_text, offsetof(struct asked, dir),
	  .summary = "write into this directory; otherwise DIR.1, DIR.2 ...", .values = FLAG_FILES },
	{ .name = NULL },
};

const struct flags snapshot_flags = { rows, 1 };

/* ---------------------------------------------------------------- which recording */

static bool is_flight(const struct kt_recording_entry *entry)
{
	return entry->mode == KT_MODE_OVERWRITE;
}

static bool none_of_that_name(const char *name, const struct kt_recording_entry *entries, size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(entries[i].name, name))
			return error_set(err, STATUS_FAILURE, "%s: is written to a directory already: 'record --stop %s' ends it", name, name);
	return error_set(err, STATUS_FAILURE, "%s: no recording has this name: 'ktrace status' lists them", name);
}

static bool not_one(const struct kt_recording_entry *entries, size_t n, struct error *err)
{
	AUTO_FREE char *names = mem_strdup("");

	for (size_t i = 0; i < n; i++) {
		char *more;

		if (!is_flight(&entries[i]))
			continue;
		more = mem_printf("%s%s%s", names, *names ? ", " : "", entries[i].name);
		free(names);
		names = more;
	}
	if (!*names)
		return error_set(err, STATUS_FAILURE, "there is no flight recording: 'record --mode flight' starts one");
	return error_set(err, STATUS_USAGE, "there are several flight recordings: choose one of %s", names);
}

static bool find(const char *name, const struct kt_recording_entry *entries, size_t n, struct kt_recording_entry *out,
		 struct error *err)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (is_flight(&entries[i]) && (!name || !strcmp(entries[i].name, name)) && !found++)
			*out = entries[i];
	if (found == 1)
		return true;
	return name ? none_of_that_name(name, entries, n, err) : not_one(entries, n, err);
}

/* -------------------------------------------------------------------- the command */

static bool take_name(void *to, const char *word, struct error *err)
{
	struct asked *asked = to;

	if (asked->name)
		return error_set(err, STATUS_USAGE, "snapshot: %s: one recording at a time", word);
	asked->name = word;
	return true;
}

bool cmd_snapshot(struct session *s, const struct words *words, struct error *err)
{
	AUTO_FREE struct kt_recording_entry *entries = NULL;
	AUTO_FREE char *dir = NULL;
	AUTO_FREE struct remote_answer *answer = mem_zalloc(1, sizeof(*answer));
	struct asked asked = { 0 };
	struct kt_recording_entry entry;
	size_t n;

	if (!flags_parse(s, words, &snapshot_flags, &asked, take_name, NULL, err) ||
	    !command_provide(s, words, err) || !device_recordings(&s->dev, &entries, &n, err) || !find(asked.name, entries, n, &entry, err))
		return false;
	dir = asked.dir ? path_absolute(asked.dir) : mem_strdup("");
	if (!remote_call(entry.name, entry.pid, dir, answer, err))
		return false;
	if (answer->failed)
		return error_set(err, answer->error.status, "%s", answer->error.text);
	snapshot_say(s, "snapshot", answer->dir, &answer->saved);
	return true;
}
