// SPDX-License-Identifier: GPL-2.0-only
/* code.c - allocate and write generated code.  See code.h. */
#include <linux/module.h>
#include <linux/slab.h>

#include "kmod/base/ktrace.h"
#include "core/capture_run.h"
#include "kmod/base/arch.h"
#include "kmod/base/clock.h"
#include "kmod/text/code.h"
#include "kmod/text/safety.h"
#include "kmod/text/slot.h"

/* A longer program is not generated. */
#define KT_CODE_BYTES	2048

static bool codegen = true;
module_param(codegen, bool, 0444);
MODULE_PARM_DESC(codegen, "generate machine code for capture programs and hits (default: yes)");

/* What to generate: one of the three. */
struct wanted {
	const struct kt_insn *insns;	/* the code of a payload */
	u32 len;
	const struct kt_hit_code *hit;	/* the code of a hit */
	void *const *hits;		/* NULL: it chooses no case */
	u32 nr;
};

static int generate(const struct wanted *w, u8 *out, u32 room, unsigned long at)
{
	if (w->hits)
		return kt_arch.generate_cases ? kt_arch.generate_cases(w->hit, w->hits, w->nr, out, room, at) : 0;
	if (w->hit)
		return kt_arch.generate_hit ? kt_arch.generate_hit(w->hit, out, room, at) : 0;
	return kt_arch.generate ? kt_arch.generate(w->insns, w->len, out, room, at) : 0;
}

/* The code depends on its address, its length does not: generate it once for the length. */
static void *put(const struct wanted *w, u8 *code, int bytes)
{
	void *slot;

	kt_text_lock();
	slot = kt_slot_alloc(KT_SLOT_CODE, bytes, (unsigned long)kt_capture_rest);
	if (slot && generate(w, code, bytes, (unsigned long)slot) != bytes) {
		kt_slot_free(slot, bytes);
		slot = NULL;
	}
	if (slot) {
		kt_slot_write(slot, code, bytes);
		kt_arch.flush();
	}
	kt_text_unlock();
	return slot;
}

/* NULL: there is no code. */
static void *make(const struct wanted *w, u32 *bytes)
{
	int n = codegen ? generate(w, NULL, 0, 0) : 0;
	void *slot;
	u8 *copy;

	if (n <= 0 || n > KT_CODE_BYTES)
		return NULL;
	copy = kmalloc(n, GFP_KERNEL);
	if (!copy)
		return NULL;
	slot = put(w, copy, n);
	kfree(copy);
	*bytes = slot ? n : 0;
	return slot;
}

enum kt_no_code kt_code_obstacle(void)
{
	if (!codegen)
		return KT_NO_CODE_OFF;
	return kt_arch.generate_hit && kt_clock_is_raw() ? KT_NO_CODE_NONE : KT_NO_CODE_ARCH;
}

void kt_code_init(struct kt_code *code, struct kt_code *direct)
{
	*code = (struct kt_code){ .hit = kt_arch.event_slow };
	*direct = (struct kt_code){ .hit = kt_arch.direct_slow };
}

void kt_code_make(struct kt_code *code, const struct kt_insn *insns, u32 len)
{
	const struct wanted w = { .insns = insns, .len = len };

	code->run = make(&w, &code->run_bytes);
}

static void make_hit(struct kt_code *code, const struct wanted *w)
{
	/* Generated code reads the raw clock. */
	const void *hit = kt_clock_is_raw() ? make(w, &code->hit_bytes) : NULL;

	if (hit)
		code->hit = hit;
}

void kt_code_make_hit(struct kt_code *code, const struct kt_hit_code *what)
{
	const struct wanted w = { .hit = what };

	make_hit(code, &w);
}

void kt_code_make_cases(struct kt_code *code, const struct kt_hit_code *what, void *const *hits, u32 nr)
{
	const struct wanted w = { .hit = what, .hits = hits, .nr = nr };

	make_hit(code, &w);
}

static void free_one(const struct kt_code *code)
{
	if (code->run)
		kt_slot_free(code->run, code->run_bytes);
	if (code->hit_bytes)
		kt_slot_free((void *)code->hit, code->hit_bytes);
}

void kt_code_free(struct kt_code *code, struct kt_code *direct)
{
	free_one(code);
	free_one(direct);
	kt_code_init(code, direct);
}
