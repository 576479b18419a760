// SPDX-License-Identifier: GPL-2.0-or-later
/* site.c - the list of tracepoints.  See site.h. */
#include "ctl/base/device/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

static bool load_desc(struct device *dev, uint32_t id, struct desc **out, struct error *err)
{
	AUTO_FREE struct kt_desc_req *blob = NULL;
	size_t len;

	if (!device_desc(dev, id, &blob, &len, NULL, NULL, err))
		return false;
	*out = blob ? desc_decode(blob, len, err) : NULL;
	return !blob || *out;
}

bool sites_load(struct device *dev, struct sites *out, struct error *err)
{
	*out = (struct sites){ 0 };
	if (!device_list(dev, &out->v, &out->n, err))
		return false;
	out->descs = mem_zalloc(out->n, sizeof(*out->descs));
	for (size_t i = 0; i < out->n; i++) {
		if (!load_desc(dev, out->v[i].id, &out->descs[i], err)) {
			sites_free(out);
			return false;
		}
	}
	return true;
}

void sites_free(struct sites *sites)
{
	for (size_t i = 0; sites->descs && i < sites->n; i++)
		desc_free(sites->descs[i]);
	free(sites->descs);
	free(sites->v);
	free(sites->by_name);
	free(sites->by_addr);
	*sites = (struct sites){ 0 };
}

const char *site_name(const struct sites *sites, size_t i)
{
	return sites->descs[i] ? sites->descs[i]->name : "(just deleted)";
}

/* Compares the site at index i with a name or an address. */
typedef int compare_fn(const struct sites *sites, size_t i, const void *key);

static int compare_name(const struct sites *sites, size_t i, const void *key)
{
	return strcmp(site_name(sites, i), key);
}

static int compare_addr(const struct sites *sites, size_t i, const void *key)
{
	const uint64_t addr = sites->v[i].addr, other = *(const uint64_t *)key;

	return addr < other ? -1 : addr > other;
}

/* Of equal ones the first comes first. */
static int by_index(size_t i, size_t k)
{
	return i < k ? -1 : i > k;
}

static int order_names(const void *a, const void *b, void *sites)
{
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;

	return compare_name(sites, i, site_name(sites, k)) ?: by_index(i, k);
}

static int order_addrs(const void *a, const void *b, void *sites)
{
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;

	return compare_addr(sites, i, &((const struct sites *)sites)->v[k].addr) ?: by_index(i, k);
}

static size_t *in_order(struct sites *sites, int (*order)(const void *a, const void *b, void *sites))
{
	size_t *out = mem_zalloc(sites->n + 1, sizeof(*out));

	for (size_t i = 0; i < sites->n; i++)
		out[i] = i;
	qsort_r(out, sites->n, sizeof(*out), order, sites);
	return out;
}

static size_t search(const struct sites *sites, const size_t *indexes, compare_fn *compare, const void *key)
{
	size_t from = 0, to = sites->n;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (compare(sites, indexes[middle], key) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from < sites->n && !compare(sites, indexes[from], key) ? indexes[from] : sites->n;
}

size_t sites_by_name(struct sites *sites, const char *name)
{
	if (!sites->by_name)
		sites->by_name = in_order(sites, order_names);
	return search(sites, sites->by_name, compare_name, name);
}

size_t sites_by_addr(struct sites *sites, uint64_t addr)
{
	if (!sites->by_addr)
		sites->by_addr = in_order(sites, order_addrs);
	return search(sites, sites->by_addr, compare_addr, &addr);
}

const char *site_method(unsigned int method)
{
	static const char *const names[KT_NR_METHODS] = {
		[KT_METHOD_AUTO] = "auto",
		[KT_METHOD_BREAKPOINT] = "breakpoint",
		[KT_METHOD_JUMP] = "jump",
		[KT_METHOD_EVENT] = "event",
		[KT_METHOD_RETURN] = "kretprobe",
		[KT_METHOD_UPROBE] = "uprobe",
		[KT_METHOD_STEPPED] = "uprobe",
	};

	return method < KT_NR_METHODS && names[method] ? names[method] : "unknown";
}

const char *site_no_jump(unsigned int why)
{
	static const char *const words[KT_NR_NO_JUMPS] = {
		[KT_NO_JUMP_NONE] = "",
		[KT_NO_JUMP_TARGET] = "a branch may lead inside",
		[KT_NO_JUMP_INDIRECT] = "an indirect jump may lead inside",
		[KT_NO_JUMP_FUNCTION] = "the code around it is unclear",
		[KT_NO_JUMP_TABLES] = "branch targets are not known",
		[KT_NO_JUMP_END] = "too few bytes",
		[KT_NO_JUMP_FIXED] = "the next instruction must stay in place",
		[KT_NO_JUMP_BRANCH] = "calls, jumps or returns first",
		[KT_NO_JUMP_UNMOVABLE] = "cannot be moved",
		[KT_NO_JUMP_RANGE] = "out of reach",
		[KT_NO_JUMP_KPROBE] = "a kprobe is there",
		[KT_NO_JUMP_SITE] = "another tracepoint is there",
	};

	return why < KT_NR_NO_JUMPS && words[why] ? words[why] : "another reason";
}

const char *site_no_code(unsigned int why)
{
	static const char *const words[KT_NR_NO_CODES] = {
		[KT_NO_CODE_NONE] = "",
		[KT_NO_CODE_OFF] = "the module was loaded with codegen=0",
		[KT_NO_CODE_ARCH] = "the module makes none on this machine",
		[KT_NO_CODE_MANY] = "more than 16 tracepoints were set at once",
		[KT_NO_CODE_PLAIN] = "METHOD plain",
		[KT_NO_CODE_METHOD] = "only jumps and events have it",
		[KT_NO_CODE_OPTIONS] = "one of its options needs more",
		[KT_NO_CODE_PROGRAM] = "one of its values or filters needs more",
	};

	return why < KT_NR_NO_CODES && words[why] ? words[why] : "another reason";
}

const char *site_method_now(const struct kt_list_entry *entry, char buf[INSN_SAID])
{
	if (entry->spent)
		return "off: limit";
	if (entry->off)
		return "off: brake";
	if (entry->windowed == 2)
		return "off: window";
	if (entry->planned == KT_METHOD_AUTO)
		return "jump or breakpoint";
	if (entry->method != entry->planned)
		return "jump, soon";
	if (!entry->no_jump && !entry->windowed)
		return site_method(entry->method);
	snprintf(buf, INSN_SAID, "%s (%s%s%s)", site_method(entry->method), site_no_jump(entry->no_jump),
		 entry->no_jump && entry->windowed ? "; " : "", entry->windowed ? SITE_WINDOWED : "");
	return buf;
}

const char *site_insn(const struct symtab *tab, const struct arch_insn *insn, char buf[INSN_SAID])
{
	char target[24], name[200];
	const char *number;

	snprintf(target, sizeof(target), "0x%llx", (unsigned long long)insn->target);
	number = insn->target ? strstr(insn->text, target) : NULL;
	if (number && tab && symtab_describe(tab, insn->target, name, sizeof(name)))
		snprintf(buf, INSN_SAID, "%.*s%s", (int)(number - insn->text), insn->text, name);
	else
		snprintf(buf, INSN_SAID, "%s", insn->text);
	return buf;
}
