// SPDX-License-Identifier: GPL-2.0-or-later
/* prompt.c - the interactive prompt.  See prompt.h. */
#include "ctl/ui/prompt.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "ctl/base/escape.h"
#include "ctl/base/guard.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/paths.h"
#include "ctl/cmd/script.h"
#include "ctl/live/session/lost.h"
#include "ctl/ui/complete.h"

#define MAX_HISTORY	2000

/* Readline's hooks have no argument for it. */
static struct session *session;

/* ------------------------------------------------------------- completion */

struct matches {
	char **v;
	size_t n, next;
};

static struct matches matches;

static void add_match(const char *word, void *arg)
{
	struct matches *m = arg;

	/* Readline prints names of files and symbols as they are; one that is harmful cannot be typed either. */
	if (escape_shown(word) != word)
		return;
	m->v = MEM_MORE(m->v, m->n);
	m->v[m->n++] = mem_strdup(word);
}

/* Readline frees the strings that it gets. */
static char *next_match(const char *text, int state)
{
	if (!state)
		matches.next = 0;
	return matches.next < matches.n ? matches.v[matches.next++] : NULL;
}

/* A line number of a file, a member or an argument may follow without a blank. */
static bool may_go_on(const char *match)
{
	return strchr(":(", match[strlen(match) - 1]) || strpbrk(match, ".>");
}

/* The length of what all matches have in front of their last part: "file->" of "file->f_p". */
static size_t in_front(const char *common)
{
	size_t len = strlen(common);

	while (len && !strchr(".>:", common[len - 1]))
		len--;
	return len;
}

/* List only the last parts. */
static void list_matches(char **found, int n, int longest)
{
	const size_t front = in_front(found[0]);
	AUTO_FREE char **parts = mem_zalloc(n + 2, sizeof(*parts));

	for (int i = 0; i <= n; i++)
		parts[i] = found[i] + front;
	rl_display_match_list(parts, n, longest - front);
	rl_forced_update_display();
}

static char **complete_word(const char *text, int start, int end)
{
	AUTO_FREE char *before = mem_strndup(rl_line_buffer, start);
	char **list;

	matches = (struct matches){ 0 };
	/* Readline's handler would keep Ctrl-C to itself until this function returns. */
	rl_clear_signals();
	rl_attempted_completion_over = complete(session, before, text, add_match, &matches);
	rl_set_signals();
	if (session->reading.shown)
		rl_forced_update_display();
	session->reading.shown = false;
	rl_completion_suppress_append = matches.n && may_go_on(matches.v[0]);
	list = matches.n ? rl_completion_matches(text, next_match) : NULL;
	free(matches.v);
	/* Readline asks before it lists very many only if it lists them itself. */
	rl_completion_display_matches_hook =
		list && matches.n <= (size_t)rl_completion_query_items && in_front(list[0]) ? list_matches : NULL;
	return list;
}

/* ---------------------------------------------------------------- history */

static void history_begin(const char *path)
{
	using_history();
	stifle_history(MAX_HISTORY);
	/* With times in the file, a pasted text of several lines stays one entry. */
	history_comment_char = '#';
	history_write_timestamps = 1;
	if (!path)
		return;
	path_make(path);
	read_history(path);
	history_truncate_file(path, MAX_HISTORY);
}

/* Append each line at once, so that a killed controller loses none. */
static void history_add(const char *path, const char *line)
{
	HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;

	if (last && !strcmp(last->line, line))
		return;
	add_history(line);
	if (path && append_history(1, path))
		write_history(path);
}

/* -------------------------------------------------------------------- run */

static void run_start_file(void)
{
	AUTO_FREE char *path = path_of("XDG_CONFIG_HOME", ".config", "rc");
	const char *why;
	struct error err;

	if (!path)
		return;
	if (path_is_trusted(path, &why)) {
		if (!script_file(session, path, &err))
			session_complain(session, NULL, &err);
	} else if (why) {
		session_note(session, "%s is not run: %s", path, why);
	}
}

