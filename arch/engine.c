// SPDX-License-Identifier: GPL-2.0-or-later
/* engine.c - decode instructions with capstone.  See engine.h. */
#include "arch/engine.h"

#include <stdio.h>

static void open_once(struct engine *engine)
{
	engine->tried = true;
	if (cs_open(engine->arch, engine->mode, &engine->handle) != CS_ERR_OK)
		return;
	if (engine->syntax)
		cs_option(engine->handle, CS_OPT_SYNTAX, engine->syntax);
	cs_option(engine->handle, CS_OPT_DETAIL, CS_OPT_ON);
	engine->insn = cs_malloc(engine->handle);
	if (!engine->insn)
		cs_close(&engine->handle);
}

void engine_close(struct engine *engine)
{
	if (!engine->insn)
		return;
	cs_free(engine->insn, 1);
	cs_close(&engine->handle);
	engine->insn = NULL;
}

static void write_text(const cs_insn *insn, struct arch_insn *out)
{
	snprintf(out->text, sizeof(out->text), "%.16s%s%.72s", insn->mnemonic, *insn->op_str ? " " : "",
		 insn->op_str);
}

bool engine_decode(struct engine *engine, const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out)
{
	bool ok;

	pthread_mutex_lock(&engine->lock);
	if (!engine->tried)
		open_once(engine);
	ok = engine->insn && cs_disasm_iter(engine->handle, &code, &n, &addr, engine->insn);
	if (ok) {
		write_text(engine->insn, out);
		if (engine->describe)
			engine->describe(engine->handle, engine->insn, out);
	}
	pthread_mutex_unlock(&engine->lock);
	return ok;
}
