// SPDX-License-Identifier: GPL-2.0-or-later
/* address.c - sums of symbols and hexadecimal numbers.  See address.h. */
#include "ctl/ask/resolve/address.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/base/memory.h"
#include "ctl/base/number.h"
#include "ctl/base/suggestion.h"

#define MAX_SHOWN	8	/* candidates listed in a refusal */
#define KERNEL		"vmlinux"
#define SYSCALL		"syscall"

/* One term, split into its parts. */
struct term {
	char module[64];
	bool has_module;
	char name[512];
	bool is_syscall;	/* "syscall:": name has the function's prefix */
	uint64_t index;		/* from #n; 0: none */
	const char *text;	/* as typed */
	int len;
};

/* All symbols of a name, so that #n does not depend on the kind that is wanted. */
struct candidates {
	const struct sym *const *all;
	size_t n;
};

static bool bad_term(const struct term *t, struct error *err)
{
	return error_set(err, STATUS_USAGE,
			 "'%.*s' is not an address: give symbols and hexadecimal numbers with + between them",
			 t->len, t->text);
}

static bool too_large(const char *text, int len, struct error *err)
{
	return error_set(err, STATUS_USAGE,
			 "'%.*s': number too large: addresses have 64 bits", len, text);
}

static bool split_index(struct term *t, struct error *err)
{
	char *hash = strrchr(t->name, '#');

	if (!hash)
		return true;
	if (number_count(hash + 1, &t->index) != NUMBER_OK || !t->index)
		return bad_term(t, err);
	*hash = '\0';
	return true;
}

/* The function of a system call.  False: its name does not fit. */
static bool call_symbol(const char *call, int len, char *buf, size_t size)
{
	return snprintf(buf, size, "%s%.*s", arch_native.syscall_prefix, len, call) < (int)size;
}

static bool split_term(const char *text, int len, struct term *t, struct error *err)
{
	const char *colon = memchr(text, ':', len), *name = colon ? colon + 1 : text;
	int name_len = text + len - name, module_len = colon ? colon - text : 0;

	*t = (struct term){ .text = text, .len = len, .has_module = colon };
	if (name_len <= 0 || name_len >= (int)sizeof(t->name) ||
	    module_len >= (int)sizeof(t->module))
		return bad_term(t, err);
	memcpy(t->name, name, name_len);
	memcpy(t->module, text, module_len);
	t->is_syscall = !strcmp(t->module, SYSCALL);
	if (t->is_syscall && !call_symbol(name, name_len, t->name, sizeof(t->name)))
		return bad_term(t, err);
	if (t->is_syscall || !strcmp(t->module, KERNEL))
		t->module[0] = '\0';
	return split_index(t, err);
}

static struct candidates find_named(const struct symtab *tab, const struct term *t)
{
	struct candidates c = { 0 };

	if (tab)
		c.n = symtab_by_name(tab, t->name, t->has_module ? t->module : NULL, &c.all);
	return c;
}

/* What the term names.  Without such a symbol, "sys_read" is the system call. */
static struct candidates find(const struct symtab *tab, const struct term *t)
{
	const size_t len = strlen(ADDRESS_SYS);
	struct candidates c = find_named(tab, t);
	struct term call = *t;

	if (c.n || t->has_module || strncmp(t->name, ADDRESS_SYS, len) ||
	    !call_symbol(t->name + len, strlen(t->name + len), call.name, sizeof(call.name)))
		return c;
	return find_named(tab, &call);
}

/* --------------------------------------------------------------- refusals */

/* `file.c:582`, `vfs_write:12` */
static bool is_line(const struct term *t)
{
	return t->has_module && strspn(t->name, "0123456789") == strlen(t->name);
}

static bool no_lines(const struct term *t, struct error *err)
{
	return error_set(err, STATUS_FAILURE,
			 "'%.*s': source lines are not known without debug information: give an offset, such as vfs_write+50",
			 t->len, t->text);
}

/* "sched_switch", or "sched:sched_switch" in the spelling of perf and ftrace. */
static bool is_event(const struct symtab *tab, const char *name)
{
	AUTO_FREE char *data = mem_printf("__tracepoint_%s", name), *caller = mem_printf("__traceiter_%s", name);
	const struct sym *const *first;

	return symtab_by_name(tab, data, NULL, &first) || symtab_by_name(tab, caller, NULL, &first);
}

