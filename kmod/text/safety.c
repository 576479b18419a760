// SPDX-License-Identifier: GPL-2.0-only
/* safety.c - the rules, as a table.  See safety.h. */
#include <linux/cpu.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/base/ksym.h"
#include "kmod/base/site.h"
#include "kmod/compat/compat.h"
#include "kmod/text/blacklist.h"
#include "kmod/text/change.h"
#include "kmod/text/jump_label.h"
#include "kmod/text/safety.h"
#include "kmod/text/scratch.h"

/* Ranges of kernel text between two symbols.  Without `last` the range is a whole function. */
#define RANGE(first, last, refusal)	{ first, last, refusal, 0, 0, NULL },
#define FUNCTION(name, refusal)		{ name, NULL, refusal, 0, 0, NULL },
#define BEGINS(prefix, refusal)
#define WINDOW(name)
#define LAST(name)
static struct text_range {
	const char *first, *last;
	enum kt_refusal refusal;
	unsigned long start, end;
	const struct text_range *next;		/* the next function of the table whose name begins with the same letter */
} ranges[] = {
#include "kmod/text/range_list.h"
#include "range_arch.h"
};
#undef RANGE
#undef FUNCTION
#undef BEGINS

/* Symbols that are refused by the beginning of their name. */
#define RANGE(first, last, refusal)
#define FUNCTION(name, refusal)
#define BEGINS(prefix, refusal)		{ prefix, refusal },
static const struct {
	const char *prefix;
	enum kt_refusal refusal;
} prefixes[] = {
#include "kmod/text/range_list.h"
#include "range_arch.h"
};
#undef RANGE
#undef FUNCTION
#undef BEGINS
#undef WINDOW

/* Functions that a window disarms.  An architecture may have none, and a range without addresses has no text in it. */
#define RANGE(first, last, refusal)
#define FUNCTION(name, refusal)
#define BEGINS(prefix, refusal)
#define WINDOW(name)			{ name, NULL, KT_REFUSE_NONE, 0, 0, NULL },
static struct text_range windows[] = {
#include "kmod/text/range_list.h"
#include "range_arch.h"
	{ NULL, NULL, KT_REFUSE_NONE, 0, 0, NULL },
};
#undef WINDOW
#undef LAST

#define WINDOW(name)
#define LAST(name)			{ name, NULL, KT_REFUSE_NONE, 0, 0, NULL },
static struct text_range lasts[] = {
#include "kmod/text/range_list.h"
#include "range_arch.h"
};

/* The functions of a table by the first letter of their names: there are many rows, and a call may ask for tens of thousands of names. */
struct letters {
	const struct text_range *first[128];
};

static struct letters range_letters, window_letters, last_letters;

static unsigned long range_end(const struct text_range *range)
{
	unsigned long size, offset;

	if (range->last)
		return kt_ksym_find(range->last);
	if (!range->start || !kt_kallsyms_lookup_size_offset(range->start, &size, &offset))
		return 0;
	return range->start + size;
}

static void find(struct text_range *range)
{
	range->start = kt_ksym_find(range->first);
	range->end = range_end(range);
}

/* In a list of letters, the rows stay in the order of the table. */
static void find_all(struct text_range *rows, size_t nr, struct letters *letters)
{
	const struct text_range **list;

	while (nr--) {
		find(&rows[nr]);
		if (rows[nr].last)
			continue;
		list = &letters->first[*rows[nr].first & 127];
		rows[nr].next = *list;
		*list = &rows[nr];
	}
}

void kt_safety_init(void)
{
	find_all(ranges, ARRAY_SIZE(ranges), &range_letters);
	find_all(windows, ARRAY_SIZE(windows) - 1, &window_letters);
	find_all(lasts, ARRAY_SIZE(lasts), &last_letters);
}

/* Lock order as in kernel/kprobes.c and kernel/jump_label.c: CPU hotplug, jump labels, text_mutex. */
static u64 text_locks;		/* under text_mutex */

void kt_text_lock_cpuslocked(void)
{
	kt_jump_label_lock();
	mutex_lock(kt_text_mutex());
	text_locks++;
}

void kt_text_lock(void)
{
	cpus_read_lock();
	kt_text_lock_cpuslocked();
}

u64 kt_text_lock_count(void)
{
	lockdep_assert_held(kt_text_mutex());
	return text_locks;
}

void kt_text_unlock_cpuslocked(void)
{
	mutex_unlock(kt_text_mutex());
	kt_jump_label_unlock();
}

void kt_text_unlock(void)
{
	kt_text_unlock_cpuslocked();
	cpus_read_unlock();
}

/* Rules before decoding: they look at the address only. */

static bool is_user(unsigned long addr)
{
	return addr < TASK_SIZE_MAX;
}

static bool is_self(unsigned long addr)
{
	return within_module(addr, THIS_MODULE) && !kt_scratch_is(addr);
}

/* Where rows overlap, the first one gives the reason: any of them is correct. */
static enum kt_refusal range_of(unsigned long addr)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++)
		if (addr >= ranges[i].start && addr < ranges[i].end)
			return ranges[i].refusal;
	return KT_REFUSE_NONE;
}

