// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_save.c - save records to a directory: save, and follow -o. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/cmd/command.h"
#include "ctl/live/session/follow.h"
#include "ctl/trace/saved/save.h"

static void say_saved(struct session *s, const char *dir, const struct save_totals *totals)
{
	char size[DURATION_SIZE], lost[64] = "";
	struct json j;

	if (s->format == PRINT_JSON) {
		j = json_typed(s->out, "saved");
		json_text(&j, "directory", dir);
		json_number(&j, "records", totals->records);
		json_number(&j, "lost", totals->lost);
		json_number(&j, "bytes", totals->bytes);
		json_end(&j);
		return;
	}
	if (totals->lost)
		snprintf(lost, sizeof(lost), ", %" PRIu64 " lost", totals->lost);
	session_note(s, "%s: %" PRIu64 " record%s%s, %s", dir, totals->records,
		     totals->records == 1 ? "" : "s", lost, bytes_text(totals->bytes, "bytes", size));
}

/* Put the kept records in place and report them, also after an error. */
static bool finish(struct session *s, struct save *save, const char *dir, bool cleared,
		   struct error *err)
{
	const struct save_totals totals = save_totals(save);
	const struct symtab *symbols = save_wants_symbols(save) ? session_want_symbols(s) : NULL;

	if (!save_finish(save, symbols, cleared, err))
		return false;
	say_saved(s, dir, &totals);
	return true;
}

static struct save *begin(struct session *s, const char *dir, struct error *err)
{
	struct save *save = save_create(dir, &s->dev, err);

	if (save && save_moved(save))
		session_note(s, "a killed ktrace left a trace there: it was renamed to %s", save_moved(save));
	return save;
}

/* ------------------------------------------------------------------- save */

static bool save_once(struct session *s, struct save *save, struct error *err)
{
	struct progress_line line = progress_open(s->messages, s->quiet, false);
	struct snapshot *snap = reader_snapshot(s->reader, err);
	bool ok;

	save_show(save, &line);
	ok = snap && save_snapshot(save, snap, err) && save_describe(save, err);
	if (ok)
		save_keep(save);
	progress_close(&line);
	snapshot_free(snap);
	return ok;
}

bool cmd_save(struct session *s, const struct words *words, struct error *err)
{
	struct save *save;

	if (!session_reader(s, err))
		return false;
	save = begin(s, words->v[1], err);
	if (!save)
		return false;
	if (save_once(s, save, err))
		return finish(s, save, words->v[1], false, err);
	save_abandon(save);
	return false;
}

/* -------------------------------------------------------------- follow -o */

/* Clear the records that were written, and keep only records that could be cleared. */
static bool take(struct session *s, void *arg, struct snapshot *snap, struct error *err)
{
	struct save *save = arg;
	bool ok = save_snapshot(save, snap, err) && save_describe(save, err) &&
		  snapshot_clear(s->reader, snap, err);

	if (ok)
		save_keep(save);
	else
		save_undo(save);
	return ok;
}

bool follow_save(struct session *s, const char *dir, int64_t deadline, struct error *err)
{
	struct save *save = begin(s, dir, err);
	struct follower follower = { .take = take, .arg = save, .files = true };
	struct error why;
	bool ok;

	if (!save)
		return false;
	ok = follow_until(s, &follower, deadline, err);
	/* The records in the directory are no longer in the rings. */
	return finish(s, save, dir, true, ok ? err : &why) && ok;
}
