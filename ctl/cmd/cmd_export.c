// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_export.c - export: write a recording in the format of another tool. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/duration.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/cmd/command.h"
#include "ctl/trace/export/perfetto.h"
#include "ctl/trace/saved/convert.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/saved.h"
#include "ctl/trace/saved/series.h"

struct order;

/* Write the recordings in order->dirs to order->out, which does not exist.  False: err is set, nothing is left. */
typedef bool export_fn(struct session *s, const struct order *order, struct error *err);

static export_fn export_perfetto, export_ctf;

/* The formats: each is an option. */
static const struct format {
	const char *option;
	export_fn *run;
} formats[] = {
	{ "--perfetto", export_perfetto },
	{ "--ctf", export_ctf },
};

struct chosen {
	const struct format *format;
	const char *arg;	/* of the option; NULL: it takes none */
};

struct order {
	const char *dir, *out;
	struct chosen chosen;
	char **dirs;		/* of the recording, or of the parts of a series */
	size_t nr_dirs;
	bool is_series;
};

static bool set_format(struct session *s, void *to, const struct flag *flag, const char *arg, struct error *err)
{
	struct chosen *chosen = to;

	if (chosen->format)
		return error_set(err, STATUS_USAGE, "export: %s and %s: choose one format", chosen->format->option, flag->name);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].option, flag->name))
			*chosen = (struct chosen){ &formats[i], arg };
	return true;
}

static const struct flag rows[] = {
	{ "--perfetto", NULL, 1, set_format, offsetof(struct order, chosen),
	  .summary = "a trace for ui.perfetto.dev and SQL queries" },
	{ "--ctf", "1.8|2", 1, set_format, offsetof(struct order, chosen),
	  .summary = "a copy in this version of CTF; FILE is a directory" },
	{ "-o", "FILE", 1, flag_set_text, offsetof(struct order, out), .summary = "what to write; it must not exist",
	  .values = FLAG_FILES },
	{ .name = NULL },
};

const struct flags export_flags = { rows, 1 };

static bool take_word(void *to, const char *word, struct error *err)
{
	struct order *order = to;

	if (*word == '-' || order->dir)
		return error_set(err, STATUS_USAGE, "export: unexpected '%s': give one directory: see 'help export'", word);
	order->dir = word;
	return true;
}

static bool no_format(struct error *err)
{
	char names[128] = "";

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? " or " : "", formats[i].option);
	return error_set(err, STATUS_USAGE, "export: no format: give %s", names);
}

static bool check(const struct order *order, struct error *err)
{
	if (!order->chosen.format)
		return no_format(err);
	if (!order->dir)
		return error_set(err, STATUS_USAGE, "export: give the directory of a recording: export DIR ...");
	if (!order->out)
		return error_set(err, STATUS_USAGE, "export: give the name of the result: -o FILE");
	if (!access(order->out, F_OK))
		return error_set(err, STATUS_FAILURE, "%s: exists: choose another name, or remove it", order->out);
	return true;
}

/* ------------------------------------------------------------------- the recordings */

static bool is_trace(const char *dir)
{
	AUTO_FREE char *info = mem_printf("%s/" SAVE_INFO, dir);

	return !access(info, F_OK);
}

static void add_dir(struct order *order, const char *dir)
{
	order->dirs = MEM_MORE(order->dirs, order->nr_dirs);
	order->dirs[order->nr_dirs++] = mem_strdup(dir);
}

/*
 * The oldest parts of a series may have been removed, by --max-size.  A recorder that was killed at the begin of its newest
 * part may have left no description of it, and no event in it.  No others may be missing.
 */
static bool find_parts(struct session *s, struct order *order, const char *newest, struct error *err)
{
	const size_t len = strlen(order->dir);

	for (unsigned int n = 1;; n++) {
		AUTO_FREE char *dir = mem_printf("%s%s%04u", order->dir, order->dir[len - 1] == '/' ? "" : "/", n);
		const bool is_newest = !strcmp(strrchr(dir, '/'), strrchr(newest, '/'));

		if (is_trace(dir))
			add_dir(order, dir);
		else if (is_newest && order->nr_dirs)
			session_note(s, "%s: left out: it has no description, and so no events", dir);
		else if (is_newest || order->nr_dirs)
			return error_set(err, STATUS_FAILURE, "%s: is missing: export the parts of the series one by one", dir);
		if (is_newest)
			return true;
	}
}

static bool find_dirs(struct session *s, struct order *order, struct error *err)
{
	AUTO_FREE char *newest = is_trace(order->dir) ? NULL : series_newest(order->dir);

	order->is_series = newest;
	if (newest)
		return find_parts(s, order, newest, err);
	add_dir(order, order->dir);
	return true;
}

static void order_drop(struct order *order)
{
	for (size_t i = 0; i < order->nr_dirs; i++)
		free(order->dirs[i]);
	free(order->dirs);
}

/* ------------------------------------------------------------------------- telling */

