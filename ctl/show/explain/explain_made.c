// SPDX-License-Identifier: GPL-2.0-or-later
/* explain_made.c - `explain --code`: the machine code that the module has made for the hits of live tracepoints. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/site.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/live/session/session_target.h"
#include "ctl/show/explain/explain.h"

/* What generated code calls or jumps to: the part of its name behind that of the architecture. */
static const struct {
	const char *name, *does;
} helpers[] = {
	{ "direct_enter", "to the code below, or to the C path" },
	{ "direct_slow", "leave the hit to the C path" },
	{ "direct_wake", "wake a reader that waits" },
	{ "direct_rest", "a value is unreadable: the interpreter writes the record" },
	{ "direct_load", "a load that survives a fault" },
	{ "code_load", "a load that survives a fault" },
	{ "direct_chain", "follow pointers; each load survives a fault" },
	{ "jump_special", "the C path with all registers, or the code of a recording" },
	{ "jump_again", "leave the hit to the C path" },
	{ "jump_wake", "wake a reader that waits" },
	{ "jump_rest", "a value is unreadable: the interpreter writes the record" },
	{ "jump_end", "the end of the hit" },
	{ "event_again", "leave the hit to the C path" },
	{ "event_wake", "wake a reader that waits" },
	{ "event_end", "the end of the hit" },
	{ "capture_rest", "a value is unreadable: the interpreter writes the record" },
	{ "code_end", "return" },
};

/* Ask for the code of the tracepoint with req->addr and req->id; the caller frees *code.  True and *code NULL: it is gone. */
static bool read_made(struct device *dev, struct kt_code_get *req, uint8_t **code, struct error *err)
{
	int no;

	*code = NULL;
	req->size = sizeof(*req);
	req->room = 0;
	do {
		*code = mem_grow(*code, req->room + 1, 1);
		req->buf = (uintptr_t)*code;
		no = device_call(dev, KT_IOC_CODE, req) ? errno : 0;
	} while (no == ENOSPC && req->trampoline_bytes + req->code_bytes > req->room &&
		 (req->room = req->trampoline_bytes + req->code_bytes));
	if (!no)
		return true;
	free(*code);
	*code = NULL;
	return no == ENOENT || device_fail(err, "the code of a tracepoint cannot be read", no);
}

/* A piece of code, at the address where CPUs execute it. */
struct piece {
	const uint8_t *code;
	size_t len;
	uint64_t at;
};

static bool is_inside(const struct piece *p, uint64_t addr)
{
	return addr >= p->at && addr < p->at + p->len;
}

static const char *does(const struct symtab *tab, uint64_t target)
{
	const struct sym *sym = tab && target ? symtab_by_addr(tab, target) : NULL;

	if (!sym || sym->addr != target || strncmp(sym->name, "kt_", 3))
		return NULL;
	if (!strcmp(sym->name, "kt_hit_jump"))
		return "the C path";
	for (size_t i = 0; i < ARRAY_SIZE(helpers); i++)
		if (strstr(sym->name, helpers[i].name))
			return helpers[i].does;
	return NULL;
}

/* A branch inside the piece leads to an offset, its last operand; any other to a symbol. */
static const char *said(const struct explain *e, const struct piece *p, const struct arch_insn *insn,
			char buf[INSN_SAID])
{
	const char *end = strrchr(insn->text, ' ');

	if (!insn->target || !is_inside(p, insn->target) || !end)
		return site_insn(e->target.tab, insn, buf);
	snprintf(buf, INSN_SAID, "%.*s +0x%" PRIx64, (int)(end - insn->text), insn->text, insn->target - p->at);
	return buf;
}

/* How often the instruction stands there in a row: it fills up the room up to the next part. */
static size_t repeats(const struct piece *p, size_t at, size_t len)
{
	size_t n = 1;

	while (at + (n + 1) * len <= p->len && !memcmp(p->code + at, p->code + at + n * len, len))
		n++;
	return n > 3 ? n : 1;
}

