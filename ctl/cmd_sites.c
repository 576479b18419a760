// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_sites.c - list and delete the tracepoints that are set. */
#include <stdlib.h>
#include <string.h>

#include "ctl/command.h"
#include "ctl/json_out.h"
#include "ctl/memory.h"
#include "ctl/site.h"

/* ------------------------------------------------------------------- list */

struct columns {
	int name, options;
};

static const char *options_of(const struct sites *sites, size_t i)
{
	return sites->descs[i] ? sites->descs[i]->options : "";
}

static struct columns measure(const struct sites *sites)
{
	struct columns width = { 0, 0 };

	for (size_t i = 0; i < sites->n; i++) {
		int name = strlen(site_name(sites, i)), options = strlen(options_of(sites, i));

		width.name = name > width.name ? name : width.name;
		width.options = options > width.options ? options : width.options;
	}
	return width;
}

static const char *instruction(const struct kt_list_entry *entry, struct arch_insn *insn)
{
	return arch_native.decode(entry->insn, entry->insn_len, entry->addr, insn) ? insn->text
										  : "?";
}

static void list_text(struct session *s, const struct sites *sites, size_t i,
		      struct columns width)
{
	const char *options = options_of(sites, i);

	if (*options)
		fprintf(s->out, "%-*s  %s\n", width.name, site_name(sites, i), options);
	else
		fprintf(s->out, "%s\n", site_name(sites, i));
}

static void list_verbose(struct session *s, const struct sites *sites, size_t i,
			 struct columns width)
{
	const struct kt_list_entry *entry = &sites->v[i];
	struct arch_insn insn;

	fprintf(s->out, "%-*s  %-*s  %-10s  %12llu  %10llu  %s\n", width.name,
		site_name(sites, i), width.options, options_of(sites, i),
		site_method(entry->method), entry->hits, entry->missed,
		instruction(entry, &insn));
}

static void list_heading(struct session *s, struct columns *width)
{
	width->name = width->name > 4 ? width->name : 4;
	width->options = width->options > 7 ? width->options : 7;
	fprintf(s->out, "%-*s  %-*s  %-10s  %12s  %10s  %s\n", width->name, "NAME",
		width->options, "OPTIONS", "METHOD", "HITS", "MISSED", "INSTRUCTION");
}

static void list_json(struct session *s, const struct sites *sites, size_t i)
{
	const struct kt_list_entry *entry = &sites->v[i];
	struct json_object *o = json_typed("tracepoint");
	struct arch_insn insn;

	json_put_text(o, "name", site_name(sites, i));
	json_put_address(o, "address", entry->addr);
	json_put_text(o, "options", options_of(sites, i));
	json_put_text(o, "method", site_method(entry->method));
	json_put_number(o, "hits", entry->hits);
	json_put_number(o, "missed", entry->missed);
	json_put_text(o, "instruction", instruction(entry, &insn));
	json_line(o, s->out);
}

static void list_all(struct session *s, const struct sites *sites, bool verbose)
{
	struct columns width = measure(sites);

	if (verbose && s->format != PRINT_JSON && sites->n)
		list_heading(s, &width);
	for (size_t i = 0; i < sites->n; i++) {
		if (s->format == PRINT_JSON)
			list_json(s, sites, i);
		else if (verbose)
			list_verbose(s, sites, i, width);
		else
			list_text(s, sites, i, width);
	}
}

bool cmd_list(struct session *s, const struct words *words, struct error *err)
{
	AUTO_SITES struct sites sites = { 0 };
	bool verbose = words->n > 1;

	if (verbose && strcmp(words->v[1], "-v"))
		return error_set(err, STATUS_USAGE, "list knows no '%s': list [-v]", words->v[1]);
	if (!sites_load(&s->dev, &sites, err))
		return false;
	list_all(s, &sites, verbose);
	return true;
}

/* ----------------------------------------------------------------- delete */

struct doomed {
	uint64_t *addrs;
	size_t n;
};

static void doom(struct doomed *doomed, uint64_t addr)
{
	doomed->addrs = MEM_MORE(doomed->addrs, doomed->n);
	doomed->addrs[doomed->n++] = addr;
}

static bool not_set(const char *name, struct error *err)
{
	return error_set(err, STATUS_FAILURE,
			 "no tracepoint at %s: nothing deleted, 'list' shows those that are set",
			 name);
}

/* By the name in the list first: that needs no symbols. */
static bool choose(struct session *s, const struct sites *sites, const char *typed,
		   struct doomed *doomed, struct error *err)
{
	AUTO_PLACES struct places places = { 0 };
	struct target target = session_target(s);
	size_t i = sites_by_name(sites, typed), before = doomed->n;

	if (i < sites->n) {
		doom(doomed, sites->v[i].addr);
		return true;
	}
	if (!places_resolve(&target, typed, &places, err))
		return false;
	for (i = 0; i < places.n; i++)
		if (sites_by_addr(sites, places.v[i].addr) < sites->n)
			doom(doomed, places.v[i].addr);
	return doomed->n > before || not_set(places.v[0].name, err);
}

static bool choose_all(struct session *s, const struct words *words, struct doomed *doomed,
		       struct error *err)
{
	AUTO_SITES struct sites sites = { 0 };

	if (!sites_load(&s->dev, &sites, err))
		return false;
	for (size_t i = 1; i < words->n; i++)
		if (!choose(s, &sites, words->v[i], doomed, err))
			return false;
	return true;
}

static bool delete_everything(struct session *s, struct error *err)
{
	struct kt_delete req = { .flags = KT_DELETE_ALL };

	return device_delete(&s->dev, &req, err);
}

static bool is_everything(const struct words *words)
{
	for (size_t i = 1; i < words->n; i++)
		if (!strcmp(words->v[i], "*"))
			return true;
	return false;
}

bool cmd_delete(struct session *s, const struct words *words, struct error *err)
{
	struct doomed doomed = { 0 };
	struct kt_delete req = { 0 };
	bool ok;

	if (is_everything(words))
		return delete_everything(s, err);
	ok = choose_all(s, words, &doomed, err);
	req.nr = doomed.n;
	req.addrs = (uintptr_t)doomed.addrs;
	ok = ok && device_delete(&s->dev, &req, err);
	free(doomed.addrs);
	return ok;
}
