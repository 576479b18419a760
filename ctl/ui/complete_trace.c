// SPDX-License-Identifier: GPL-2.0-or-later
/* complete_trace.c - completions behind `trace`: addresses, options, their arguments. */
#include "ctl/ui/complete_int.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "ctl/ask/events/systems.h"
#include "ctl/ask/expr/expr.h"
#include "ctl/ask/lang/aggregate.h"
#include "ctl/ask/lang/option.h"
#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/event.h"
#include "ctl/ask/resolve/source.h"
#include "ctl/base/comm.h"
#include "ctl/base/device/site.h"
#include "ctl/base/memory.h"

/* Do not decode longer functions. */
#define MAX_FUNCTION	(64 << 10)

/* Has the word this beginning? */
static bool has_form(const struct offer *o, const char *form)
{
	return !strncmp(o->word, form, strlen(form));
}

/* ---------------------------------------------------------------- symbols */

static bool offer_symbol(const struct sym *sym, void *arg)
{
	const struct offer *o = arg;

	if (!o->text_only || sym_is_text(sym))
		offer_one(o, sym->name);
	return true;
}

/* `ext4:ext4_wr`: symbols of one module. */
static void offer_module_symbols(const struct offer *o, const char *colon)
{
	AUTO_FREE char *module = mem_strndup(o->word, colon - o->word);
	const char *wanted = strcmp(module, "vmlinux") ? module : "";
	const struct symtab *tab = o->s->tab;
	char name[640];

	for (size_t i = 0; i < symtab_count(tab); i++) {
		const struct sym *sym = symtab_at(tab, i);

		if (strcmp(sym->module, wanted) || (o->text_only && !sym_is_text(sym)))
			continue;
		snprintf(name, sizeof(name), "%s:%s", module, sym->name);
		offer_one(o, name);
	}
}

static void offer_symbols(struct offer *o, bool text_only)
{
	const char *colon = strchr(o->word, ':');

	/* A list of all symbols helps no user. */
	if (!*o->word || !session_symbols(o->s, NULL))
		return;
	o->text_only = text_only;
	if (colon)
		offer_module_symbols(o, colon);
	else
		symtab_complete(o->s->tab, o->word, offer_symbol, o);
}

static bool offer_event(const struct sym *sym, void *arg)
{
	struct offer *o = arg;
	AUTO_FREE char *name = mem_printf("%s%s", EVENT, sym->name + strlen(event_symbols(o->s->tab)));

	offer_one(o, name);
	return true;
}

/* `sched:sched_sw`, and the same behind `event:` */
static void offer_of_system(const char *system, const char *event, void *arg)
{
	const struct offer *o = arg;
	AUTO_FREE char *name = mem_printf("%s%s:%s", EVENT, system, event);
	AUTO_FREE char *symbol = mem_printf("%s%s", event_symbols(o->s->tab), event);
	const struct sym *const *all;
	const bool is_long = !strncmp(o->word, EVENT, strlen(EVENT));
	const char *offered = is_long ? name : name + strlen(EVENT);
	AUTO_FREE char *alone = mem_strndup(offered, strrchr(offered, ':') + 1 - offered);

	/* tracefs also lists what is no static tracepoint of its own. */
	if (!symtab_by_name(o->s->tab, symbol, NULL, &all))
		return;
	/* Without a colon behind it, offer the system alone. */
	offer_one(o, strchr(o->word + (is_long ? strlen(EVENT) : 0), ':') ? offered : alone);
}

void offer_systems(const struct offer *o)
{
	systems_each(offer_of_system, (void *)o);
}

/* `event:sched_sw`, `event:sched:sched_sw` */
static void offer_events(struct offer *o)
{
	if (!session_symbols(o->s, NULL))
		return;
	symtab_complete(o->s->tab, event_symbols(o->s->tab), offer_event, o);
	offer_systems(o);
}

/* In the form in which it is being typed. */
static bool offer_call(const struct sym *sym, void *arg)
{
	struct offer *o = arg;
	const char *form = has_form(o, ADDRESS_SYS) ? ADDRESS_SYS : ADDRESS_SYSCALL;
	AUTO_FREE char *name = mem_printf("%s%s", form, sym->name + strlen(arch_native.syscall_prefix));

	offer_one(o, name);
	return true;
}

/* `syscall:open`, `sys_open` */
void offer_calls(struct offer *o)
{
	if (session_symbols(o->s, NULL))
		symtab_complete(o->s->tab, arch_native.syscall_prefix, offer_call, o);
}

/* ---------------------------------------------------------------- offsets */

/* The function with which the sum before the last + begins. */
static const struct sym *function_of(struct session *s, const char *base)
{
	struct address address;

	if (!session_symbols(s, NULL) ||
	    !address_parse(s->tab, base, ADDRESS_CODE, &address, NULL) || !address.bare ||
	    !sym_is_text(address.sym))
		return NULL;
	return address.sym;
}

