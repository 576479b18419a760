// SPDX-License-Identifier: GPL-2.0-or-later
/* test_capture_again.c - what a program could not read is told once, and can be read again with the same result. */
#include "unit.h"

#include <stdlib.h>

#define KT_READ_FAILED
#include "capture_insns.h"
#include "capture_machine.h"
#include "ctl/base/memory.h"

#define AT	0x7000		/* of the machine's memory in the program; its bytes are no end of a page to the machine */

/* The last instruction that could not read, and what it was told with. */
static struct {
	struct kt_insn in;
	u64 addr, length;
	u32 n;
} failed;

void kt_read_failed(const struct kt_insn *in, u64 addr, u64 length)
{
	failed.in = *in;
	failed.addr = addr;
	failed.length = length;
	failed.n++;
}

static void fill(struct machine *m, const char *text)
{
	machine_reset(m);
	memset(m->memory, 'z', sizeof(m->memory));
	memcpy(m->memory, text, strlen(text) + 1);
	m->user_at = AT;
}

/* One item of the program, behind another that can be read: unreadable at first, then as a readable one. */
static void reads_again(struct kt_insn item, u32 before, u64 length)
{
	const struct kt_insn insns[] = {
		before == 2 ? (struct kt_insn)I(FAULTS2) : (struct kt_insn)I(FAULTS),
		I(REG, .dst = 0, .imm = 5), I(REG, .dst = 1, .imm = 4), EMIT(1, 4), item, END,
	};
	struct machine m;
	u8 again[KT_MAX_STR], expected[KT_MAX_STR];
	u32 mask = 0, bytes;

	fill(&m, "/etc/ld.so.preload");
	m.regs.general[5] = AT;
	m.regs.general[4] = length;
	failed.n = 0;
	assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
	assert_int_equal(failed.n, 0);
	bytes = m.payload - before - 4;
	memcpy(expected, (const u8 *)m.out + before + 4, bytes);

	m.user_at = 0;		/* the page is not there */
	assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
	memcpy(&mask, m.out, before);
	assert_int_equal(mask, 1 << 1);
	assert_int_equal(failed.n, 1);
	assert_int_equal(failed.in.op, item.op);
	assert_int_equal(failed.in.dst, 1);
	assert_int_equal(failed.addr, AT);
	assert_int_equal(failed.length, item.op == KT_OP_EMITPART ? length : 0);
	assert_int_equal(kt_capture_again(&failed.in, failed.addr, failed.length, again), 0);

	m.user_at = AT;
	memset(again, 0x5a, sizeof(again));
	assert_in_range(kt_capture_again(&failed.in, failed.addr, failed.length, again), bytes - 1, bytes);
	assert_memory_equal(again, expected, bytes - (item.op == KT_OP_EMITTEXT));
}

static void test_items(void **state)
{
	for (u32 size = 4; size <= 64; size += 4) {
		reads_again((struct kt_insn)I(EMITSTR, .src = 0, .imm = size), 4, 0);
		reads_again((struct kt_insn)I(EMITBYTES, .src = 0, .imm = size), 4, 0);
		for (u64 length = 0; length <= 20; length++)
			if (length)
				reads_again((struct kt_insn)I(EMITPART, .src = 0, .aux = 1, .imm = size), 4, length);
	}
	for (u32 size = 2; size <= 64; size += 2)
		reads_again((struct kt_insn)I(EMITTEXT, .src = 0, .imm = size), 2, 0);
}

/* A text of which the first bytes can be read is told, too; it stays unread until all of it is there. */
static void test_part(void **state)
{
	const struct kt_insn insns[] = { I(FAULTS), I(REG, .dst = 0, .imm = 5), I(EMITSTR, .src = 0, .imm = 32), END };
	struct machine m;
	u8 again[KT_MAX_STR];

	fill(&m, "");
	memset(m.memory, 'z', sizeof(m.memory));
	m.regs.general[5] = AT + MACHINE_BYTES - 3;
	failed.n = 0;
	assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
	assert_int_equal(failed.n, 1);
	assert_int_equal(kt_capture_again(&failed.in, failed.addr, 0, again), 0);
	m.user_at = AT + 4;
	assert_int_equal(kt_capture_again(&failed.in, failed.addr, 0, again), 0);
	m.memory[MACHINE_BYTES - 6] = 0;
	assert_int_equal(kt_capture_again(&failed.in, failed.addr, 0, again), 32);
	assert_int_equal(again[0], 'z');
	assert_int_equal(again[1], 0);
}

/* An address that is not known itself cannot be read later. */
static void test_unknown_address(void **state)
{
	const struct kt_insn insns[] = {
		I(FAULTS), IMM(0, AT - 64), LOAD(U64, 0, 0, 0), I(EMITSTR, .src = 0, .imm = 8), I(EMITBYTES, .src = 0, .imm = 8), END,
	};
	struct machine m;

	fill(&m, "x");
	failed.n = 0;
	assert_int_equal(machine_run(&m, insns, ARRAY_SIZE(insns)), MACHINE_RECORDED);
	assert_int_equal(m.out[0], 3);
	assert_int_equal(failed.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_items), cmocka_unit_test(test_part), cmocka_unit_test(test_unknown_address),
	};

	return cmocka_run_group_tests_name("capture_again", tests, NULL, NULL);
}