struct similar_calls {
	struct suggestions names;
	bool any;
};

static bool offer_call(const struct sym *sym, void *arg)
{
	struct similar_calls *similar = arg;

	similar->any = true;
	suggestion_offer(&similar->names, sym->name + strlen(arch_native.syscall_prefix));
	return true;
}

static bool no_call(const struct symtab *tab, const struct term *t, struct error *err)
{
	struct similar_calls similar = { .names = { .word = t->name + strlen(arch_native.syscall_prefix) } };
	char buf[256];

	symtab_complete(tab, arch_native.syscall_prefix, offer_call, &similar);
	if (!similar.any)
		return error_set(err, STATUS_FAILURE, "'%.*s': this kernel has no function for each system call: trace event:sys_enter",
				 t->len, t->text);
	return error_set(err, STATUS_FAILURE, "'%.*s': the kernel has no such system call: %s", t->len, t->text,
			 suggestion_say(similar.names.names, similar.names.n, "'events syscall:*' lists them", buf, sizeof(buf)));
}

/* Prefixes that bpftrace and perf write, and what stands for such an address here. */
static const struct {
	const char *prefix, *before, *behind;
} foreign[] = {
	{ "kprobe", "", "" }, { "kfunc", "", "" }, { "fentry", "", "" }, { "kretprobe", "", "%return" }, { "kretfunc", "", "%return" },
	{ "fexit", "", "%return" }, { "tracepoint", "", "" }, { "rawtracepoint", "event:", "" }, { "uprobe", "", "" },
	{ "uretprobe", "", "%return" }, { "usdt", "", "" },
};

static bool is_foreign(const struct term *t, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		if (strcmp(foreign[i].prefix, t->module))
			continue;
		error_set(err, STATUS_FAILURE, "'%.*s': here it is written without '%s:': %s%s%s", t->len, t->text, t->module,
			  foreign[i].before, t->name, foreign[i].behind);
		return true;
	}
	return false;
}

/* "ext4:vfs_write", where the kernel or another module has the function. */
static bool has_other(const struct symtab *tab, const struct term *t, struct error *err)
{
	const struct sym *const *first;
	char name[600];

	if (!t->has_module || !symtab_by_name(tab, t->name, NULL, &first))
		return false;
	error_set(err, STATUS_FAILURE, "'%.*s': %s does not have it: write %s", t->len, t->text, *t->module ? t->module : "the kernel",
		  address_spell(tab, *first, name, sizeof(name)));
	return true;
}

#define NO_DATA	" (this kernel lists no data symbols, CONFIG_KALLSYMS_ALL is off: VAR can find it with debug information)"

static bool unknown(const struct symtab *tab, const struct term *t, struct error *err)
{
	const char *names[SUGGESTIONS_MAX];
	char buf[512];
	size_t n;

	/* To compare with all symbols takes long. */
	if (!err)
		return false;
	if (!tab)
		return error_set(err, STATUS_FAILURE,
				 "'%.*s' cannot be looked up, there are no symbols: give a number; 'status' tells how to get symbols",
				 t->len, t->text);
	if (t->is_syscall)
		return no_call(tab, t, err);
	if (is_line(t))
		return no_lines(t, err);
	if (is_event(tab, t->name))
		return error_set(err, STATUS_FAILURE, "'%.*s' is a static tracepoint, not a function: write event:%s",
				 t->len, t->text, t->name);
	if (strchr(t->name, ',') && !strchr(t->name, '('))
		return error_set(err, STATUS_FAILURE, "unknown symbol '%.*s': separate addresses with blanks", t->len, t->text);
	if ((t->has_module && !symtab_has_module(tab, t->module) && is_foreign(t, err)) || has_other(tab, t, err))
		return false;
	if (t->has_module && symtab_is_made(tab))
		return error_set(err, STATUS_FAILURE, "'%.*s': there is no '%s' here: a ':' stands in FILE:LINE, FUNCTION:LINE, inline:FUNCTION and, in a program, sdt:PROVIDER:NAME",
				 t->len, t->text, t->module);
	if (t->has_module && !symtab_has_module(tab, t->module))
		return error_set(err, STATUS_FAILURE,
				 "no module '%s' is loaded: load it first (modprobe %s), or leave '%s:' out; no program or library is called so, either",
				 t->module, t->module, t->module);
	n = symtab_similar(tab, t->name, t->has_module ? t->module : NULL, names, SUGGESTIONS_MAX);
	return error_set(err, STATUS_FAILURE, "unknown symbol '%.*s': %s%s", t->len, t->text,
			 suggestion_say(names, n, "'help address' tells how addresses are written", buf, sizeof(buf)),
			 symtab_has_data(tab) || symtab_is_made(tab) ? "" : NO_DATA);
}

