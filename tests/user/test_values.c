// SPDX-License-Identifier: GPL-2.0-or-later
/* test_values.c - what programs record is what `print` shows; and what is said where nothing can be recorded. */
#include <ktrace/ktrace.h>
#include <ktrace/lttng.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ctl/trace/saved/convert.h"
#include "ctl/trace/saved/save_dir.h"
#include "recorded.h"
#include "tests/unit/unit.h"
#include "user/internal.h"

int cxx_values(void);	/* values_cxx.cc */
int sdt_values(void);	/* values_sdt.c */

enum colour { RED, GREEN = 7 };

KTRACE_ENUM(colour, { RED, "red" }, { GREEN, "green" });

#define TEXTS	255	/* lengths: all that are not cut */

/* A text of that length, for which `room` has TEXTS bytes. */
static const char *letters(char *room, int length)
{
	char *text = room + TEXTS - 1 - length;

	for (int i = 0; i < length; i++)
		text[i] = 'a' + (i + length) % 26;
	text[length] = '\0';
	return text;
}

/* Nothing may be read behind a text: there is no memory. */
static void write_texts(void)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(pages + page, page, PROT_NONE);
	for (int n = 0; n < TEXTS; n++) {
		const char *text = letters(pages + page - TEXTS, n);

		if (n % 2)
			KTRACE(values, text, text);
		else
			KTRACE(values, both, n, text);
	}
	munmap(pages, 2 * page);
}

/* Of each length, with long registers of the processor, if it has them, and without. */
static int lengths(void)
{
	write_texts();
	ktrace_has_wide = 0;
	write_texts();
	return 0;
}

static int say_problem(void)
{
	if (ktrace_error())
		fprintf(stderr, "%s\n", ktrace_error());
	return ktrace_recording();
}

/* Each type, at its bounds. */
static int numbers(void)
{
	signed char i8 = -128;
	unsigned char u8 = 255;
	short i16 = -32768;
	unsigned short u16 = 65535;
	int i32 = -2147483647 - 1;
	unsigned int u32 = 4294967295U;
	long i64 = -9223372036854775807L - 1;
	unsigned long long u64 = 18446744073709551615ULL;

	KTRACE(values, integers, i8, u8, i16, u16, i32, u32, i64, u64);
	KTRACE(values, nothing);
	return 0;
}

static int others(void)
{
	enum colour c = GREEN;
	float f = 0.1f;
	double d = -1e300;
	_Bool yes = 1;
	void *null = NULL;
	char text[400];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	KTRACE(values, reals, f, d, yes, ktrace_as(colour, c), ktrace_as(colour, 3), null);
	KTRACE(values, texts, "a, b(\"", (char *)NULL, "");
	KTRACE(values, bytes, ktrace_bytes("\0\377z", 3), ktrace_bytes(text, 0));
	KTRACE(values, cut, text);
	KTRACE(values, cut, ktrace_bytes(text, 300));
	return 0;
}

