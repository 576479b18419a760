// SPDX-License-Identifier: GPL-2.0-or-later
/* explain_code.c - the instructions of a function, and the method for each. */
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/lang/compile.h"
#include "ctl/ask/resolve/exits.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/device/refusal.h"
#include "ctl/base/device/site.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/session_target.h"
#include "ctl/show/explain/explain.h"
#include "symbols/index/line.h"

#define MOST_BYTES	(1U << 20)

/* ------------------------------------------------------------------- bytes */

static bool read_live(struct explain *e)
{
	struct error unused;

	if (e->s->offline || !session_connect(e->s, &unused))
		return false;
	if (!e->target.program)
		e->target = session_target(e->s);
	e->len = target_text(&e->target, e->start, e->code, e->len);
	return e->len;
}

/* Read the code from the file; the kernel has not patched it as it does at its start. */
static bool read_file(struct explain *e, size_t want)
{
	const struct image *image = e->info.unit ? debug_unit_image(e->info.unit) : NULL;
	const uint8_t *code;
	uint32_t offset;
	size_t n;

	if (e->target.program) {
		e->len = target_text(&e->target, e->start, e->code, want);
		return e->len;
	}
	if (!image || !debug_to_offset(e->info.unit, e->start, &offset))
		return false;
	code = image_text(image, image->base + offset, &n);
	e->len = n < want ? n : want;
	if (code)
		memcpy(e->code, code, e->len);
	return code && e->len;
}

static bool read_code(struct explain *e, struct error *err)
{
	const struct sym *sym = e->point.sym;
	size_t want = sym && sym->size ? sym->size : e->scope ? e->info.func->size : 0;

	if (want > MOST_BYTES && (e->is_whole || e->point.addr - e->start >= MOST_BYTES))
		return error_set(err, STATUS_FAILURE, "%s: has %zu bytes, more than the %u that can be explained: explain an address near its start",
				 e->point.name, want, MOST_BYTES);
	want = want > MOST_BYTES ? MOST_BYTES : want;
	e->code = mem_zalloc(want + 1, 1);
	e->len = want;
	e->is_live = want && read_live(e);
	if (e->is_live || (want && read_file(e, want)))
		return true;
	e->len = 0;
	/* Variables and lines can be shown without code. */
	return e->scope || error_set(err, STATUS_FAILURE,
				     "%s: its instructions cannot be read: load the module (see 'ktrace status'), or give the kernel's file with --vmlinux",
				     e->point.name);
}

/* ------------------------------------------------------------ instructions */

static void find_line(const struct explain *e, struct explain_insn *insn)
{
	struct ix_line row;
	uint32_t offset;

	insn->file = "";
	if (!e->info.ix || !debug_to_offset(e->info.unit, insn->addr, &offset))
		return;
	if (!dbindex_line_at(e->info.ix, offset, &row))
		return;
	insn->file = dbindex_file_name(e->info.ix, row.file);
	insn->line = row.line & LINE_MASK;
}

static bool undecodable(const struct explain *e, uint64_t addr, struct error *err)
{
	return error_set(err, STATUS_FAILURE,
			 "%s: the bytes at +0x%llx (0x%llx) are not an instruction, so the code behind them is unknown: explain an address before them",
			 e->point.name, (unsigned long long)(addr - e->start), (unsigned long long)addr);
}

/*
 * Decode the function, or up to the requested instruction.  An incomplete list would give wrong results:
 * refuse.
 */
static bool decode(struct explain *e, struct error *err)
{
	enum probe_point_step step = STEP_INSN;

	for (size_t at = 0; step == STEP_INSN;) {
		struct explain_insn insn = { .addr = e->start + at };

		step = probe_point_step(&e->target, e->code + at, e->len - at, insn.addr, &insn.insn);
		if (step == STEP_UNDECODABLE && (e->is_whole || insn.addr <= e->point.addr))
			return undecodable(e, insn.addr, err);
		if (step != STEP_INSN)
			break;
		find_line(e, &insn);
		insn.leaves = e->point.sym && !e->target.program && exits_leave(&e->target, e->point.sym, &insn.insn) &&
			      !e->target.arch->is_switch(e->code, at);
		e->insns = MEM_MORE(e->insns, e->nr_insns);
		e->insns[e->nr_insns++] = insn;
		at += insn.insn.len;
	}
	return true;
}

/* ----------------------------------------------------- methods, by the module */

static void take_answer(struct explain_insn *insn, const struct kt_site_req *req)
{
	static const char *const methods[KT_NR_METHODS] = {
		[KT_METHOD_BREAKPOINT] = "breakpoint", [KT_METHOD_JUMP] = "jump", [KT_METHOD_UPROBE] = "uprobe",
		[KT_METHOD_STEPPED] = "uprobe",
	};

	if (req->refusal)
		insn->reason = refusal_reason(req->refusal);
	else
		insn->method = req->method < KT_NR_METHODS ? methods[req->method] : NULL;
	insn->no_jump = site_no_jump(req->no_jump);
	insn->windowed = req->windowed;
}

/*
 * Bytes between two instructions that are asked for in one call.  A jump replaces its instruction and perhaps the next ones: so far
 * away, no tracepoint is in the way of another one's jump.
 */
#define DISTANCE	(2 * KT_MAX_INSN)

