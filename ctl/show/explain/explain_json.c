// SPDX-License-Identifier: GPL-2.0-or-later
/* explain_json.c - `explain` as JSON: an object for each instruction and each variable. */
#include <stdlib.h>

#include "ctl/base/device/site.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/show/explain/explain.h"
#include "symbols/index/location.h"
#include "symbols/index/type.h"

static void put_insn(const struct explain *e, const struct explain_insn *insn)
{
	struct json j = json_typed(e->s->out, "instruction");
	char said[INSN_SAID];

	json_hex(&j, "addr", insn->addr);
	json_number(&j, "offset", insn->addr - e->start);
	json_text(&j, "instruction", site_insn(e->target.tab, &insn->insn, said));
	json_text(&j, "file", insn->file);
	json_number(&j, "line", insn->line);
	json_text(&j, "method", insn->method ? insn->method : "");
	json_text(&j, "refusal", insn->reason ? insn->reason : "");
	json_text(&j, "no_jump", insn->no_jump ? insn->no_jump : "");
	json_boolean(&j, "off_in_windows", insn->windowed);
	json_boolean(&j, "tail_call", insn->leaves);
	json_end(&j);
}

static void put_location(const struct explain *e, struct json *j, const struct explain_var *v)
{
	const struct loc_at at = addr_info_at(&e->info);
	struct loc_refusal refusal;
	struct location location;
	char words[1024] = "";
	enum loc_status status;

	if (!e->is_whole) {
		status = location_of(e->info.ix, v->scope, v->var, &at, &location, &refusal);
		if (status == LOC_OK)
			location_words(&location, dwarf_reg_name, words, sizeof(words));
		json_boolean(j, "readable", status == LOC_OK);
		json_text(j, "here", words);
		json_text(j, "why_not", status == LOC_OK ? "" : *refusal.why ? refusal.why : "optimised out");
	}
	json_text(j, "where", location_everywhere(e->info.ix, v->scope, v->var, &at, words, sizeof(words)));
}

static void put_var(const struct explain *e, const struct explain_var *v)
{
	struct json j = json_typed(e->s->out, "variable");
	char type[256];

	json_text(&j, "name", v->var->name);
	json_text(&j, "ctype", type_spell(e->info.ix, v->var->type, type, sizeof(type)));
	json_boolean(&j, "parameter", !!(v->var->flags & VAR_PARAMETER));
	json_text(&j, "function", scope_function(v->scope)->name);
	put_location(e, &j, v);
	json_end(&j);
}

void explain_json(const struct explain *e)
{
	AUTO_FREE struct explain_var *vars = NULL;
	size_t n;

	for (size_t i = 0; i < e->nr_insns; i++)
		if (e->is_whole || e->insns[i].addr == e->point.addr)
			put_insn(e, &e->insns[i]);
	vars = explain_vars(e, e->is_whole, &n);
	for (size_t i = 0; i < n; i++)
		put_var(e, &vars[i]);
}
