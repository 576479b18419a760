// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine.c - decode instructions with capstone.  See engine.h.
 *
 * The library is loaded when an instruction is first decoded. It has 85,000 pointers that the dynamic linker must relocate:
 * this takes as long as the rest of a command's start, and many commands decode nothing.
 */
#include "arch/engine.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(number)	#number
#define SONAME(major)	"libcapstone.so." TEXT_OF(major)

static struct {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *disasm_iter;
	__typeof__(cs_insn_group) *insn_group;
} capstone;

static const struct {
	const char *name;
	void **to;
} functions[] = {
	{ "cs_open", (void **)&capstone.open }, { "cs_close", (void **)&capstone.close }, { "cs_option", (void **)&capstone.option },
	{ "cs_malloc", (void **)&capstone.malloc }, { "cs_free", (void **)&capstone.free },
	{ "cs_disasm_iter", (void **)&capstone.disasm_iter }, { "cs_insn_group", (void **)&capstone.insn_group },
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_loaded;

/* The library stays loaded until the program ends. */
static void load(void)
{
	void *library = dlopen(SONAME(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);

	is_loaded = library;
	for (size_t i = 0; is_loaded && i < sizeof(functions) / sizeof(*functions); i++) {
		*functions[i].to = dlsym(library, functions[i].name);
		is_loaded = *functions[i].to;
	}
	if (!is_loaded)
		fprintf(stderr, "ktrace: warning: %s: no instruction can be decoded: install the package of this library\n", dlerror());
}

static void open_once(struct engine *engine)
{
	engine->tried = true;
	pthread_once(&once, load);
	if (!is_loaded || capstone.open(engine->arch, engine->mode, &engine->handle) != CS_ERR_OK)
		return;
	if (engine->syntax)
		capstone.option(engine->handle, CS_OPT_SYNTAX, engine->syntax);
	capstone.option(engine->handle, CS_OPT_DETAIL, CS_OPT_ON);
	engine->insn = capstone.malloc(engine->handle);
	if (!engine->insn)
		capstone.close(&engine->handle);
}

void engine_close(struct engine *engine)
{
	if (!engine->insn)
		return;
	capstone.free(engine->insn, 1);
	capstone.close(&engine->handle);
	engine->insn = NULL;
}

bool engine_in_group(csh handle, const cs_insn *insn, unsigned int group)
{
	return capstone.insn_group(handle, insn, group);
}

static void write_text(const cs_insn *insn, struct arch_insn *out)
{
	snprintf(out->text, sizeof(out->text), "%.16s%s%.72s", insn->mnemonic, *insn->op_str ? " " : "",
		 insn->op_str);
}

static bool decode(struct engine *engine, const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out)
{
	if (!engine->tried)
		open_once(engine);
	if (!engine->insn || !capstone.disasm_iter(engine->handle, &code, &n, &addr, engine->insn))
		return false;
	write_text(engine->insn, out);
	if (engine->describe)
		engine->describe(engine->handle, engine->insn, out);
	return true;
}

/* ------------------------------------------------------- instructions that are kept */

static uint32_t hash_more(uint32_t hash, uint8_t byte)
{
	return (hash ^ byte) * 0x9e3779b1;
}

static struct kept_insn *kept_at(struct engine *engine, uint32_t hash)
{
	return &engine->kept[hash >> 16 & (ENGINE_KEPT - 1)];
}

/* No instruction begins with the bytes of another one, so each length may be tried. */
static bool recall(struct engine *engine, const uint8_t *code, size_t n, struct arch_insn *out)
{
	uint32_t hash = 0;

	for (size_t len = 1; len <= n && len <= ENGINE_INSN_MAX; len++) {
		const struct kept_insn *kept;

		hash = hash_more(hash, code[len - 1]);
		kept = kept_at(engine, hash);
		if (kept->insn.len != len || memcmp(kept->code, code, len))
			continue;
		*out = kept->insn;
		return true;
	}
	return false;
}

#define OTHER_ADDRESS	0x100000

/* Keep the instruction if its text does not depend on its address. */
static void keep(struct engine *engine, const uint8_t *code, uint64_t addr, const struct arch_insn *insn)
{
	struct arch_insn other = { 0 };
	struct kept_insn *kept;
	uint32_t hash = 0;

	if (insn->len > ENGINE_INSN_MAX || insn->target ||
	    !decode(engine, code, insn->len, addr ^ OTHER_ADDRESS, &other) || other.target || strcmp(other.text, insn->text))
		return;
	for (size_t i = 0; i < insn->len; i++)
		hash = hash_more(hash, code[i]);
	kept = kept_at(engine, hash);
	memcpy(kept->code, code, insn->len);
	kept->insn = *insn;
}

bool engine_decode(struct engine *engine, const uint8_t *code, size_t n, uint64_t addr, struct arch_insn *out)
{
	bool ok;

	pthread_mutex_lock(&engine->lock);
	ok = recall(engine, code, n, out);
	if (!ok) {
		ok = decode(engine, code, n, addr, out);
		if (ok)
			keep(engine, code, addr, out);
	}
	pthread_mutex_unlock(&engine->lock);
	return ok;
}
