// SPDX-License-Identifier: GPL-2.0-or-later
/* session_target.c - the kernel against which a session resolves addresses.  See session_target.h. */
#include "ctl/live/session/session_target.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "arch/arch.h"
#include "ctl/ask/resolve/debuginfo.h"
#include "ctl/ask/resolve/function_lines.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/ask/resolve/user_code.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/paths.h"
#include "ctl/live/session/fetch.h"
#include "ctl/live/session/live_key.h"

static void say(void *arg, const char *text)
{
	session_note(arg, "%s", text);
}

/* Of an index that is built. */
static void show_indexing(void *arg, uint64_t done, uint64_t of)
{
	struct session *s = arg;

	if (!s->indexing.out)
		s->indexing = progress_open(s->messages, s->quiet, false);
	progress_part(&s->indexing, "indexing", done, of);
	if (done < of)
		return;
	progress_close(&s->indexing);
	s->indexing.out = NULL;
}

struct dbindex_watch session_watch(struct session *s)
{
	return (struct dbindex_watch){ .show = show_indexing, .arg = s };
}

/* Ctrl-C ends the wait for an index that is made in the background. */
static bool stops_waiting(void *arg)
{
	return interrupt_pending();
}

/* Tracepoints leave it out, as ktrace itself. */
static void leave_out(void *arg, int pid)
{
	struct session *s = arg;

	if (s->connected)
		device_own(&s->dev, pid);
}

/* At the prompt more questions will follow. */
static void set_indexing(struct session *s, struct debug_options *options)
{
	options->watch = session_watch(s);
	options->stops = stops_waiting;
	options->began = leave_out;
	options->is_ahead = s->interactive;
}

static uint64_t live_text(const struct session *s)
{
	const struct sym *const *first;

	return s->tab && symtab_by_name(s->tab, "_stext", "", &first) ? (*first)->addr : 0;
}

static void name_cache(struct session *s)
{
	char *path = s->cache ? NULL : path_of("XDG_CACHE_HOME", ".cache", "index");

	if (path)
		s->cache = path;
}

static void name_release(struct session *s)
{
	struct utsname name;

	if (!uname(&name))
		snprintf(s->release, sizeof(s->release), "%s", name.release);
}

struct debug *session_debug(struct session *s)
{
	struct debug_options options = {
		.is_live = true, .root = s->root, .file = s->vmlinux, .note = say, .arg = s, .fetch = session_fetch(s),
	};

	if (s->debug || !s->uses_debug || !s->tab)
		return s->debug;
	name_cache(s);
	name_release(s);
	set_indexing(s, &options);
	options.modules = s->module_files;
	options.nr_modules = s->nr_module_files;
	options.cache = s->cache;
	options.release = s->release;
	options.live_text = live_text(s);
	options.symbols = s->tab;
	if (!strcmp(s->kallsyms, LIVE_SYMBOLS)) {
		options.kept = KEPT_DIR;
		options.kept_key = live_key_of_types;
	}
	options.args = arch_native.dwarf_args;
	options.nr_args = arch_native.nr_dwarf_args;
	options.args_by_reference = arch_native.args_by_reference;
	s->debug = debug_open(&options);
	return s->debug;
}

bool session_offline(struct session *s, const char *vmlinux, struct error *err)
{
	struct debug_options options = { .file = vmlinux, .note = say, .arg = s };
	struct debug_error why;
	struct debug_unit *unit;

	session_online(s);
	s->offline = true;
	name_cache(s);
	set_indexing(s, &options);
	options.cache = s->cache;
	options.release = s->release;
	s->debug = debug_open(&options);
	unit = s->debug ? debug_unit(s->debug, "", &why) : NULL;
	if (!unit)
		return debuginfo_failed(&why, err);
	s->tab = debug_symbols(unit);
	return true;
}

void session_online(struct session *s)
{
	session_retire(s);
	s->offline = false;
}

static struct programs *session_programs(struct session *s)
{
	if (s->programs)
		return s->programs;
	name_cache(s);
	s->program_debug = (struct debug_options){
		.root = s->root, .cache = s->cache, .note = say, .arg = s, .fetch = session_fetch(s),
	};
	set_indexing(s, &s->program_debug);
	s->programs = programs_new(&s->program_debug, s->uses_debug);
	return s->programs;
}

struct target session_target(struct session *s)
{
	return (struct target){
		.dev = &s->dev, .tab = s->tab, .arch = &arch_native, .debug = session_debug(s),
		.programs = s->offline ? NULL : session_programs(s),
	};
}

struct user_code *session_code(struct session *s)
{
	if (!s->code && !s->input)
		s->code = user_code_new();
	return s->input ? NULL : s->code;
}

const char *session_line(void *session, uint64_t addr, char *buf, size_t size)
{
	struct session *s = session;
	struct target target;

	buf[0] = '\0';
	/* Not again: the printer may use the symbols that there are. */
	if (s->input || (!s->tab && !session_want_symbols(s)))
		return buf;
	target = session_target(s);
	function_line_short(&target, addr, buf, size);
	buf[strcspn(buf, " ")] = '\0';
	return buf;
}