/* note: what is said of the instruction at `noted` */
static void say_piece(const struct explain *e, const struct piece *p, size_t noted, const char *note)
{
	char buf[INSN_SAID], offset[24];

	for (size_t at = 0; at < p->len;) {
		struct arch_insn insn;
		const char *what;
		size_t n;

		if (!e->target.arch->decode(p->code + at, p->len - at, p->at + at, &insn) || !insn.len) {
			fprintf(e->s->out, "  +0x%zx  %zu bytes that are no instructions\n", at, p->len - at);
			return;
		}
		n = repeats(p, at, insn.len);
		snprintf(offset, sizeof(offset), "+0x%zx", at);
		what = note && at == noted ? note : n > 1 ? "fills up the rest" : does(e->target.tab, insn.target);
		fprintf(e->s->out, "  %-8s %s%s%s\n", offset, said(e, p, &insn, buf), what ? "  # " : "", what ? what : "");
		at += n * insn.len;
	}
}

/* What follows the instructions, if anything does. */
static void say_data(FILE *out, uint32_t from, uint32_t to)
{
	if (to > from)
		fprintf(out, "  +0x%-5" PRIx32 " %" PRIu32 " bytes of data\n", from, to - from);
}

static void say_own(const struct explain *e, const struct kt_list_entry *entry, const struct kt_code_get *get, const uint8_t *code)
{
	const struct piece own = { code, get->text_bytes, get->code };
	const char *why = site_no_code(entry->no_code);
	FILE *out = e->s->out;

	if (!own.len) {
		fprintf(out, "no code for its hits: %s\n", *why ? why : "only jumps and events have it");
		return;
	}
	fprintf(out, "code for its hits: %" PRIu32 " bytes at 0x%" PRIx64 "\n", get->code_bytes, own.at);
	say_piece(e, &own, own.len, NULL);
	say_data(out, get->text_bytes, get->code_bytes);
}

static void say_site(const struct explain *e, const struct sites *sites, size_t i, const struct kt_code_get *get,
		     const uint8_t *code)
{
	const struct piece trampoline = { code, get->trampoline_text, get->trampoline };
	const struct kt_list_entry *entry = &sites->v[i];
	char buf[INSN_SAID];
	FILE *out = e->s->out;

	style_put(out, e->s->colour, STYLE_NAME, site_name(sites, i), 0);
	fprintf(out, "  %s: %s\n", sites->descs[i] ? sites->descs[i]->options : "", site_method_now(entry, buf));
	if (trampoline.len) {
		fprintf(out, "trampoline: %" PRIu32 " bytes at 0x%" PRIx64 "\n", get->trampoline_bytes, trampoline.at);
		say_piece(e, &trampoline, get->displaced, "the instructions that the jump replaces");
		say_data(out, get->trampoline_text, get->trampoline_bytes);
	} else if (!e->point.is_event) {
		fputs("no trampoline: it has no jump\n", out);
	}
	say_own(e, entry, get, code + get->trampoline_bytes);
}

static void put_site(const struct explain *e, const struct sites *sites, size_t i, const struct kt_code_get *get)
{
	struct json j = json_typed(e->s->out, "code");

	json_text(&j, "name", site_name(sites, i));
	json_hex(&j, "address", sites->v[i].addr);
	json_hex(&j, "trampoline", get->trampoline);
	json_number(&j, "trampoline_bytes", get->trampoline_bytes);
	json_hex(&j, "code", get->code);
	json_number(&j, "code_bytes", get->code_bytes);
	json_text(&j, "why_no_code", get->code_bytes ? "" : site_no_code(sites->v[i].no_code));
	json_end(&j);
}

static bool is_meant(const struct explain *e, uint64_t addr)
{
	return e->is_whole ? addr >= e->start && addr < e->start + (e->len ? e->len : 1) : addr == e->point.addr;
}

bool explain_made(const struct explain *e, struct error *err)
{
	AUTO_SITES struct sites sites = { 0 };
	size_t n = 0;

	if (!sites_load(&e->s->dev, &sites, err))
		return false;
	for (size_t i = 0; i < sites.n; i++) {
		struct kt_code_get get = { .addr = sites.v[i].addr, .id = sites.v[i].id };
		AUTO_FREE uint8_t *code = NULL;

		if (!is_meant(e, sites.v[i].addr))
			continue;
		if (!read_made(&e->s->dev, &get, &code, err))
			return false;
		if (!code)
			continue;
		if (n++ && e->s->format != PRINT_JSON)
			fputc('\n', e->s->out);
		if (e->s->format == PRINT_JSON)
			put_site(e, &sites, i, &get);
		else
			say_site(e, &sites, i, &get, code);
	}
	return n || error_set(err, STATUS_FAILURE,
			      "%s: no tracepoint is set there: 'explain --code' shows the code of live ones", e->point.name);
}
