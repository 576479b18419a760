/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expr_scene.h - expressions, with the symbols of a fake kernel, on a machine whose registers have known values. */
#ifndef EXPR_SCENE_H
#define EXPR_SCENE_H

#include "unit.h"

#include "capture_contract.h"
#include "ctl/ask/expr/expr.h"
#include "ctl/ask/lang/compile.h"
#include "ctl/base/memory.h"
#include "fake_kernel.h"

static struct fake_kernel *fake;
static struct machine m;

/* Variables with the names of registers: a test writes an expression once, for the compiler and for ktrace. */
static u64 $rax = -5ULL, $rdx = 4096, $rcx = 7, $rsi = 0x123456789abcdef0, $r8 = 0x80000000, $r9 = 3;
static int $pid = 4127, $cpu = 2;
static unsigned int $uid = 4000000000;

static void set_machine(void)
{
	machine_reset(&m);
	m.regs.general[0] = $rax;
	m.regs.general[1] = $rdx;
	m.regs.general[2] = $rcx;
	m.regs.general[4] = $rsi;
	m.regs.general[8] = $r8;
	m.regs.general[9] = $r9;
	m.regs.general[5] = MACHINE_MEMORY;
	m.current[KT_CUR_PID] = $pid;
	m.current[KT_CUR_CPU] = $cpu;
	m.current[KT_CUR_UID] = $uid;
	m.current[KT_CUR_TASK] = MACHINE_MEMORY + 8;
	m.current[KT_CUR_PERCPU] = 0x100;
	machine_now = &m;
}

static int setup(void **state)
{
	fake = fake_create();
	set_machine();
	return 0;
}

static int teardown(void **state)
{
	fake_free(fake);
	return 0;
}

static struct expr *resolved(const char *text, struct error *err)
{
	const struct expr_names names = { .arch = &arch_native, .tab = fake->session.tab };
	size_t used;
	struct expr *e = expr_parse("VAR", text, &used, err);

	if (e && !text[used] && expr_resolve(e, "VAR", text, &names, err))
		return e;
	if (e && text[used])
		fail_msg("%s: ends at column %zu", text, used);
	expr_free(e);
	return NULL;
}

static void refused(const char *text, const char *said)
{
	struct error err = { .text = "" };
	struct expr *e = resolved(text, &err);

	if (e)
		fail_msg("%s is not refused", text);
	assert_contains(err.text, said);
	assert_one_line(err.text);
	assert_int_equal(err.status, STATUS_USAGE);
	/* The message names the column. */
	assert_contains(err.text, ": at column ");
}

#endif