static struct module *text_module(unsigned long addr)
{
	struct module *mod;

	preempt_disable();
	mod = kt___module_text_address(addr);
	preempt_enable();
	return mod;
}

struct module *kt_safety_module(unsigned long addr)
{
	struct module *mod = kt_core_kernel_text(addr) ? NULL : text_module(addr);

	lockdep_assert_held(&kt_change_lock);
	return mod && mod->state == MODULE_STATE_LIVE ? mod : NULL;
}

bool kt_is_text(unsigned long addr)
{
	return kt_core_kernel_text(addr) || text_module(addr);
}

static bool not_text(unsigned long addr)
{
	return !kt_is_text(addr);
}

/* A module that is live now stays: unloading it calls ktrace's notifier (remove.c), which waits for kt_change_lock. */
static bool module_not_live(unsigned long addr)
{
	struct module *mod = kt_core_kernel_text(addr) ? NULL : text_module(addr);

	return mod && (mod->state != MODULE_STATE_LIVE || within_module_init(addr, mod));
}

static bool no_symbol(unsigned long addr)
{
	unsigned long size, offset;

	return !kt_kallsyms_lookup_size_offset(addr, &size, &offset);
}

/* The name of the symbol at addr.  "": there is none, or this kernel has no kallsyms_lookup(). */
static void symbol_name(unsigned long addr, char name[KSYM_NAME_LEN])
{
	unsigned long size, offset;
	char *modname;

	if (!kt_have(kallsyms_lookup) || !kt_kallsyms_lookup(addr, &size, &offset, &modname, name))
		*name = '\0';
}

/* What follows `start` in a name; NULL: the name does not begin with it. */
static const char *behind(const char *name, const char *start)
{
	for (; *start && *name == *start; start++)
		name++;
	return *start ? NULL : name;
}

static enum kt_refusal prefix_of(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (behind(name, prefixes[i].prefix))
			return prefixes[i].refusal;
	return KT_REFUSE_NONE;
}

enum kt_refusal kt_safety_prefix(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	symbol_name(addr, name);
	return prefix_of(name);
}

/*
 * The row of the kernel's function at addr, by its name; the compiler may have added to it (.constprop.0, .part.0).  NULL: there is none.
 * The addresses in a row are those of one function only, but several may have its name: each file that uses a static function of a header
 * has a copy of it.
 */
static const struct text_range *named(const struct letters *letters, unsigned long addr, const char *name)
{
	const struct text_range *row;
	const char *rest;

	if (!*name || !kt_core_kernel_text(addr))
		return NULL;
	for (row = letters->first[*name & 127]; row; row = row->next) {
		rest = behind(name, row->first);
		if (rest && (!*rest || *rest == '.'))
			return row;
	}
	return NULL;
}

static bool is_windowed(unsigned long addr, const char *name)
{
	size_t i;

	for (i = 0; windows[i].first; i++)
		if (addr >= windows[i].start && addr < windows[i].end)
			return true;
	return named(&window_letters, addr, name);
}

struct kt_safety_name kt_safety_name(unsigned long addr)
{
	const struct text_range *same;
	char name[KSYM_NAME_LEN];

	symbol_name(addr, name);
	same = named(&range_letters, addr, name);
	return (struct kt_safety_name){
		.refusal = same ? same->refusal : prefix_of(name), .windowed = is_windowed(addr, name),
		.is_plain = *name && !strchr(name, '.'), .comes_last = named(&last_letters, addr, name),
	};
}

static const struct {
	enum kt_refusal refusal;
	bool (*applies)(unsigned long addr);
} address_rules[] = {
	{ KT_REFUSE_USER,	 is_user },
	{ KT_REFUSE_SELF,	 is_self },
	{ KT_REFUSE_NOT_TEXT,	 not_text },
	{ KT_REFUSE_MODULE,	 module_not_live },
	{ KT_REFUSE_NO_SYMBOL,	 no_symbol },
};

/* Rules after decoding: they look at the instruction. */
struct candidate {
	void *first, *last;	/* its first and last byte in the text */
	const u8 *insn;		/* the original instruction, without patches of any probe */
	u8 len;
};

static bool has_extable(const struct candidate *p)
{
	return kt_search_exception_tables((unsigned long)p->first);
}

static bool has_bug(const struct candidate *p)
{
	return kt_have(find_bug) && kt_arch.may_be_bug(p->insn, p->len) &&
	       kt_find_bug((unsigned long)p->first);
}

static bool has_jump_label(const struct candidate *p)
{
	return kt_arch.may_be_jump_label(p->insn, p->len) &&
	       kt_jump_label_has((unsigned long)p->first, (unsigned long)p->last);
}

static bool has_static_call(const struct candidate *p)
{
	return kt_have(static_call_text_reserved) && kt_arch.may_be_static_call((unsigned long)p->first, p->insn, p->len) &&
	       kt_static_call_text_reserved(p->first, p->last);
}

