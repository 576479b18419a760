// SPDX-License-Identifier: GPL-2.0-or-later
/* session_symbols.c - the symbols of a session: loaded when a command first needs them, and again when modules changed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/session/live_key.h"
#include "ctl/session/session.h"
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

/* From the table that is kept for this state of the kernel, else from the kernel, and keep it. */
static enum symtab_status load(struct session *s)
{
	char key[KEPT_KEY], again[KEPT_KEY];
	const bool is_live = !strcmp(s->kallsyms, LIVE_SYMBOLS) && live_key(key);
	enum symtab_status status;

	s->tab = is_live ? symtab_map(KEPT_DIR, key) : NULL;
	if (s->tab)
		return SYMTAB_OK;
	status = symtab_load(s->kallsyms, &s->tab);
	if (status != SYMTAB_OK)
		return status;
	symtab_yield(s->tab, OWN_MODULE);
	if (is_live && live_key(again) && !strcmp(key, again) && all_loaded(s->tab))
		symtab_keep(s->tab, KEPT_DIR, key);
	return status;
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
	status = load(s);
	return status == SYMTAB_OK || symbols_failed(s, status, errno, err);
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
