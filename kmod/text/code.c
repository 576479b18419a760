// SPDX-License-Identifier: GPL-2.0-only
/* code.c - allocate and write generated code.  See code.h. */
#include <linux/module.h>
#include <linux/slab.h>

#include "kmod/base/ktrace.h"
#include "core/capture_run.h"
#include "kmod/base/arch.h"
#include "kmod/text/code.h"
#include "kmod/text/safety.h"
#include "kmod/text/slot.h"

/* A longer program is not generated. */
#define KT_CODE_BYTES	2048

static bool codegen = true;
module_param(codegen, bool, 0444);
MODULE_PARM_DESC(codegen, "generate machine code for capture programs of recordings (default: yes)");

/* The code depends on its address, its length does not: generate it once for the length. */
static void *put(const struct kt_insn *insns, u32 len, u8 *code, int bytes)
{
	void *slot;

	kt_text_lock();
	slot = kt_slot_alloc(KT_SLOT_CODE, bytes, (unsigned long)kt_capture_rest);
	if (slot && kt_arch.generate(insns, len, code, bytes, (unsigned long)slot) != bytes) {
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

void kt_code_make(struct kt_code *code, const struct kt_insn *insns, u32 len)
{
	int bytes = codegen && kt_arch.generate ? kt_arch.generate(insns, len, NULL, 0, 0) : 0;
	u8 *copy;

	if (bytes <= 0 || bytes > KT_CODE_BYTES)
		return;
	copy = kmalloc(bytes, GFP_KERNEL);
	if (!copy)
		return;
	code->bytes = bytes;
	code->run = put(insns, len, copy, bytes);
	kfree(copy);
}

void kt_code_free(struct kt_code *code)
{
	if (code->run)
		kt_slot_free(code->run, code->bytes);
	code->run = NULL;
}
