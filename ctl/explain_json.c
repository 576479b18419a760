// SPDX-License-Identifier: GPL-2.0-or-later
/* explain_json.c - `explain` as JSON: an object for each instruction and each variable. */
#include <stdlib.h>

#include "ctl/explain.h"
#include "ctl/json_out.h"
#include "ctl/memory.h"
#include "ctl/site.h"
#include "symbols/location.h"
#include "symbols/type.h"

static void put_insn(const struct explain *e, const struct explain_insn *insn)
{
	struct json_object *o = json_typed("instruction");
	char said[INSN_SAID];

	json_put_address(o, "addr", insn->addr);
	json_put_number(o, "offset", insn->addr - e->start);
	json_put_text(o, "instruction", site_insn(e->target.tab, &insn->insn, said));
	json_put_text(o, "file", insn->file);
	json_put_number(o, "line", insn->line);
	json_put_text(o, "method", insn->method ? insn->method : "");
	json_put_text(o, "refusal", insn->reason ? insn->reason : "");
	json_put_bool(o, "tail_call", insn->leaves);
	json_line(o, e->s->out);
}

static void put_place(const struct explain *e, struct json_object *o, const struct explain_var *v)
{
	struct loc_refusal refusal;
	struct location location;
	char words[1024] = "";
	enum loc_status status;

	if (!e->is_whole) {
		status = location_of(e->spot.ix, v->scope, v->var, e->spot.offset, spot_reg, &location, &refusal);
		if (status == LOC_OK)
			location_words(&location, spot_reg, words, sizeof(words));
		json_put_bool(o, "readable", status == LOC_OK);
		json_put_text(o, "here", words);
		json_put_text(o, "why_not", status == LOC_OK ? "" : *refusal.why ? refusal.why : "optimised out");
	}
	json_put_text(o, "where", location_everywhere(e->spot.ix, v->scope, v->var, spot_reg, words, sizeof(words)));
}

static void put_var(const struct explain *e, const struct explain_var *v)
{
	struct json_object *o = json_typed("variable");
	char type[256];

	json_put_text(o, "name", v->var->name);
	json_put_text(o, "ctype", type_spell(e->spot.ix, v->var->type, type, sizeof(type)));
	json_put_bool(o, "parameter", !!(v->var->flags & VAR_PARAMETER));
	json_put_text(o, "function", scope_function(v->scope)->name);
	put_place(e, o, v);
	json_line(o, e->s->out);
}

void explain_json(const struct explain *e)
{
	AUTO_FREE struct explain_var *vars = NULL;
	size_t n;

	for (size_t i = 0; i < e->nr_insns; i++)
		if (e->is_whole || e->insns[i].addr == e->place.addr)
			put_insn(e, &e->insns[i]);
	vars = explain_vars(e, e->is_whole, &n);
	for (size_t i = 0; i < n; i++)
		put_var(e, &vars[i]);
}