static bool is_blank(const char *line)
{
	while (isspace((unsigned char)*line))
		line++;
	return !*line;
}

/* At the prompt an error is only printed. */
static void run_line(const char *line)
{
	struct error err;
	bool ok;

	interrupt_hide_keys();
	ok = script_text(session, line, &err);
	interrupt_show_keys();
	fflush(session->out);
	if (interrupt_by_ctrl_c()) {
		interrupt_clear();
		fputs("^C\n", session->out);
	}
	if (!ok)
		session_complain(session, NULL, &err);
	fflush(session->out);
}

/* ------------------------------------------------------------------ lines */

static struct {
	char *text;
	bool done;
} typed;

/* Readline calls it with a whole line; NULL: Ctrl-D. */
static void take_line(char *text)
{
	typed.text = text;
	typed.done = true;
	rl_callback_handler_remove();
}

/*
 * Ctrl-C discards the keys typed before it.  drop_line() does this, not the terminal: the terminal could
 * discard them after poll() has reported them, and readline would then wait for further keys.
 */
static void prepare_terminal(int meta)
{
	struct termios t;

	rl_prep_terminal(meta);
	if (tcgetattr(STDIN_FILENO, &t))
		return;
	t.c_lflag |= NOFLSH;
	tcsetattr(STDIN_FILENO, TCSANOW, &t);
}

/* Ctrl-C during a line. */
static void drop_line(void)
{
	tcflush(STDIN_FILENO, TCIFLUSH);
	rl_replace_line("", 0);
	rl_callback_handler_remove();
	fputc('\n', rl_outstream);
}

/* Records that a hit, a command or another ktrace has frozen: new ones would be missed. */
static const char *prompt_text(void)
{
	struct kt_status status;

	if (session->connected && device_status(&session->dev, &status, NULL, NULL) && status.frozen)
		return "(ktrace, frozen) ";
	return "(ktrace) ";
}

/*
 * Read the next line.  False: a signal came first.  Readline gets key by key, because its own loop would not
 * end on a signal before the next key.
 */
static bool read_line(void)
{
	typed.text = NULL;
	typed.done = false;
	lost_tell(session, false);
	rl_callback_handler_install(prompt_text(), take_line);
	while (!typed.done && !interrupt_pending()) {
		if (interrupt_wait(STDIN_FILENO))
			rl_callback_read_char();
		else
			rl_check_signals();
	}
	if (!typed.done)
		drop_line();
	return typed.done;
}

static void setup_readline(void)
{
	rl_readline_name = "ktrace";
	rl_attempted_completion_function = complete_word;
	rl_completer_word_break_characters = (char *)" \t\n;'\"";
	rl_basic_word_break_characters = rl_completer_word_break_characters;
	rl_persistent_signal_handlers = 1;
	rl_prep_term_function = prepare_terminal;
	rl_initialize();
}

static void read_lines(const char *history)
{
	while (!session->quit) {
		AUTO_FREE char *line = NULL;

		if (!read_line()) {
			if (!interrupt_by_ctrl_c())
				return;
			interrupt_clear();
			continue;
		}
		line = typed.text;
		if (!line) {
			fputc('\n', rl_outstream);
			return;
		}
		if (is_blank(line))
			continue;
		history_add(history, line);
		run_line(line);
	}
}

void prompt_run(struct session *s, bool use_rc)
{
	AUTO_FREE char *history = path_of("XDG_STATE_HOME", ".local/state", "history");
	FILE *stream = interrupt_output(), *guarded = stream ? guard_open(stream) : NULL, *out = s->out;

	session = s;
	s->interactive = true;
	s->out = guarded ? guarded : out;
	setup_readline();
	interrupt_catch();
	history_begin(history);
	if (use_rc)
		run_start_file();
	read_lines(history);
	interrupt_release();
	s->out = out;
	if (guarded)
		fclose(guarded);
	if (stream)
		fclose(stream);
}