static int twelve(void)
{
	KTRACE(values, twelve, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	return 0;
}

/* More sites than compact headers have numbers for. */
#define SITE(n)		KTRACE(many, site, n);
#define SITES10(n)	SITE(n) SITE(n + 1) SITE(n + 2) SITE(n + 3) SITE(n + 4) SITE(n + 5) SITE(n + 6) SITE(n + 7) SITE(n + 8) SITE(n + 9)
#define SITES100(n)	SITES10(n) SITES10(n + 10) SITES10(n + 20) SITES10(n + 30) SITES10(n + 40) SITES10(n + 50) \
			SITES10(n + 60) SITES10(n + 70) SITES10(n + 80) SITES10(n + 90)

static int many(void)
{
	for (int i = 0; i < 2; i++) {
		SITES100(0) SITES100(100) SITES100(200)
	}
	return 0;
}

static int chosen(void)
{
	KTRACE(one, a);
	KTRACE(one, b);
	KTRACE(two, a);
	return 0;
}

static int lttng(void)
{
	lttng_ust_tracepoint(app, event, 5, "text");
	tracepoint(app, old);
	lttng_ust_tracef("%s %d", "formatted", 7);
	return 0;
}

/* Arguments of a tracepoint that is off are not evaluated. */
static int evaluated;

static int side_effect(void)
{
	evaluated++;
	return 1;
}

static int off(void)
{
	KTRACE(off, it, side_effect());
	return evaluated || ktrace_recording();
}

static int small_files(void)
{
	const struct rlimit limit = { 4096, 4096 };

	setrlimit(RLIMIT_FSIZE, &limit);
	execl("/proc/self/exe", "recorded", "--recorded", "problem", NULL);
	return 1;
}

static int counts(void)
{
	struct ktrace_counts c;

	for (int i = 0; i < 100000; i++)
		KTRACE(count, it, i);
	ktrace_counts(&c);
	return c.recorded + c.lost != 100000 || (c.lost != 0) != !strcmp(getenv("KTRACE_MODE"), "discard");
}

static const struct recorded_mode modes[] = {
	{ "numbers", numbers }, { "others", others }, { "twelve", twelve }, { "many", many }, { "chosen", chosen },
	{ "lttng", lttng }, { "off", off }, { "problem", say_problem }, { "small_files", small_files },
	{ "counts", counts }, { "lengths", lengths }, { "cxx", cxx_values }, { "sdt", sdt_values },
};

static void check(const char *mode, const char *const *variables, const char *expected)
{
	char *text;

	assert_int_equal(recorded_run(mode, variables), 0);
	assert_string_equal(recorded_errors, "");
	text = recorded_text();
	assert_string_equal(text, expected);
	free(text);
}

static const char integers[] =
	"values:integers  i8=-128  u8=255  i16=-32768  u16=65535  i32=-2147483648  u32=4294967295"
	"  i64=-9223372036854775808  u64=0xffffffffffffffff\n"
	"values:nothing\n";

static void test_numbers(void **state)
{
	check("numbers", NULL, integers);
}

static void test_fallback(void **state)
{
	static const char *const variables[] = { "GLIBC_TUNABLES=glibc.pthread.rseq=0", NULL };

	check("numbers", variables, integers);
}

static void test_cxx(void **state)
{
	check("cxx", NULL,
	      "values:integers  i8=-128  u8=255  i16=-32768  u16=65535  i32=-2147483648  u32=4294967295"
	      "  i64=-9223372036854775808  u64=0xffffffffffffffff\n"
	      "values:reals  f=0.1  d=-1e+300  yes=true  c=green  e=7\n"
	      "values:texts  std::string(\"own\")=\"own\"  \"literal\"=\"literal\"  \"\\0\\377z\"=\"00ff7a\"\n"
	      "values:instance  sizeof(T)=1\n"
	      "values:instance  sizeof(T)=8\n");
}

static void test_others(void **state)
{
	char expected[2048], text[256], hex[513];

	memset(text, 'x', 255);
	text[255] = '\0';
	for (int i = 0; i < 256; i++)
		memcpy(hex + 2 * i, "78", 3);
	snprintf(expected, sizeof(expected),
		 "values:reals  f=0.1  d=-1e+300  yes=true  c=green  3=3  null=0000000000000000\n"
		 "values:texts  \"a, b(\\\"\"=\"a, b(\\\"\"  NULL=\"\"  \"\"=\"\"\n"
		 "values:bytes  \"\\0\\377z\"=\"00ff7a\"  text=\"\"\n"
		 "values:cut  text=\"%s\"...\n"
		 "values:cut  text=\"%s+\"...\n", text, hex);
	check("others", NULL, expected);
}

static void test_lengths(void **state)
{
	char *expected = NULL, room[TEXTS];
	size_t size;
	FILE *out = open_memstream(&expected, &size);

	for (int i = 0; i < 2 * TEXTS; i++) {
		const int n = i % TEXTS;

		if (n % 2)
			fprintf(out, "values:text  text=\"%s\"\n", letters(room, n));
		else
			fprintf(out, "values:both  n=%d  text=\"%s\"\n", n, letters(room, n));
	}
	fclose(out);
	check("lengths", NULL, expected);
	free(expected);
}

static void test_twelve(void **state)
{
	check("twelve", NULL, "values:twelve  1=1  2=2  3=3  4=4  5=5  6=6  7=7  8=8  9=9  10=10  11=11  12=12\n");
}

static void sum(const struct recorded *event, void *arg)
{
	*(uint64_t *)arg += event->first;
}

static void test_many(void **state)
{
	struct recorded_totals totals;
	uint64_t all = 0;

	assert_int_equal(recorded_run("many", NULL), 0);
	recorded_read(sum, &all, &totals);
	assert_int_equal(totals.events, 600);
	assert_int_equal(totals.lost, 0);
	assert_int_equal(all, 299 * 300);
	free(recorded_text());
}

static void test_chosen(void **state)
{
	static const char *const one[] = { "KTRACE_EVENTS=one:*", NULL }, *const none[] = { "KTRACE_EVENTS=!*:a", NULL },
				 *const some[] = { "KTRACE_EVENTS=one:*,two:a,!*:b", NULL };

	check("chosen", one, "one:a\none:b\n");
	check("chosen", none, "one:b\n");
	check("chosen", some, "one:a\ntwo:a\n");
}

static void test_lttng(void **state)
{
	check("lttng", NULL, "app:event  5=5  \"text\"=\"text\"\napp:old\nlttng_ust_tracef:event  msg=\"formatted 7\"\n");
}

static void test_sdt(void **state)
{
	check("sdt", NULL, "prov:zero\nprov:one  1=1\nprov:twelve  1=1  2=2  3=3  4=4  5=5  6=6  7=7  8=8  9=9  10=10  11=11  12=12\n"
			   "prov:v  x=5  \"t\"=\"t\"\n");
}

static void test_off(void **state)
{
	static const char *const variables[] = { "KTRACE_FILE=", NULL };

	assert_int_equal(recorded_run("off", variables), 0);
}

/* One line on standard error, and the same by ktrace_error(). */
static void problem(const char *mode, const char *variable, const char *expected)
{
	const char *const variables[] = { variable, NULL };
	char twice[1024];

	assert_int_equal(recorded_run(mode, variables), 0);
	snprintf(twice, sizeof(twice), "ktrace: nothing is recorded: %s\n%s\n", expected, expected);
	if (strstr(expected, "%"))
		assert_contains(recorded_errors, strstr(expected, "%") + 1);
	else
		assert_string_equal(recorded_errors, twice);
}

static void test_problems(void **state)
{
	problem("problem", "KTRACE_SIZE=3k", "KTRACE_SIZE=3k: give a power of two from 8192 to 2147483648, such as 1048576");
	problem("problem", "KTRACE_SIZE=99999999999999999999",
		"KTRACE_SIZE=99999999999999999999: give a power of two from 8192 to 2147483648, such as 1048576");
	problem("problem", "KTRACE_SUBBUF=8M", "KTRACE_SUBBUF=8M: give a power of two from 4096 to 131072, such as 65536");
	problem("problem", "KTRACE_MODE=disc", "KTRACE_MODE=disc: give overwrite or discard");
	problem("problem", "KTRACE_FILE=/proc/self/none", "KTRACE_FILE=/proc/self/none: No such file or directory");
	problem("problem", "KTRACE_FILE=/dev/null", "/dev/null: Not a directory");
	problem("small_files", NULL, "%a buffer of 1048576 bytes for each CPU cannot be had: File too large: see KTRACE_SIZE\n");
}

static void test_counts(void **state)
{
	static const char *const names[] = { "KTRACE_MODE=overwrite", "KTRACE_MODE=discard" };

	for (size_t i = 0; i < 2; i++) {
		const char *const variables[] = { names[i], "KTRACE_SIZE=64k", NULL };
		struct recorded_totals totals;

		assert_int_equal(recorded_run("counts", variables), 0);
		recorded_read(NULL, NULL, &totals);
		assert_int_equal(totals.events + totals.lost, 100000);
		assert_true(totals.lost > 0);
	}
}

/* Another reader of the Common Trace Format, with the conventions of LTTng-UST. */
static void test_ctf(void **state)
{
	char copy[128], command[256], line[1024] = "";
	struct convert_totals totals;
	struct error err;
	FILE *out;

	assert_int_equal(recorded_run("twelve", NULL), 0);
	snprintf(copy, sizeof(copy), "%s.ctf", recorded_dir);
	if (!save_convert(recorded_dir, copy, 1, NULL, &totals, &err))
		fail_msg("%s", err.text);
	assert_int_equal(totals.records, 1);
	snprintf(command, sizeof(command), "babeltrace2 --names=payload,context --fields=trace:domain %s 2>&1", copy);
	out = popen(command, "r");
	assert_non_null(out);
	assert_non_null(fgets(line, sizeof(line), out));
	pclose(out);
	save_dir_remove(copy);
	assert_contains(line, " ust ");
	assert_contains(line, " values:twelve: ");
	assert_contains(line, "{ vpid = ");
	assert_contains(line, ", vtid = ");
	assert_contains(line, "{ 1 = 1, 2 = 2, 3 = 3, 4 = 4,");
}

static int drop(void **state)
{
	recorded_drop();
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_numbers, drop), cmocka_unit_test_teardown(test_fallback, drop),
		cmocka_unit_test_teardown(test_cxx, drop), cmocka_unit_test_teardown(test_others, drop),
		cmocka_unit_test_teardown(test_twelve, drop), cmocka_unit_test_teardown(test_many, drop),
		cmocka_unit_test_teardown(test_chosen, drop), cmocka_unit_test_teardown(test_lttng, drop),
		cmocka_unit_test_teardown(test_sdt, drop), cmocka_unit_test_teardown(test_off, drop),
		cmocka_unit_test_teardown(test_problems, drop), cmocka_unit_test_teardown(test_counts, drop),
		cmocka_unit_test_teardown(test_lengths, drop), cmocka_unit_test_teardown(test_ctf, drop),
	};

	recorded_main(argc, argv, modes, sizeof(modes) / sizeof(*modes));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
