// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c - the environment of commands.  See session.h. */
#include "ctl/session/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/fit.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/screen.h"
#include "ctl/resolve/programs.h"
#include "ctl/resolve/user_code.h"
#include "ctl/saved/saved.h"
#include "ctl/ctf/trace_info.h"
#include "symbols/base/hash.h"

/* it cannot trace itself: if the kernel has the same name, the kernel's symbol is meant */
#define OWN_MODULE	"ktrace"

static void say_left_out(void *session, const char *text)
{
	session_warn(session, "warning: %s; the rest is read", text);
}

void session_init(struct session *s)
{
	saved_tell(say_left_out, s);
	*s = (struct session){
		.out = stdout, .messages = stderr, .kallsyms = "/proc/kallsyms", .module_list = "/proc/modules",
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

bool session_reader(struct session *s, struct error *err)
{
	if (!s->reader)
		s->reader = reader_create(&s->dev, err);
	return s->reader;
}

/* ---------------------------------------------------------------- symbols */

/* A hash of the names and addresses of the modules, without their use counts. */
static uint64_t fingerprint(const struct session *s)
{
	AUTO_CLOSE FILE *file = fopen(s->module_list, "re");
	char name[128], address[64];
	uint64_t hash = HASH_START;

	while (file && fscanf(file, "%127s %*s %*s %*s %*s %63s%*[^\n]", name, address) == 2)
		hash = hash_text(hash_text(hash, name), address);
	return hash;
}

static bool symbols_failed(const struct session *s, enum symtab_status status, int no,
			   struct error *err)
{
	static const char hidden[] =
		"hides the addresses: run as root with CAP_SYSLOG or 'sysctl kernel.kptr_restrict=1'";

	if (status == SYMTAB_HIDDEN)
		return error_set(err, STATUS_NO_ACCESS, "%s %s", s->kallsyms, hidden);
	if (status == SYMTAB_UNREADABLE)
		return error_set(err, STATUS_NO_ACCESS, "%s: %s: mount /proc and run as root",
				 s->kallsyms, strerror(no));
	if (status == SYMTAB_NOMEM)
		return error_set(err, STATUS_FAILURE, "no memory for the symbols: free some");
	return error_set(err, STATUS_FAILURE,
			 "%s is not a list of symbols: is it truncated?", s->kallsyms);
}

/* A command that runs for weeks, beside modules that come and go, keeps the names that it has. */
#define MOST_OLD	8

struct old_symbols {
	struct old_symbols *next;
	unsigned int nr;	/* of these to the end */
	struct symtab *tab;
	struct debug *debug;	/* it depends on the addresses of modules, and refers to tab */
};

void session_retire(struct session *s)
{
	struct old_symbols *old;

	if (s->tab || s->debug) {
		old = mem_zalloc(1, sizeof(*old));
		*old = (struct old_symbols){ s->old, s->old ? s->old->nr + 1 : 1, s->tab, s->debug };
		s->old = old;
	}
	s->tab = NULL;
	s->debug = NULL;
}

void session_drop_old(struct session *s)
{
	struct old_symbols *old;

	while ((old = s->old)) {
		s->old = old->next;
		debug_close(old->debug);
		symtab_free(old->tab);
		free(old);
	}
}

bool session_symbols(struct session *s, struct error *err)
{
	uint64_t modules = s->offline ? s->modules : fingerprint(s);
	enum symtab_status status;

	if (s->tab && (modules == s->modules || (s->old && s->old->nr >= MOST_OLD)))
		return true;
	if (s->offline)
		return error_set(err, STATUS_FAILURE, "the file has no symbols: give a vmlinux with symbols");
	session_retire(s);
	s->modules = modules;
	errno = 0;
	status = symtab_load(s->kallsyms, &s->tab);
	if (status != SYMTAB_OK)
		return symbols_failed(s, status, errno, err);
	symtab_yield(s->tab, OWN_MODULE);
	return true;
}

const struct symtab *session_want_symbols(struct session *s)
{
	struct error why;

	if (!session_symbols(s, &why) && !s->told_symbols) {
		s->told_symbols = true;
		session_complain(s, NULL, &why);
	}
	return s->tab;
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
