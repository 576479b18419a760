// SPDX-License-Identifier: GPL-2.0-or-later
/* test_scratch.c - short and long texts, one after the other, from the stream of scratch.h. */
#include "unit.h"

#include "ctl/base/memory.h"
#include "ctl/base/scratch.h"

static void put(const char *text)
{
	FILE *out = scratch_open();
	AUTO_FREE char *made = NULL;
	size_t len;

	fprintf(out, "%s", text);
	made = scratch_close(&len);
	assert_string_equal(made, text);
	assert_int_equal(len, strlen(text));
}

static void test_texts(void **state)
{
	AUTO_FREE char *large = mem_zalloc(100000, 1), *bytes = NULL;
	size_t len;

	put("first");
	put("");
	memset(large, 'x', 99999);
	put(large);
	put("shorter");
	fwrite("a\0b", 1, 3, scratch_open());
	bytes = scratch_close(&len);
	assert_int_equal(len, 3);
	assert_memory_equal(bytes, "a\0b", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_texts) };

	return cmocka_run_group_tests_name("scratch", tests, NULL, NULL);
}