#define MOST_BEFORE	16		/* functions to look at */
#define PADDING		"__pfx_"	/* labels of the padding before functions */

/*
 * The nearest function before this one that no other symbol is called like: mostly one of the same source file, which tells the
 * candidates apart where there is no debug information.  NULL: there is none so near.
 */
static const struct sym *neighbour(const struct symtab *tab, const struct sym *sym)
{
	const struct sym *const *all, *at = sym;

	for (int i = 0; i < MOST_BEFORE && (at = symtab_by_addr(tab, at->addr - 1)) && !strcmp(at->module, sym->module); i++)
		if (sym_is_text(at) && !strchr(at->name, '.') && strncmp(at->name, PADDING, strlen(PADDING)) &&
		    symtab_by_name(tab, at->name, NULL, &all) == 1)
			return at;
	return NULL;
}

static void say_candidates(const struct symtab *tab, const struct candidates *c, bool text_only,
			   FILE *out)
{
	const struct sym *before;
	size_t shown = 0, more = 0;
	char name[600];

	for (size_t i = 0; i < c->n; i++) {
		const struct sym *sym = c->all[i];

		if (text_only && !sym_is_text(sym))
			continue;
		if (shown == MAX_SHOWN) {
			more++;
			continue;
		}
		before = sym_is_text(sym) ? neighbour(tab, sym) : NULL;
		fprintf(out, "%s%s (%s, %" PRIx64 "%s%s)", shown++ ? ", " : "",
			address_spell(tab, sym, name, sizeof(name)),
			*sym->module ? sym->module : "kernel", sym->addr, before ? ", behind " : "", before ? before->name : "");
	}
	if (more)
		fprintf(out, " and %zu more", more);
}

static bool ambiguous(const struct symtab *tab, const struct term *t, const struct candidates *c,
		      bool text_only, struct error *err)
{
	AUTO_FREE char *list = NULL;
	size_t len;
	FILE *out = open_memstream(&list, &len);

	if (!out)
		return error_set(err, STATUS_FAILURE, "'%s' is ambiguous: write %s#1 or %s#2",
				 t->name, t->name, t->name);
	say_candidates(tab, c, text_only, out);
	fclose(out);
	return error_set(err, STATUS_FAILURE, "several symbols have the name '%.*s': choose one of %s",
			 t->len, t->text, list);
}

/* ----------------------------------------------------------------- choice */

/* The only candidate of its kind.  NULL: there are several, or none. */
static const struct sym *only(const struct candidates *c, bool text_only)
{
	const struct sym *one = NULL;

	for (size_t i = 0; i < c->n; i++) {
		if (text_only && !sym_is_text(c->all[i]))
			continue;
		if (one && one->addr != c->all[i]->addr)
			return NULL;
		one = one ? one : c->all[i];
	}
	return one;
}

static bool any_text(const struct candidates *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (sym_is_text(c->all[i]))
			return true;
	return false;
}

static const struct sym *choose(const struct symtab *tab, const struct term *t,
				const struct candidates *c, enum address_want want,
				struct error *err)
{
	bool text_only = want == ADDRESS_CODE && any_text(c);
	const struct sym *sym;

	if (t->index) {
		if (t->index <= c->n)
			return c->all[t->index - 1];
		error_set(err, STATUS_FAILURE, "there is no '%.*s': '%s' has %zu candidate%s: the last is %s#%zu", t->len, t->text,
			  t->name, c->n, c->n == 1 ? "" : "s", t->name, c->n);
		return NULL;
	}
	sym = only(c, text_only);
	if (!sym)
		ambiguous(tab, t, c, text_only, err);
	return sym;
}

