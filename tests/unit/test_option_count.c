// SPDX-License-Identifier: GPL-2.0-or-later
/* test_option_count.c - options that count hits in the kernel: their programs, and what they ask the module for. */
#include "plan_line.h"

#include "core/aggregate.c"
#include "ctl/base/device/aggregate.h"

static struct kt_aggregate_req counted(const char *line, const char *options)
{
	AUTO_PLANS struct plans plans = { 0 };
	struct kt_aggregate_req req;
	const struct desc *desc;
	struct desc *back;

	must_plan(line, &plans);
	desc = plans.v[0].desc;
	assert_non_null(desc->aggregate);
	check_program(desc);
	assert_string_equal(desc->options, options);
	req = aggregate_request(desc);
	assert_true(kt_agg_valid(&req));
	assert_int_equal(desc_payload(desc), req.key_bytes + (req.kind == KT_AGG_COUNT ? 0 : 8));
	back = desc_decode(plans.v[0].desc->blob, plans.v[0].req.desc_len, &err);
	assert_non_null(back);
	assert_true(aggregate_same(desc, back));
	assert_memory_equal(back->aggregate, desc->aggregate, sizeof(*desc->aggregate));
	desc_free(back);
	return req;
}

static void test_counts(void **state)
{
	struct kt_aggregate_req req = counted("vfs_write COUNT", "COUNT");

	assert_true(req.kind == KT_AGG_COUNT && !req.key_bytes && req.keys == 4096 && req.value_bit == KT_AGG_READABLE);
	req = counted("vfs_write COUNT BY COMM,PID KEYS 70000 ONLYPID 3", "COUNT BY COMM,PID KEYS 70000 ONLYPID 3");
	assert_true(req.key_bytes == 20 && req.keys == 70000);
	req = counted("vfs_write BY COMM , $rdi & 7, BACKTRACE 3 , STR $rsi:8 SUM (s32)$rdx * 2 IF $rdi > 3",
		      "BY COMM , $rdi & 7, BACKTRACE 3 , STR $rsi:8 SUM (s32)$rdx * 2 IF $rdi > 3");
	/* The mask of unreadable items is a part of the key. */
	assert_true(req.kind == KT_AGG_SUM && req.flags == KT_AGGREGATE_SIGNED && req.key_bytes == 4 + 16 + 8 + 24 + 12);
	assert_int_equal(req.value_bit, KT_AGG_READABLE);
	req = counted("vfs_write HIST *(u16*)($rdi+8) BY CPU", "HIST *(u16*)($rdi+8) BY CPU");
	assert_true(req.kind == KT_AGG_HIST && !req.flags && req.key_bytes == 8 && req.value_bit == 1 && req.keys == 512);
	req = counted("vfs_write LHIST (s64)$rdi -100 100 20 BY COMM", "LHIST (s64)$rdi -100 100 20 BY COMM");
	assert_true(req.kind == KT_AGG_LHIST && req.low == -100 && req.step == 20 && req.buckets == 10);
}

static void test_counts_refused(void **state)
{
	refused("vfs_write COUNT PID", STATUS_USAGE, "COUNT: nothing is recorded with it");
	refused("vfs_write COUNT BASE", STATUS_USAGE, "COUNT: nothing is recorded with it");
	refused("vfs_write COUNT SUM $rdi", STATUS_USAGE, "counts one thing");
	refused("vfs_write BY COMM", STATUS_USAGE, "BY: only with COUNT");
	refused("vfs_write KEYS 5", STATUS_USAGE, "KEYS: only with COUNT");
	refused("vfs_write COUNT BY", STATUS_USAGE, "BY needs its KEY");
	refused("vfs_write COUNT BY COMM BY PID", STATUS_USAGE, "BY: given twice");
	refused("vfs_write COUNT BY COMM, PID, CPU, UID, NICE", STATUS_USAGE, "at most 4 keys");
	refused("vfs_write COUNT BY FREEZE", STATUS_USAGE, "BY FREEZE: that is no key");
	refused("vfs_write COUNT BY ONLYPID", STATUS_USAGE, "BY ONLYPID: that is no key");
	refused("vfs_write COUNT BY ALLREGS", STATUS_USAGE, "several values");
	refused("vfs_write COUNT BY COMM, ", STATUS_USAGE, "something is missing");
	refused("vfs_write COUNT BY BACKTRACE 64, STR $rdi:500", STATUS_USAGE, "at most 768");
	refused("vfs_write COUNT KEYS 0", STATUS_USAGE, "KEYS 0: a number from 1");
	refused("vfs_write COUNT KEYS 1048577", STATUS_USAGE, "KEYS 1048577: a number from 1");
	refused("vfs_write SUM", STATUS_USAGE, "SUM needs its EXPRESSION");
	refused("vfs_write HIST (char*)$rdi", STATUS_USAGE, "the value is not a number");
	refused("vfs_write MAX ELAPSED", STATUS_USAGE, "known only where a function returns");
	refused("vfs_write LHIST $rdi 0 10", STATUS_USAGE, "LHIST needs its EXPRESSION LOW HIGH STEP");
	refused("vfs_write LHIST $rdi 10 0 1", STATUS_USAGE, "HIGH is not above LOW");
	refused("vfs_write LHIST $rdi 0 10 3", STATUS_USAGE, "STEP does not divide");
	refused("vfs_write LHIST $rdi 0 10 0", STATUS_USAGE, "STEP does not divide");
	refused("vfs_write LHIST $rdi 0 2000 1", STATUS_USAGE, "more than 1000 buckets");
	refused("vfs_write LHIST $rdi -10 10 1", STATUS_USAGE, "never negative");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts), cmocka_unit_test(test_counts_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