static void say_json(struct session *s, const struct order *order, const struct convert_totals *totals)
{
	struct json j = json_typed(s->out, "exported");

	json_text(&j, "file", order->out);
	json_number(&j, "records", totals->records);
	json_number(&j, "lost", totals->lost);
	json_number(&j, "bytes", totals->bytes);
	json_number(&j, "parts", order->nr_dirs);
	json_end(&j);
}

/* form: what the text begins with. */
static void say(struct session *s, const struct order *order, const char *form, const struct convert_totals *totals)
{
	char size[DURATION_SIZE], lost[64] = "", parts[64] = "";

	if (s->format == PRINT_JSON) {
		say_json(s, order, totals);
		return;
	}
	if (totals->lost)
		snprintf(lost, sizeof(lost), ", %" PRIu64 " lost", totals->lost);
	if (order->is_series)
		snprintf(parts, sizeof(parts), " of %zu part%s", order->nr_dirs, order->nr_dirs == 1 ? "" : "s");
	session_note(s, "%s: %s%" PRIu64 " record%s%s%s, %s", order->out, form, totals->records,
		     totals->records == 1 ? "" : "s", parts, lost, bytes_text(totals->bytes, "bytes", size));
}

/* ------------------------------------------------------------------------- perfetto */

static bool add_recording(struct perfetto *perfetto, struct saved *saved, struct saved *next, struct error *err)
{
	struct symtab *tab = NULL;
	bool ok;

	if (symtab_load(saved_symbols(saved), NULL, NULL, &tab) != SYMTAB_OK)
		tab = NULL;
	ok = perfetto_add(perfetto, saved, next, tab, err);
	if (tab)
		symtab_free(tab);
	return ok;
}

/* Each recording is open while the one before it is read. */
static bool add_recordings(struct perfetto *perfetto, const struct order *order, struct progress_line *line, struct error *err)
{
	struct saved_progress progress = { line, "exporting", 0, order->nr_dirs };
	struct saved *saved = saved_open_readable(order->dirs[0], err), *next = NULL;
	bool ok = saved;

	for (size_t i = 1; ok && i <= order->nr_dirs; i++, progress.part++) {
		saved_show(saved, &progress);
		next = i < order->nr_dirs ? saved_open_readable(order->dirs[i], err) : NULL;
		ok = (next || i == order->nr_dirs) && add_recording(perfetto, saved, next, err);
		saved_close(saved);
		saved = next;
	}
	saved_close(saved);
	return ok;
}

static bool write_perfetto(const struct order *order, FILE *out, struct progress_line *line, struct perfetto_totals *totals,
			   struct error *err)
{
	struct perfetto *perfetto = perfetto_create(out, order->nr_dirs > 1);

	if (add_recordings(perfetto, order, line, err))
		return perfetto_finish(perfetto, totals, err);
	perfetto_free(perfetto);
	return false;
}

/* As the directory of a recording, only its owner may read it: it has the arguments of other users. */
static FILE *create(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? NULL : fdopen(fd, "w");
}

static bool export_perfetto(struct session *s, const struct order *order, struct error *err)
{
	struct progress_line line = progress_open(s->messages, s->quiet, false);
	struct perfetto_totals totals;
	FILE *out = create(order->out);
	bool ok;

	if (!out)
		return error_set(err, STATUS_FAILURE, "%s: %s: choose another place for -o", order->out, strerror(errno));
	ok = write_perfetto(order, out, &line, &totals, err);
	progress_close(&line);
	if (fclose(out) && ok)
		ok = error_set(err, STATUS_FAILURE, "%s: %s: make room there, or choose another place", order->out, strerror(errno));
	if (ok)
		say(s, order, "", &(struct convert_totals){ totals.events, totals.lost, totals.bytes });
	else
		unlink(order->out);
	return ok;
}

/* ------------------------------------------------------------------------------ CTF */

static bool export_ctf(struct session *s, const struct order *order, struct error *err)
{
	const unsigned int version = !strcmp(order->chosen.arg, "2") ? 2 : 1;
	struct progress_line line = progress_open(s->messages, s->quiet, false);
	struct convert_totals totals;
	bool ok;

	if (version == 1 && strcmp(order->chosen.arg, "1.8"))
		return error_set(err, STATUS_USAGE, "export: --ctf %s: give 1.8 or 2", order->chosen.arg);
	ok = order->is_series ? save_convert_series(order->dirs, order->nr_dirs, order->out, version, &line, &totals, err) :
				save_convert(order->dirs[0], order->out, version, &line, &totals, err);
	progress_close(&line);
	if (ok)
		say(s, order, version == 2 ? "CTF 2, " : "CTF 1.8, ", &totals);
	return ok;
}

bool cmd_export(struct session *s, const struct words *words, struct error *err)
{
	struct order order = { 0 };
	bool ok;

	if (!flags_parse(s, words, &export_flags, &order, take_word, NULL, err) || !session_one_dir(s, "export", &order.dir, err) ||
	    !check(&order, err))
		return false;
	interrupt_catch();
	ok = find_dirs(s, &order, err) && order.chosen.format->run(s, &order, err);
	interrupt_release();
	order_drop(&order);
	return ok;
}