/* The value of one term; *sym is NULL if it is a number. */
static bool term_value(const struct symtab *tab, const char *text, int len,
		       enum address_want want, uint64_t *value, const struct sym **sym,
		       struct error *err)
{
	struct candidates c;
	struct term t;
	enum number_status status;

	*sym = NULL;
	if (!split_term(text, len, &t, err))
		return false;
	c = find(tab, &t);
	if (c.n) {
		*sym = choose(tab, &t, &c, want, err);
		*value = *sym ? (*sym)->addr : 0;
		return *sym;
	}
	status = number_hex(text, len, value);
	if (status == NUMBER_TOO_LARGE)
		return too_large(text, len, err);
	return status == NUMBER_OK || unknown(tab, &t, err);
}

/* -------------------------------------------------------------------- sum */

static int term_length(const char *p)
{
	return strcspn(p, "+-");
}

static bool no_term(const char *text, struct error *err)
{
	return error_set(err, STATUS_USAGE,
			 "'%s' is not an address: write a sum without blanks, such as vfs_write+50",
			 text);
}

/* The second symbol of a sum may be meant as a hexadecimal offset: "af" in kmem_cache_alloc+af. */
static void say_hidden_offset(const char *text, int len, struct error *err)
{
	uint64_t offset;

	if (number_hex(text, len, &offset) == NUMBER_OK)
		error_set(err, STATUS_FAILURE, "'%.*s' is also a symbol: to use it as an offset write 0x%.*s",
			  len, text, len, text);
}

/*
 * Extend a short address of eight digits where all code lies in the top 2 GiB; user space addresses are never
 * meant.
 */
static uint64_t lengthen(uint64_t value)
{
	bool is_short = value >> 31 == 1;

	return is_short ? value | arch_native.short_base : value;
}

bool address_parse(const struct symtab *tab, const char *text, enum address_want want,
		   struct address *out, struct error *err)
{
	const char *p = text;
	bool minus = false;

	*out = (struct address){ .bare = true };
	for (;;) {
		const struct sym *sym;
		uint64_t value;
		int len = term_length(p);

		if (!len)
			return no_term(text, err);
		if (!term_value(tab, p, len, want, &value, &sym, err)) {
			/* Several symbols have this name. */
			if (p > text)
				say_hidden_offset(p, len, err);
			return false;
		}
		if (minus ? __builtin_sub_overflow(out->value, value, &out->value)
			  : __builtin_add_overflow(out->value, value, &out->value)) {
			too_large(text, strlen(text), err);
			if (sym && p > text)
				say_hidden_offset(p, len, err);
			return false;
		}
		out->sym = out->sym ? out->sym : sym;
		out->bare = out->bare && sym && p == text && !p[len];
		if (!p[len]) {
			out->value = out->sym ? out->value : lengthen(out->value);
			return true;
		}
		minus = p[len] == '-';
		p += len + 1;
	}
}

bool address_is_known(const struct symtab *tab, const char *text)
{
	int len = term_length(text);
	uint64_t value;
	struct term t;

	if (!split_term(text, len, &t, NULL))
		return false;
	return find(tab, &t).n || number_hex(text, len, &value) != NUMBER_NONE;
}

/* --------------------------------------------------------------- spelling */

static size_t index_among(const struct candidates *c, const struct sym *sym)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->all[i]->addr == sym->addr)
			return i + 1;
	return 1;
}

const char *address_spell(const struct symtab *tab, const struct sym *sym, char *buf, size_t size)
{
	bool own = *sym->module;
	struct candidates c = { 0 };

	c.n = symtab_by_name(tab, sym->name, own ? sym->module : NULL, &c.all);
	if (c.n < 2 && !own && strlen(sym->name) < size)
		strcpy(buf, sym->name);		/* most names, in a tenth of the time */
	else if (c.n < 2)
		snprintf(buf, size, "%s%s%s", sym->module, own ? ":" : "", sym->name);
	else
		snprintf(buf, size, "%s%s%s#%zu", sym->module, own ? ":" : "", sym->name,
			 index_among(&c, sym));
	return buf;
}
