// SPDX-License-Identifier: GPL-2.0-or-later
/* script.c - run commands from a text or a file.  See script.h. */
#include "ctl/cmd/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/cmd/command.h"
#include "ctl/base/lex.h"

#define MAX_DEPTH 16

/*
 * At the prompt a pasted line that does not begin with a command continues the command before, for example
 * lines of `list` pasted behind `trace`.
 */
static void take_continued(const struct session *s, const char **text, struct words *words)
{
	while (s->interactive && **text == '\n' && strcmp(words->v[0], "!")) {
		AUTO_WORDS struct words more = { 0 };
		const char *next = *text;

		if (lex_command(&next, &more, NULL) != LEX_COMMAND ||
		    command_find(more.v[0], NULL))
			return;
		words_move(words, &more);
		*text = next;
	}
}

/* Where a command stands, for its error; name: NULL for -e. */
struct origin {
	const char *name;
	unsigned long line;
};

static void locate(const struct origin *origin, struct error *err)
{
	AUTO_FREE char *text = mem_strdup(err->text);

	if (origin->name)
		error_set(err, err->status, "%s:%lu: %s", origin->name, origin->line, text);
}

/* A command has failed.  --keep-going: say so, keep the first status for the end, and go on. */
static bool goes_on(struct session *s, const struct origin *origin, struct error *err)
{
	locate(origin, err);
	if (!s->keep_going || interrupt_pending())
		return false;
	session_complain(s, NULL, err);
	if (!s->failed)
		s->failed = err->status;
	return true;
}

static bool run_text(struct session *s, const char *text, const struct origin *origin, struct error *err)
{
	bool ok = true;

	while (ok && !s->quit && !interrupt_pending()) {
		AUTO_WORDS struct words words = { 0 };
		enum lex_result result = lex_command(&text, &words, err);

		if (result != LEX_COMMAND)
			return result == LEX_END || goes_on(s, origin, err);
		take_continued(s, &text, &words);
		ok = command_run(s, &words, err) || goes_on(s, origin, err);
	}
	return ok;
}

bool script_text(struct session *s, const char *text, struct error *err)
{
	return run_text(s, text, &(struct origin){ NULL }, err);
}

/* ------------------------------------------------------------------ lines */

struct function_lines {
	FILE *stream;
	char *text;		/* the newest line, with its continuation lines */
	unsigned long number;
};

static bool is_continued(const char *text, size_t len)
{
	return len > 1 && text[len - 1] == '\n' && text[len - 2] == '\\';
}

static bool next_line(struct function_lines *lines)
{
	AUTO_FREE char *part = NULL;
	size_t room = 0, len = 0;
	ssize_t n;

	free(lines->text);
	lines->text = NULL;
	do {
		n = getline(&part, &room, lines->stream);
		if (n < 0)
			break;
		lines->text = mem_grow(lines->text, len + n + 1, 1);
		memcpy(lines->text + len, part, n + 1);
		len += n;
		lines->number++;
	} while (is_continued(lines->text, len));
	return lines->text;
}

bool script_stream(struct session *s, FILE *stream, const char *name, struct error *err)
{
	struct function_lines lines = { .stream = stream };
	bool ok = true;

	/* A first line with #! is an ordinary comment. */
	while (ok && !s->quit && !interrupt_pending() && next_line(&lines))
		ok = run_text(s, lines.text, &(struct origin){ name, lines.number }, err);
	free(lines.text);
	if (ok && ferror(stream))
		return error_set(err, STATUS_FAILURE, "%s: %s: give a file that can be read", name, strerror(errno));
	return ok;
}

bool script_file(struct session *s, const char *path, struct error *err)
{
	AUTO_CLOSE FILE *file = NULL;
	bool ok;

	if (!strcmp(path, "-"))
		return script_stream(s, stdin, "stdin", err);
	if (s->depth == MAX_DEPTH)
		return error_set(err, STATUS_USAGE,
				 "%s: files source each other more than %d deep: does it source itself?",
				 path, MAX_DEPTH);
	file = fopen(path, "re");
	if (!file)
		return error_set(err, STATUS_FAILURE, "%s: %s: give a file that can be read",
				 path, strerror(errno));
	s->depth++;
	ok = script_stream(s, file, path, err);
	s->depth--;
	return ok;
}
