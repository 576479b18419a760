// SPDX-License-Identifier: GPL-2.0-or-later
/* complete.c - completions of the word being typed.  See complete.h. */
#include "ctl/ui/complete_int.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "arch/arch.h"
#include "ctl/base/memory.h"
#include "ctl/cmd/command.h"
#include "ctl/cmd/help.h"
#include "ctl/device/property.h"
#include "ctl/device/site.h"
#include "ctl/events/events.h"
#include "ctl/events/systems.h"
#include "ctl/lang/expr.h"
#include "ctl/base/lex.h"
#include "ctl/lang/option.h"
#include "ctl/measure/fields.h"
#include "ctl/measure/oneshot.h"
#include "ctl/resolve/address.h"
#include "ctl/resolve/event.h"
#include "ctl/resolve/source.h"

/* Do not decode longer functions. */
#define MAX_FUNCTION	(64 << 10)

void offer_one(const struct offer *o, const char *name)
{
	if (!strncmp(name, o->word, strlen(o->word)))
		o->each(name, o->arg);
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

/* `event:sched_sw`, `event:sched:sched_sw` */
static void offer_events(struct offer *o)
{
	if (!session_symbols(o->s, NULL))
		return;
	symtab_complete(o->s->tab, event_symbols(o->s->tab), offer_event, o);
	systems_each(offer_of_system, o);
}

static bool offer_call(const struct sym *sym, void *arg)
{
	struct offer *o = arg;
	AUTO_FREE char *name = mem_printf("%s%s", ADDRESS_SYSCALL, sym->name + strlen(arch_native.syscall_prefix));

	offer_one(o, name);
	return true;
}

/* `syscall:open` */
static void offer_calls(struct offer *o)
{
	if (session_symbols(o->s, NULL))
		symtab_complete(o->s->tab, arch_native.syscall_prefix, offer_call, o);
}

static void offer_sets(struct offer *o)
{
	for (enum event_set set = 0; set < NR_EVENT_SETS; set++)
		offer_one(o, events_set_name(set));
	if (!session_symbols(o->s, NULL))
		return;
	systems_each(offer_of_system, o);
	offer_calls(o);
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

/* ------------------------------------------------------------------- rows */

static void offer_commands(const struct offer *o)
{
	for (const struct command *c = commands; c->name; c++)
		offer_one(o, c->name);
}

static void offer_options(const struct offer *o)
{
	for (const struct option_row *row = option_rows; row->name; row++)
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

/*
 * In an expression: offer what may follow the last $ of the word, as in `*(u64*)($rd`; for an empty word offer
 * the registers.  False: the word has no $.
 */
static bool offer_dollar(const struct offer *o)
{
	const char *dollar = strrchr(o->word, '$');
	const int before = dollar ? dollar + 1 - o->word : 0;
	const char *typed = dollar ? dollar + 1 : "";

	if (!dollar && *o->word)
		return false;
	for (const struct arch_reg *reg = arch_native.regs; reg->name; reg++) {
		AUTO_FREE char *name = mem_printf("%.*s%s%s", before, o->word, dollar ? "" : "$", reg->name);

		if ((reg->bytes == 8 || *typed) && !strncmp(reg->name, typed, strlen(typed)))
			o->each(name, o->arg);
	}
	for (size_t i = 0; i < nr_properties; i++) {
		const char *property = properties[i].name;
		AUTO_FREE char *name = mem_printf("%.*s%s%s", before, o->word, dollar ? "" : "$", property);

		if (property_is_variable(&properties[i]) && !strncmp(property, typed, strlen(typed)))
			o->each(name, o->arg);
	}
	return true;
}

static void offer_set(const struct offer *o)
{
	AUTO_SITES struct sites sites = { 0 };

	offer_one(o, "*");
	if (!session_connect(o->s, NULL) || !sites_load(&o->s->dev, &sites, NULL))
		return;
	for (size_t i = 0; i < sites.n; i++)
		offer_one(o, site_name(&sites, i));
}

/* ---------------------------------------------------------------- context */

static void offer_expression(const struct offer *o, const struct words *words)
{
	const char *dollar = strrchr(o->word, '$');

	if (!*o->word || (dollar && !strpbrk(dollar, ".>")))
		offer_dollar(o);
	if (!dollar || strpbrk(dollar, ".>"))
		offer_source(o, words);
}

static void offer_argument(struct offer *o, const struct words *words, enum option_arg arg)
{
	if (arg == ARG_REGISTER)
		offer_registers(o);
	else if (arg == ARG_ADDRESS)
		offer_symbols(o, false);
	else if (arg == ARG_EXPRESSION)
		offer_expression(o, words);
	else if (arg == ARG_METHOD)
		for (unsigned int method = KT_METHOD_BREAKPOINT; method <= KT_METHOD_JUMP; method++)
			offer_one(o, site_method(method));
}

/* After `trace`: an option's argument, an option, or the next address. */
static void offer_trace(struct offer *o, const struct words *words)
{
	const struct option_row *option = words->n > 1 ? option_find(words->v[words->n - 1])
						       : NULL;

	if (!strncmp(o->word, EVENT, strlen(EVENT))) {
		offer_events(o);
		return;
	}
	if (!strncmp(o->word, ADDRESS_SYSCALL, strlen(ADDRESS_SYSCALL))) {
		offer_calls(o);
		return;
	}
	if (strpbrk(o->word, "$.>(")) {
		offer_expression(o, words);
		offer_files(o);
		return;
	}
	if (option && option->arg != ARG_NONE && option->arg != ARG_DEPTH) {
		offer_argument(o, words, option->arg);
		return;
	}
	if (words->n > 1)
		offer_options(o);
	if (strchr(o->word, '+'))
		offer_offsets(o);
	else if (strchr(o->word, '/'))
		offer_files(o);
	else
		offer_symbols(o, true);
	if (*o->word) {
		offer_one(o, EVENT);
		offer_one(o, ADDRESS_SYSCALL);
		offer_one(o, "inline:");
		if (strchr(o->word, ':') && session_symbols(o->s, NULL))
			systems_each(offer_of_system, o);
	}
}

/* ------------------------------------------------------------ measurements */

static void offer_fields(const struct offer *o)
{
	for (const struct measure_field *field = measure_fields; field->name; field++) {
		AUTO_FREE char *name = mem_printf("%s>", field->name);

		offer_one(o, name);
	}
}

static void offer_keys(const struct offer *o)
{
	for (size_t i = 0; i < nr_properties; i++)
		if (properties[i].option)
			offer_one(o, properties[i].name);
	offer_one(o, "VAR");
}

static void offer_words(const struct offer *o, const char *words)
{
	for (size_t len; *words; words += len + (words[len] == ' ')) {
		AUTO_FREE char *name = mem_strndup(words, len = strcspn(words, " "));

		offer_one(o, name);
	}
}

bool complete_flag(const struct flag *flag, const char *word, complete_fn *each, void *arg)
{
	const struct offer o = { .word = word, .each = each, .arg = arg };
	const char *values = flag->values ? flag->values : "";

	if (!strcmp(values, FLAG_FILES))
		return false;
	if (!strcmp(values, FLAG_FIGURES))
		offer_fields(&o);
	else if (!strcmp(values, FLAG_KEYS))
		offer_keys(&o);
	else
		offer_words(&o, values);
	return true;
}

static void offer_flags(const struct offer *o, const struct flags *flags)
{
	for (const struct flag *row = flags_next(flags, NULL); row; row = flags_next(flags, row))
		offer_one(o, row->name);
	if (oneshot_takes(flags))
		offer_one(o, "--");
}

/* The last, incomplete command of the line. */
static void last_command(const char *before, struct words *words)
{
	struct words next;

	*words = (struct words){ 0 };
	while (lex_command(&before, &next, NULL) == LEX_COMMAND) {
		words_free(words);
		*words = next;
		if (*before == ';')
			words_free(words);
	}
}

/* False: complete the name of a file. */
static bool offer_by_command(struct offer *o, const struct command *command, const struct words *words)
{
	if (command->completes == COMPLETE_TRACE)
		offer_trace(o, words);
	else if (command->completes == COMPLETE_SET)
		offer_set(o);
	else if (command->completes == COMPLETE_EVENTS)
		offer_sets(o);
	else if (command->completes == COMPLETE_TOPICS)
		help_topics(o->word, o->each, o->arg);
	else if (command->completes == COMPLETE_BUFFER)
		offer_words(o, "overwrite discard");
	return command->completes != COMPLETE_FILES;
}

/* The same, and behind -- a command with its words. */
static bool offer_arguments(struct offer *o, const struct command *command, const struct words *words)
{
	const char *before = words->v[words->n - 1];
	const struct flag *flag;

	if (!command->flags)
		return offer_by_command(o, command, words);
	for (size_t i = 1; i < words->n; i++)
		if (!strcmp(words->v[i], "--"))
			return false;
	flag = flags_find(command->flags, before, strlen(before));
	if (flag && flag->metavar)
		return complete_flag(flag, o->word, o->each, o->arg);
	if (*o->word != '-' && (*o->word || command->completes != COMPLETE_NOTHING))
		return offer_by_command(o, command, words);
	offer_flags(o, command->flags);
	return true;
}

bool complete(struct session *s, const char *before, const char *word, complete_fn *each,
	      void *arg)
{
	struct offer o = { .s = s, .word = word, .each = each, .arg = arg };
	AUTO_WORDS struct words words = { 0 };
	const struct command *command;

	last_command(before, &words);
	if (!words.n) {
		offer_commands(&o);
		return true;
	}
	command = command_find(words.v[0], NULL);
	return !command || offer_arguments(&o, command, &words);
}
