// SPDX-License-Identifier: GPL-2.0-or-later
/* test_json_out.c - json_out.h writes what json-c reads back: random values in each other, of all lengths. */
#include "unit.h"

#include <json-c/json.h>
#include <stdio.h>

#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"

#define ROUNDS	2000
#define LONGEST	(2 * JSON_LINE)

static size_t below(size_t n)
{
	return (size_t)rand() % n;
}

/* Most are short; the others need room that the line does not have. */
static char *any_text(void)
{
	static const char chars[] = "abcdefgh ijkl:,{}[]mnop\"\\\n\t\x01/";
	const size_t len = below(8) ? below(12) : below(LONGEST);
	char *text = mem_zalloc(len + 1, 1);

	for (size_t i = 0; i < len; i++)
		text[i] = chars[below(sizeof(chars) - 1)];
	return text;
}

/* The key of a member of `to`; NULL: to is an array. */
static char *any_key(struct json *j, struct json_object *to, const char **given)
{
	char *key;

	*given = NULL;
	if (json_object_is_type(to, json_type_array))
		return NULL;
	if (below(4)) {
		key = mem_printf("key%zu", below(1000000));
		*given = key;
	} else {
		key = any_text();
		json_key(j, key);
	}
	return key;
}

/* Of two members of one name the last one counts, for readers as well. */
static void add(struct json_object *to, const char *key, struct json_object *value)
{
	if (key)
		json_object_object_add(to, key, value);
	else
		json_object_array_add(to, value);
}

static struct json_object *put_text(struct json *j, const char *key)
{
	AUTO_FREE char *text = any_text();

	json_text(j, key, text);
	return json_object_new_string(text);
}

static struct json_object *put_any(struct json *j, const char *key)
{
	const int64_t number = ((int64_t)rand() << 20 ^ rand()) * (below(2) ? 1 : -1);

	switch (below(6)) {
	case 0:
		json_signed(j, key, number);
		return json_object_new_int64(number);
	case 1:
		json_boolean(j, key, number & 1);
		return json_object_new_boolean(number & 1);
	case 2:
		json_null(j, key);
		return NULL;
	case 3:
		json_real(j, key, number / 1024.0);
		return json_object_new_double(number / 1024.0);
	case 4:
		json_number(j, key, (uint64_t)number & 0xffffffff);
		return json_object_new_int64(number & 0xffffffff);
	default:
		return put_text(j, key);
	}
}

static void fill(struct json *j, struct json_object *to, unsigned int depth)
{
	for (size_t n = below(6); n; n--) {
		const char *given;
		AUTO_FREE char *key = any_key(j, to, &given);
		const bool is_array = below(2);
		struct json_object *value;

		if (depth == 6 || below(3)) {
			add(to, key, put_any(j, given));
			continue;
		}
		value = is_array ? json_object_new_array() : json_object_new_object();
		if (is_array)
			json_open_array(j, given);
		else
			json_open(j, given);
		fill(j, value, depth + 1);
		json_close(j);
		add(to, key, value);
	}
}

static void check(bool is_pretty)
{
	struct json_object *expected = json_object_new_object(), *read;
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct json j = { .out = out, .is_pretty = is_pretty, .is_exact = false };

	json_open(&j, NULL);
	fill(&j, expected, 0);
	json_end(&j);
	fclose(out);
	assert_int_equal(text[len - 1], '\n');
	read = json_tokener_parse(text);
	if (!read || !json_object_equal(read, expected))
		fail_msg("%s\nis not\n%s", text, json_object_to_json_string(expected));
	json_object_put(read);
	json_object_put(expected);
}

static void test_random(void **state)
{
	srand(1);
	for (int i = 0; i < ROUNDS; i++)
		check(i % 4 == 3);
}

/* Nothing waits in the line when the outermost value is closed: others write to the stream then. */
static void test_closed(void **state)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct json j = { .out = out };

	json_open_array(&j, NULL);
	json_text(&j, NULL, "one");
	json_time(&j, NULL, 1.5);
	json_hex(&j, NULL, 0x10);
	json_close(&j);
	fputs("; next", out);
	fclose(out);
	assert_string_equal(text, "[\"one\",1.500,\"0x10\"]; next");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_closed),
	};

	return cmocka_run_group_tests_name("json_out", tests, NULL, NULL);
}