struct question {
	/* With at most so many sites in a dry run, the module decides about jumps before it answers. */
	struct explain_insn *insns[KT_ANALYSE_DRY];
	struct kt_site_req sites[KT_ANALYSE_DRY];
	uint32_t nr;
};

static void put_question(struct explain *e, struct question *q, struct explain_insn *insn, const void *blob, size_t len)
{
	struct kt_site_req *site = &q->sites[q->nr];
	struct error unused;

	*site = (struct kt_site_req){ .desc = (uintptr_t)blob, .desc_len = len, .insn_len = insn->insn.len };
	if (!target_site(&e->target, insn->addr, site, &unused))
		return;
	memcpy(site->insn, e->code + (insn->addr - e->start), insn->insn.len);
	q->insns[q->nr++] = insn;
}

static void ask(struct explain *e, struct question *q)
{
	struct kt_trace req = {
		.flags = KT_TRACE_DRYRUN | KT_TRACE_PARTIAL, .nr = q->nr, .sites = (uintptr_t)q->sites,
	};
	struct error unused;

	if (!q->nr)
		return;
	/* A refusal is a valid answer. */
	device_trace(&e->s->dev, &req, &unused);
	for (uint32_t i = 0; i < q->nr; i++)
		take_answer(q->insns[i], &q->sites[i]);
	q->nr = 0;
}

/* The descriptor of a tracepoint without options.  NULL: encoding failed. */
static void *bare_desc(const struct explain *e, size_t *len)
{
	struct desc *desc = mem_zalloc(1, sizeof(*desc));
	struct compiler c = { .arch = e->target.arch, .desc = desc };
	struct error unused;
	void *blob = NULL;

	desc->addr = e->start;
	desc->name = mem_strdup(e->point.name);
	desc->typed = mem_strdup(e->point.name);
	desc->options = mem_strdup("");
	if (!compile_finish(&c, &unused) || !desc_encode(desc, &blob, len, &unused))
		blob = NULL;
	desc_free(desc);
	return blob;
}

/*
 * Ask for those that were not asked for yet, as far as they are far enough apart.  They are in the order of their addresses: then
 * the module decodes the function once for a call.  False: there were none.
 */
static bool ask_pass(struct explain *e, bool *asked, const void *blob, size_t len)
{
	struct question q = { .nr = 0 };
	uint64_t next = 0;
	bool any = false;

	for (size_t i = 0; i < e->nr_insns; i++) {
		if (asked[i] || e->insns[i].addr < next || !(e->is_whole || e->insns[i].addr == e->point.addr))
			continue;
		asked[i] = any = true;
		next = e->insns[i].addr + DISTANCE;
		put_question(e, &q, &e->insns[i], blob, len);
		if (q.nr == KT_ANALYSE_DRY)
			ask(e, &q);
	}
	ask(e, &q);
	return any;
}

static void ask_module(struct explain *e)
{
	size_t len;
	AUTO_FREE void *blob = bare_desc(e, &len);
	AUTO_FREE bool *asked = mem_zalloc(e->nr_insns + 1, sizeof(*asked));

	while (blob && ask_pass(e, asked, blob, len))
		;
}

/* -------------------------------------------- methods, as far as can be told */

static bool is_target(const struct explain *e, uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < e->nr_insns; i++)
		if (e->insns[i].insn.target >= low && e->insns[i].insn.target < high)
			return true;
	return false;
}

/* Can a jump replace whole instructions here?  Each must continue with the next, and none may be a branch target. */
static bool has_room(const struct explain *e, size_t i)
{
	uint64_t low = e->insns[i].addr, high = low;

	for (; i < e->nr_insns && high - low < e->target.arch->jump_bytes; i++) {
		const struct arch_insn *insn = &e->insns[i].insn;

		high += insn->len;
		if ((insn->is_call || insn->is_return || insn->is_jump) && high - low < e->target.arch->jump_bytes)
			return false;
	}
	return high - low >= e->target.arch->jump_bytes && !is_target(e, low + 1, high);
}

/* Of a program, only the kernel knows whether it accepts a uprobe. */
static void guess(struct explain *e)
{
	size_t prologue = e->target.arch->prologue(e->code, e->len, e->start);

	for (size_t i = 0; !e->target.program && i < e->nr_insns; i++) {
		struct explain_insn *insn = &e->insns[i];

		if (insn->addr - e->start < prologue)
			insn->reason = "the kernel patches this place itself: the tracepoint goes behind it";
		else
			insn->method = has_room(e, i) ? "jump?" : "breakpoint?";
	}
}

/* A single address must be the start of an instruction. */
static bool check_boundary(const struct explain *e, struct error *err)
{
	for (size_t i = 0; !e->is_whole && i < e->nr_insns; i++) {
		uint64_t at = e->insns[i].addr, next = at + e->insns[i].insn.len;

		if (e->point.addr > at && e->point.addr < next)
			return error_set(err, STATUS_FAILURE, "%s: %s: the nearest are +0x%llx and +0x%llx", e->point.name,
					 refusal_reason(KT_REFUSE_BOUNDARY), (unsigned long long)(at - e->start),
					 (unsigned long long)(next - e->start));
	}
	return true;
}

bool explain_code(struct explain *e, struct error *err)
{
	if (!read_code(e, err) || !decode(e, err))
		return false;
	if (!check_boundary(e, err))
		return false;
	if (e->is_live)
		ask_module(e);
	else
		guess(e);
	return true;
}
