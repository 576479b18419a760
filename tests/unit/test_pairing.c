// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pairing.c - begins and ends by key: which belongs to which, and that nothing is counted twice. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/live/measure/pairing.h"
#include "sample.h"

static bool begins(struct pairing *p, uint8_t key, uint32_t thread, uint32_t point, uint64_t count)
{
	return pairing_begin(p, &(struct begun){ .key = { key }, .ticks = 100 * count, .thread = thread, .point = point, .count = count });
}

static bool ends(struct pairing *p, uint8_t key, uint32_t thread, uint64_t ticks, uint32_t *point)
{
	return pairing_end(p, (uint8_t[PAIRING_KEY]){ key }, thread, ticks, point);
}

/* Its own thread first, though another began later; else the newest. */
static void test_whose(void **state)
{
	struct pairing *p = pairing_create();
	uint64_t *open;
	uint32_t point;

	assert_true(begins(p, 1, 10, 0, 0) && begins(p, 1, 10, 1, 1) && begins(p, 1, 11, 2, 2) && begins(p, 2, 10, 3, 3));
	assert_true(ends(p, 1, 10, 150, &point));
	assert_int_equal(point, 1);
	assert_true(p->times.count == 1 && p->times.sum == 50);
	assert_true(ends(p, 1, 12, 300, &point));
	assert_int_equal(point, 2);
	assert_false(ends(p, 3, 10, 300, &point));
	open = pairing_open(p);
	assert_true(p->open == 2 && open[0] == 0 && open[1] == 3);
	assert_true(p->paired == 2 && p->unmatched == 1);
	free(open);
	pairing_free(p);
}

static void test_balance(void **state)
{
	struct pairing *p = pairing_create();
	uint64_t seed = 7, begun = 0, ended = 0;
	uint64_t *open;
	uint32_t point;

	for (int i = 0; i < 20000; i++) {
		const uint64_t roll = sample_random(&seed);

		if (roll & 1) {
			begun += begins(p, roll >> 8, roll >> 16 & 3, 0, begun);
			continue;
		}
		ends(p, roll >> 8, roll >> 16 & 3, 0, &point);
		ended++;
	}
	assert_true(begun == p->paired + p->open && ended == p->paired + p->unmatched && p->open);
	open = pairing_open(p);
	for (size_t i = 1; i < p->open; i++)
		assert_true(open[i - 1] < open[i]);
	free(open);
	pairing_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_whose), cmocka_unit_test(test_balance) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