static bool has_ftrace(const struct candidate *p)
{
	return kt_have(ftrace_text_reserved) && kt_ftrace_text_reserved(p->first, p->last);
}

static const struct {
	enum kt_refusal refusal;
	bool (*applies)(const struct candidate *p);
} insn_rules[] = {
	{ KT_REFUSE_FTRACE,		has_ftrace },
	{ KT_REFUSE_JUMP_LABEL,		has_jump_label },
	{ KT_REFUSE_STATIC_CALL,	has_static_call },
	{ KT_REFUSE_EXTABLE,		has_extable },
	{ KT_REFUSE_BUG,		has_bug },
};

/* Check the ranges first: init text is freed, so the address rules would only say that it is no text. */
enum kt_refusal kt_safety_unnamed(unsigned long addr, bool is_plain)
{
	enum kt_refusal refusal = range_of(addr);
	size_t i;

	if (refusal)
		return refusal;
	for (i = 0; i < ARRAY_SIZE(address_rules); i++)
		if (address_rules[i].applies(addr))
			return address_rules[i].refusal;
	return kt_blacklist_has(addr, is_plain) ? KT_REFUSE_BLACKLIST : KT_REFUSE_NONE;
}

enum kt_refusal kt_safety_address(unsigned long addr)
{
	const struct kt_safety_name by_name = kt_safety_name(addr);

	return kt_safety_unnamed(addr, by_name.is_plain) ?: by_name.refusal;
}

enum kt_refusal kt_safety_insn(unsigned long addr, const u8 *insn, u8 len)
{
	const struct candidate p = { (void *)addr, (void *)(addr + len - 1), insn, len };
	size_t i;

	lockdep_assert_held(kt_text_mutex());
	for (i = 0; i < ARRAY_SIZE(insn_rules); i++)
		if (insn_rules[i].applies(&p))
			return insn_rules[i].refusal;
	return KT_REFUSE_NONE;
}

enum kt_refusal kt_safety_text(struct kt_site *site)
{
	unsigned long addr = site->addr, size, offset, before;
	enum kt_refusal refusal;

	lockdep_assert_held(kt_text_mutex());
	if (!kt_kallsyms_lookup_size_offset(addr, &size, &offset))
		return KT_REFUSE_NO_SYMBOL;
	refusal = kt_arch.decode(addr - offset, addr, site->insn, &site->insn_len, &before);
	if (refusal)
		return refusal;
	refusal = kt_safety_insn(addr, site->insn, site->insn_len);
	if (refusal)
		return refusal;
	site->module = kt_core_kernel_text(addr) ? NULL : text_module(addr);
	return KT_REFUSE_NONE;
}

enum kt_refusal kt_safety_check(struct kt_site *site)
{
	const struct kt_safety_name by_name = kt_safety_name(site->addr);

	site->windowed = by_name.windowed;
	return kt_safety_unnamed(site->addr, by_name.is_plain) ?: by_name.refusal ?: kt_safety_text(site);
}

/* The kernel arms its kretprobes itself, and no window disarms them. */
enum kt_refusal kt_safety_function(unsigned long entry, struct module **module)
{
	unsigned long size, offset;
	enum kt_refusal refusal;
	const struct kt_safety_name by_name = kt_safety_name(entry);

	lockdep_assert_held(kt_text_mutex());
	refusal = kt_safety_unnamed(entry, by_name.is_plain);
	if (refusal)
		return refusal;
	if (by_name.refusal || by_name.windowed)
		return by_name.refusal ?: KT_REFUSE_NO_TRAPS;
	if (!kt_kallsyms_lookup_size_offset(entry, &size, &offset) || offset)
		return KT_REFUSE_NO_FUNCTION;
	*module = kt_core_kernel_text(entry) ? NULL : text_module(entry);
	return KT_REFUSE_NONE;
}

/* Would a site there be accepted?  *len is the length of its instruction. */
static bool good(unsigned long addr, u8 *len)
{
	struct kt_site site = { .addr = addr };
	bool ok;

	if (kt_safety_check(&site))
		return false;
	*len = site.insn_len;
	ok = !kt_arch.prepare(&site);
	if (ok)
		kt_arch.release(&site);
	return ok;
}

/*
 * If addr is in the middle of an instruction: the start of that instruction.  Otherwise the first accepted address in
 * the next 64 bytes: users who type a refused address usually mean the code that follows.
 */
unsigned long kt_safety_nearest(unsigned long addr)
{
	unsigned long size, offset, before = 0, start, at;
	enum kt_refusal refusal;
	u8 insn[KT_MAX_INSN], len;

	lockdep_assert_held(kt_text_mutex());
	if (kt_safety_address(addr) || !kt_kallsyms_lookup_size_offset(addr, &size, &offset))
		return 0;
	start = addr - offset;
	refusal = kt_arch.decode(start, addr, insn, &len, &before);
	if (refusal == KT_REFUSE_BOUNDARY && good(before, &len))
		return before;
	for (at = addr + 1; at < start + size && at < addr + 64; at++)
		if (good(at, &len))
			return at;
	return 0;
}
