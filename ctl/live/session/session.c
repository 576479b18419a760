// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c - the environment of commands.  See session.h. */
#include "ctl/live/session/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/fit.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/screen.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/ask/resolve/user_code.h"
#include "ctl/trace/saved/saved.h"
#include "ctl/live/session/lost.h"
#include "ctl/trace/ctf/trace_info.h"

static void say_left_out(void *session, const char *text)
{
	session_warn(session, "warning: %s; the rest is read", text);
}

void session_init(struct session *s)
{
	saved_tell(say_left_out, s);
	*s = (struct session){
		.out = stdout, .messages = stderr, .kallsyms = LIVE_SYMBOLS, .module_list = "/proc/modules",
		.dev = { .fd = -1 },
	};
}

void session_end(struct session *s)
{
	saved_close(s->saved);
	saved_tell(NULL, NULL);
	if (s->reader)
		reader_destroy(s->reader);
	session_drop_old(s);
	lost_free(s);
	symtab_free(s->tab);
	s->saved = NULL;
	debug_close(s->debug);
	programs_free(s->programs);
	s->programs = NULL;
	user_code_free(s->code);
	s->code = NULL;
	free(s->cache);
	free(s->module_files);
	s->module_files = NULL;
	s->nr_module_files = 0;
	s->debug = NULL;
	s->cache = NULL;
	s->reader = NULL;
	s->tab = NULL;
}

/* Keep only those that the module accepts. */
static void leave_out_terminal(struct session *s)
{
	struct terminal found;

	terminal_find(&found);
	s->terminal.is_unknown = found.is_unknown;
	for (size_t i = 0; i < found.n; i++) {
		if (device_own(&s->dev, found.holders[i].pid))
			s->terminal.holders[s->terminal.n++] = found.holders[i];
		else
			s->terminal.is_unknown = true;
	}
}

bool session_connect(struct session *s, struct error *err)
{
	if (s->connected)
		return true;
	s->connected = device_open(&s->dev, err);
	if (s->connected && s->finds_terminal)
		leave_out_terminal(s);
	return s->connected;
}

bool session_saved(struct session *s, struct error *err)
{
	if (!s->saved)
		s->saved = saved_open_readable(s->input, err);
	if (!s->saved)
		return false;
	s->kallsyms = saved_symbols(s->saved);
	/* A recording that did not come to its end has none, nor has a trace of processes: its addresses stay numbers. */
	s->told_symbols |= saved_info(s->saved)->is_open || saved_info(s->saved)->user;
	return true;
}

bool session_enter_saved(struct session *s, const char *dir, struct session *before, struct error *err)
{
	*before = *s;
	s->input = dir;
	s->saved = NULL;
	s->tab = NULL;
	s->debug = NULL;
	s->told_symbols = false;
	if (session_saved(s, err))
		return true;
	session_leave_saved(s, before);
	return false;
}

void session_leave_saved(struct session *s, const struct session *before)
{
	saved_close(s->saved);
	symtab_free(s->tab);
	debug_close(s->debug);
	s->input = before->input;
	s->saved = before->saved;
	s->kallsyms = before->kallsyms;
	s->tab = before->tab;
	s->debug = before->debug;
	s->modules = before->modules;
	s->told_symbols = before->told_symbols;
}

bool session_one_dir(const struct session *s, const char *command, const char **dir, struct error *err)
{
	if (*dir && s->input)
		return error_set(err, STATUS_USAGE, "%s: -i %s and %s: give one trace", command, s->input, *dir);
	*dir = *dir ? *dir : s->input;
	return true;
}

bool session_reader(struct session *s, struct error *err)
{
	if (!s->reader)
		s->reader = reader_create(&s->dev, err);
	return s->reader;
}

/* --------------------------------------------------------------- messages */

static void put_line(struct session *s, const char *line)
{
	fflush(s->out);
	if (s->message_terminal)
		fit_text(line, screen_columns(), s->messages);
	else
		fputs(line, s->messages);
}

static void say(struct session *s, const char *fmt, va_list args)
{
	AUTO_FREE char *text = mem_vprintf(fmt, args);
	AUTO_FREE char *line = mem_printf("ktrace: %s\n", escape_shown(text));

	put_line(s, line);
}

void session_note(struct session *s, const char *fmt, ...)
{
	va_list args;

	if (s->quiet)
		return;
	va_start(args, fmt);
	say(s, fmt, args);
	va_end(args);
}

void session_warn(struct session *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(s, fmt, args);
	va_end(args);
}

void session_complain(struct session *s, const char *where, const struct error *err)
{
	AUTO_FREE char *line = mem_printf("ktrace: %s%s%s\n", where ? where : "", where ? ": " : "", err->text);
	struct json j;

	if (s->format != PRINT_JSON) {
		put_line(s, line);
		return;
	}
	fflush(s->out);
	j = json_typed(s->messages, "error");
	json_text(&j, "where", where);
	json_number(&j, "status", err->status);
	json_text(&j, "text", err->text);
	json_end(&j);
}

FILE *session_fit(struct session *s)
{
	FILE *const before = s->out;
	FILE *fit = NULL;

	if (s->on_terminal && s->format == PRINT_TEXT && !fit_columns(before))
		fit = fit_open(before, screen_columns());
	s->out = fit ? fit : before;
	return before;
}

void session_fit_end(struct session *s, FILE *before)
{
	if (s->out != before)
		fclose(s->out);
	s->out = before;
}

bool session_flush(struct session *s, struct error *err)
{
	if (!fflush(s->out) && !ferror(s->out))
		return true;
	clearerr(s->out);
	return error_set(err, STATUS_FAILURE, "the output cannot be written: is the disk full?");
}