/* Offer the start of every instruction behind the function's start. */
static void offer_instructions(const struct offer *o, const struct sym *sym, const char *base,
			       const uint8_t *code, size_t len)
{
	const char *typed = o->word + strlen(base) + 1;
	const char *prefix = *typed && *typed != '0' ? "" : "0x";
	size_t at = arch_native.prologue(code, len, sym->addr);
	struct arch_insn insn;

	while (at < len && arch_native.decode(code + at, len - at, sym->addr + at, &insn)) {
		AUTO_FREE char *name = mem_printf("%s+%s%zx", base, prefix, at);

		if (at)
			offer_one(o, name);
		at += insn.len;
	}
}

static void offer_offsets(const struct offer *o)
{
	AUTO_FREE char *base = mem_strndup(o->word, strrchr(o->word, '+') - o->word);
	const struct sym *sym = function_of(o->s, base);
	AUTO_FREE uint8_t *code = NULL;

	if (!sym || sym->size > MAX_FUNCTION || !session_connect(o->s, NULL))
		return;
	code = mem_zalloc(sym->size, 1);
	offer_instructions(o, sym, base, code,
			   device_text(&o->s->dev, sym->addr, code, sym->size));
}

/* `vfs_write%re` */
static void offer_return(const struct offer *o)
{
	const int len = strchr(o->word, '%') - o->word;
	AUTO_FREE char *base = mem_strndup(o->word, len);

	if (function_of(o->s, base))
		offer_behind(o, len, RETURN);
}

/* ----------------------------------------------------------------- options */

/* latency and the like: options that concern records make no sense there. */
static bool measures(const struct command *command)
{
	return command->run == cmd_latency || command->run == cmd_lines;
}

static void offer_options(const struct offer *o, const struct command *command)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (!measures(command) || row->measured != NOT_MEASURED)
			offer_one(o, row->name);
}

/* What may be a key of BY beside an expression. */
static void offer_keys(const struct offer *o)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (aggregate_is_key(row))
			offer_one(o, row->name);
}

static bool offer_registers_of(const struct offer *o, bool whole)
{
	bool any = false;

	for (const struct arch_reg *reg = arch_native.regs; reg->name; reg++) {
		if (strncmp(reg->name, o->word, strlen(o->word)) || (reg->bytes == 8) != whole)
			continue;
		any = true;
		o->each(reg->name, o->arg);
	}
	return any;
}

/* Offer parts of registers only if no whole register matches. */
static void offer_registers(const struct offer *o)
{
	if (!offer_registers_of(o, true))
		offer_registers_of(o, false);
}

/* ------------------------------------------------------------------- tasks */

/* The process's value that ONLYPID and the like compare.  The caller frees it. */
static char *value_of_process(unsigned int only, int process)
{
	AUTO_FREE char *path = mem_printf("/proc/%d", process);
	char comm[KT_COMM_BYTES];
	struct stat st;

	if (only == ONLY_PID || only == ONLY_TGID)
		return mem_printf("%d", process);
	if (only == ONLY_PGRP)
		return mem_printf("%d", getpgid(process));
	if (only == ONLY_COMM)
		return mem_strdup(comm_read(process, comm) && !strchr(comm, ' ') ? comm : "");
	if (stat(path, &st))
		return mem_strdup("");
	return mem_printf("%u", only == ONLY_UID ? st.st_uid : st.st_gid);
}

static void offer_tasks(const struct offer *o, unsigned int only)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const int process = atoi(entry->d_name);
		AUTO_FREE char *value = process > 0 ? value_of_process(only, process) : NULL;

		if (value && *value)
			offer_one(o, value);
	}
	if (dir)
		closedir(dir);
}

void offer_processes(const struct offer *o)
{
	offer_tasks(o, ONLY_TGID);
}

static void offer_cpus(const struct offer *o)
{
	const long n = sysconf(_SC_NPROCESSORS_CONF);

	for (long cpu = 0; cpu < n; cpu++) {
		AUTO_FREE char *number = mem_printf("%ld", cpu);

		offer_one(o, number);
	}
}

/* The values of ONLYPID, ONLYCPU and so on. */
static void offer_filter(const struct offer *o, const struct option_row *option)
{
	if (option_is_expression(option->arg))
		return;
	if (option->flags == ONLY_CPU)
		offer_cpus(o);
	else
		offer_tasks(o, option->flags);
}

static void offer_methods(const struct offer *o)
{
	for (unsigned int method = KT_METHOD_BREAKPOINT; method <= KT_METHOD_JUMP; method++)
		offer_one(o, site_method(method));
	offer_one(o, "plain");
}

/* ----------------------------------------------------------------- context */

/* What the words behind `trace` lead to. */
struct context {
	const char *address;		/* to which options belong; NULL: none yet */
	const char *first;		/* the first address */
	const struct option_row *option;	/* its argument is being typed; NULL: none is */
	char *typed;			/* what is there of an expression already; the caller frees it */
};

