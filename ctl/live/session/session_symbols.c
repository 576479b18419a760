// SPDX-License-Identifier: GPL-2.0-or-later
/* session_symbols.c - the symbols of a session: loaded when a command first needs them, and again when modules changed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/live_key.h"
#include "ctl/live/session/session.h"
#include "symbols/base/hash.h"

/* it cannot trace itself: if the kernel has the same name, the kernel's symbol is meant */
#define OWN_MODULE	"ktrace"

static bool hash_module(void *arg, const struct live_module *module)
{
	uint64_t *hash = arg;

	*hash = hash_text(hash_text(hash_text(*hash, module->name), module->size), module->address);
	*hash = hash_number(*hash, module->inode);
	return true;
}

/* A number that changes when modules or BPF programs come or go.  The use counts of modules do not change it. */
static uint64_t fingerprint(const struct session *s)
{
	uint64_t hash = HASH_START;

	live_modules(s->module_list, hash_module, &hash);
	if (!strcmp(s->kallsyms, LIVE_SYMBOLS))
		live_bpf(&hash);
	return hash;
}

static bool symbols_failed(const struct session *s, enum symtab_status status, int no,
			   struct error *err)
{
	static const char hidden[] =
		"hides the addresses: run as root with CAP_SYSLOG or 'sysctl kernel.kptr_restrict=1'";

	if (status == SYMTAB_HIDDEN) {
		error_set(err, STATUS_NO_ACCESS, "%s %s", s->kallsyms, hidden);
		return error_lacks(err, strcmp(s->kallsyms, LIVE_SYMBOLS) ? LACK_NOTHING : LACK_SYMBOLS);
	}
	if (status == SYMTAB_UNREADABLE && s->saved)
		return error_set(err, STATUS_FAILURE, "%s: %s: addresses are shown without names", s->kallsyms, strerror(no));
	if (status == SYMTAB_UNREADABLE)
		return error_set(err, STATUS_NO_ACCESS, "%s: %s: mount /proc and run as root",
				 s->kallsyms, strerror(no));
	if (status == SYMTAB_STOPPED)
		return error_set(err, STATUS_FAILURE, "interrupted while the symbols were read: give the command again");
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

struct loaded {
	const struct symtab *tab;
	size_t nr;
};

static bool count_loaded(void *arg, const struct live_module *module)
{
	struct loaded *loaded = arg;

	loaded->nr += symtab_has_module(loaded->tab, module->name);
	return true;
}

/* Are all modules of the table loaded now?  One may have been loaded and removed while the table was read. */
static bool all_loaded(const struct symtab *tab)
{
	struct loaded loaded = { tab, symtab_has_module(tab, "") + symtab_has_module(tab, "bpf") };

	return live_modules("/proc/modules", count_loaded, &loaded) && loaded.nr == symtab_modules(tab);
}

static bool go_on(void *arg)
{
	struct session *s = arg;

	progress_wait(&s->reading.line, "reading the kernel's symbols");
	return !s->reading.may_stop || !interrupt_pending();
}

static enum symtab_status read_table(struct session *s)
{
	enum symtab_status status;
	int saved;

	s->reading.line = progress_open(s->messages, s->quiet, false);
	status = symtab_load(s->kallsyms, go_on, s, &s->tab);
	saved = errno;
	s->reading.shown |= s->reading.line.any;
	progress_close(&s->reading.line);
	errno = saved;
	return status;
}

/* From the table that is kept for this state of the kernel, else from the kernel, and keep it. */
static enum symtab_status load(struct session *s)
{
	char key[KEPT_KEY], again[KEPT_KEY];
	const bool is_live = !strcmp(s->kallsyms, LIVE_SYMBOLS) && live_key(key);
	enum symtab_status status;

	s->tab = is_live ? symtab_map(KEPT_DIR, key) : NULL;
	if (s->tab)
		return SYMTAB_OK;
	status = read_table(s);
	if (status != SYMTAB_OK)
		return status;
	symtab_yield(s->tab, OWN_MODULE);
	if (is_live && live_key(again) && !strcmp(key, again) && all_loaded(s->tab))
		symtab_keep(s->tab, KEPT_DIR, key);
	return status;
}

/* may_stop: Ctrl-C ends it. A command that has been interrupted needs the names for what it still shows. */
static enum symtab_status provide(struct session *s, bool may_stop)
{
	uint64_t modules = fingerprint(s);

	if (s->tab && (modules == s->modules || (s->old && s->old->nr >= MOST_OLD)))
		return SYMTAB_OK;
	session_retire(s);
	s->modules = modules;
	s->reading.may_stop = may_stop;
	errno = 0;
	return load(s);
}

bool session_symbols(struct session *s, struct error *err)
{
	enum symtab_status status;

	if (s->offline)
		return s->tab || error_set(err, STATUS_FAILURE, "the file has no symbols: give a vmlinux with symbols");
	status = provide(s, true);
	return status == SYMTAB_OK || symbols_failed(s, status, errno, err);
}

static void complain_once(struct session *s, const struct error *why)
{
	if (!s->told_symbols)
		session_complain(s, NULL, why);
	s->told_symbols = true;
}

bool session_begin_symbols(struct session *s, struct error *err)
{
	struct error why;

	if (session_symbols(s, &why))
		return true;
	if (interrupt_pending()) {
		*err = why;
		return false;
	}
	complain_once(s, &why);
	return true;
}

const struct symtab *session_want_symbols(struct session *s)
{
	struct error why;
	enum symtab_status status;

	if (s->offline)
		return s->tab;
	status = provide(s, false);
	if (status != SYMTAB_OK) {
		symbols_failed(s, status, errno, &why);
		complain_once(s, &why);
	}
	return s->tab;
}
