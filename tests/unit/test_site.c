// SPDX-License-Identifier: GPL-2.0-or-later
/* Look-ups in the list of tracepoints: by name and by address, where several are equal. */
#include "unit.h"

#include "ctl/base/device/site.h"

static struct desc descs[] = { { .name = "b" }, { .name = "a" }, { .name = "c" }, { .name = "a" } };
static struct desc *pointers[] = { &descs[0], &descs[1], &descs[2], NULL, &descs[3] };
static struct kt_list_entry entries[] = { { .addr = 5 }, { .addr = 9 }, { .addr = 2 }, { .addr = 7 }, { .addr = 5 } };

static void forget(struct sites *sites)
{
	free(sites->by_name);
	free(sites->by_addr);
}

static void test_find(void **state)
{
	struct sites sites = { .v = entries, .descs = pointers, .n = 5 };

	assert_int_equal(sites_by_name(&sites, "a"), 1);
	assert_int_equal(sites_by_name(&sites, "b"), 0);
	assert_int_equal(sites_by_name(&sites, "c"), 2);
	assert_int_equal(sites_by_name(&sites, "(just deleted)"), 3);
	assert_int_equal(sites_by_name(&sites, "d"), 5);
	assert_int_equal(sites_by_addr(&sites, 5), 0);
	assert_int_equal(sites_by_addr(&sites, 2), 2);
	assert_int_equal(sites_by_addr(&sites, 9), 1);
	assert_int_equal(sites_by_addr(&sites, 1), 5);
	assert_int_equal(sites_by_addr(&sites, 10), 5);
	forget(&sites);
}

static void test_none(void **state)
{
	struct sites sites = { 0 };

	assert_int_equal(sites_by_name(&sites, "a"), 0);
	assert_int_equal(sites_by_addr(&sites, 5), 0);
	forget(&sites);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