char *words_join(const struct words *words, size_t first)
{
	char *text = mem_strdup("");

	for (size_t i = first; i < words->n; i++) {
		char *longer = mem_printf("%s%s%s", text, i > first ? " " : "", words->v[i]);

		free(text);
		text = longer;
	}
	return text;
}

/* The word behind the expression that begins at words[first].  It may be the end: then the expression can go on. */
static size_t past_expression(struct context *c, const struct words *words, size_t first, const struct option_row *option)
{
	AUTO_FREE char *text = words_join(words, first);
	size_t used = 0, end = 0, i = first;
	struct error unused;

	if (*text && (option->arg == ARG_KEYS ? aggregate_keys_length(text, &used, &unused)
					      : option_expression_length(option, text, &used, &unused))) {
		for (; i < words->n && end < used; i++)
			end += strlen(words->v[i]) + 1;
		return i;
	}
	c->option = option;
	c->typed = mem_strdup(text);
	return words->n;
}

static bool is_number(const char *word)
{
	return isdigit((unsigned char)word[*word == '-']);
}

/* The word behind the option's argument, which begins at words[first]. */
static size_t past_argument(struct context *c, const struct words *words, size_t first, const struct option_row *option)
{
	const size_t n = option->arg == ARG_NONE ? 0 : option->arg == ARG_CALLER ? 2 : 1;
	size_t i;

	if (option->arg == ARG_DEPTH)
		return first + (first < words->n && is_number(words->v[first]));
	if (option_is_expression(option->arg)) {
		i = past_expression(c, words, first, option);
		while (option->arg == ARG_RANGE && i < words->n && is_number(words->v[i]))
			i++;
		return i;
	}
	if (words->n - first >= n)
		return first + n;
	c->option = option;
	c->typed = words_join(words, first);
	return words->n;
}

/* The word behind an option with a dash, which is words[i]. */
static size_t past_flag(const struct command *command, const char *word, size_t i)
{
	const struct flag *flag = command->flags ? flags_find(command->flags, word, strlen(word)) : NULL;

	return i + (flag && flag->metavar ? 2 + flag->two_words : 1);
}

static void read_context(struct context *c, const struct command *command, const struct words *words)
{
	for (size_t i = 1; i < words->n;) {
		const struct option_row *option = option_find(words->v[i]);

		if (option) {
			i = past_argument(c, words, i + 1, option);
		} else if (*words->v[i] == '-') {
			i = past_flag(command, words->v[i], i);
		} else {
			c->address = words->v[i++];
			c->first = c->first ? c->first : c->address;
		}
	}
}

const char *trace_address(const struct command *command, const struct words *words, bool last)
{
	struct context c = { .address = NULL };

	read_context(&c, command, words);
	free(c.typed);
	return last ? c.address : c.first;
}

static void offer_argument(struct offer *o, const struct context *c)
{
	const enum option_arg arg = c->option->arg;

	if (arg == ARG_REGISTER)
		offer_registers(o);
	else if (arg == ARG_ADDRESS)
		offer_symbols(o, false);
	else if (arg == ARG_METHOD)
		offer_methods(o);
	else if (arg == ARG_CALLER && !*c->typed)
		offer_words(o, "depth in");
	else if (c->option->measured == FILTERS_ENTRY || c->option->measured == FILTERS_BOTH)
		offer_filter(o, c->option);
	if (arg == ARG_KEYS)
		offer_keys(o);
	if (option_is_expression(arg))
		offer_expression(o, c->address, c->typed);
}

static void offer_address(struct offer *o, const struct words *words)
{
	offer_programs(o, words, false);
	if (has_form(o, EVENT))
		offer_events(o);
	else if (has_form(o, ADDRESS_SYSCALL))
		offer_calls(o);
	else if (has_form(o, INLINE))
		offer_inlined(o);
	else if (strchr(o->word, '%'))
		offer_return(o);
	else if (strchr(o->word, '+'))
		offer_offsets(o);
	else if (strpbrk(o->word, "./") && strchr(strpbrk(o->word, "./"), ':'))
		offer_lines(o);
	else {
		if (!strchr(o->word, '/'))
			offer_symbols(o, true);
		if (has_form(o, ADDRESS_SYS))
			offer_calls(o);
		if (strpbrk(o->word, "./"))
			offer_files(o);
		if (*o->word) {
			offer_words(o, EVENT " " ADDRESS_SYSCALL " " INLINE);
			if (session_symbols(o->s, NULL))
				offer_systems(o);
		}
	}
}

void offer_trace(struct offer *o, const struct command *command, const struct words *words)
{
	struct context c = { .address = NULL };

	read_context(&c, command, words);
	if (c.option) {
		offer_argument(o, &c);
	} else {
		if (c.address)
			offer_options(o, command);
		offer_address(o, words);
	}
	free(c.typed);
}
