// SPDX-License-Identifier: GPL-2.0-or-later
/* test_trace_copy.c - exports of a saved trace, and records that the brake or a full ring kept out of it. */
#include "trace_script.h"

#include <sys/stat.h>
#include <unistd.h>

#include "ctl/trace/saved/save_dir.h"
#include "fake_kernel.h"

/* The packets of an exported trace fill it; returns their number. */
static size_t count_packets(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t n = 0;
	int c;

	assert_non_null(file);
	for (; (c = fgetc(file)) != EOF; n++) {
		long length = 0;

		assert_int_equal(c, 0x0a);
		for (int shift = 0; (c = fgetc(file)) != EOF; shift += 7) {
			length |= (long)(c & 0x7f) << shift;
			if (!(c & 0x80))
				break;
		}
		for (; length; length--)
			assert_int_not_equal(fgetc(file), EOF);
	}
	fclose(file);
	return n;
}

/* A copy tells the same numbers; one of a series, those of all parts. */
static void check_copy(struct fake_kernel *fake, const char *told)
{
	AUTO_FREE char *series = mem_printf("%s/series", base), *part = mem_printf("%s/0002", series);
	AUTO_FREE char *copy = mem_printf("%s/copy", base), *copied = mem_printf("%s/0002", copy);
	AUTO_FREE char *begun = mem_printf("%s/0003", series), *line = mem_printf("export %s --ctf 2 -o %s", series, copy);

	/* The oldest part was removed; the newest was begun by a recorder that was killed. */
	assert_int_equal(mkdir(series, 0700) | rename(dir, part) | mkdir(begun, 0700), 0);
	assert_int_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake->out, told);
	assert_contains(fake->out, ",\"parts\":1}");
	assert_contains(fake->messages, "/0003: left out: it has no description");
	save_dir_remove(copied);
	assert_int_equal(rename(part, dir) | rmdir(copy) | rmdir(begun) | rmdir(series), 0);
}

/* All records, those of the state apart, are told; the case export-perfetto reads what is in the packets. */
static size_t check_export(uint64_t records, uint64_t lost)
{
	struct fake_kernel *fake = fake_create();
	AUTO_FREE char *path = mem_printf("%s/pftrace", base);
	AUTO_FREE char *line = mem_printf("export %s --perfetto -o %s", dir, path);
	AUTO_FREE char *told = mem_printf("\"records\":%llu,\"lost\":%llu,\"bytes\":", (unsigned long long)records,
					  (unsigned long long)lost);
	size_t packets;

	fake->session.format = PRINT_JSON;
	assert_int_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake->out, told);
	packets = count_packets(path);
	assert_int_equal(fake_run(fake, line), STATUS_FAILURE);
	assert_contains(fake_error(), "exists");
	check_copy(fake, told);
	fake_free(fake);
	return packets;
}

static void describe_brake(uint64_t braked, uint32_t off, bool is_open)
{
	AUTO_FREE char *path = mem_printf("%s/" SAVE_INFO, dir);
	struct trace_info *info = trace_info_read(path, &err);

	assert_non_null(info);
	assert_int_equal(info->braked | info->off, 0);
	info->braked = braked;
	info->off = off;
	info->is_open = is_open;
	assert_true(save_dir_describe(dir, info, &err));
	trace_info_free(info);
}

/* What the brake turned away is not among the lost records: the description of the trace tells it. */
static void test_braked(void **state)
{
	struct fake_kernel *fake = fake_create();
	AUTO_FREE char *copy = mem_printf("%s/copy", base), *line = mem_printf("report %s/trace", base);
	AUTO_FREE char *export = mem_printf("export %s/trace --ctf 1.8 -o %s", base, copy);
	AUTO_FREE char *by_input = mem_printf("export --ctf 1.8 -o %s", copy);
	AUTO_FREE char *show = mem_printf("grep -q 'ktrace_braked = 12345;' %s/metadata", copy);

	write_trace(*state, dd);
	describe_brake(0, 0, true);
	assert_int_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake->out, "the recorder was killed, or is still at work: what came last is missing");
	assert_null(strstr(fake->out, "the brake turned away"));
	describe_brake(12345, 1, false);
	assert_int_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake->out, "the brake turned away 12,345 hits since the recording began: the figures do not count them");
	assert_contains(fake->out, "the brake switched 1 tracepoint off");
	assert_contains(fake->out, "wake to run");
	assert_int_equal(fake_run(fake, export), STATUS_OK);
	assert_int_equal(system(show), 0);
	/* -i names the recording, too. */
	save_dir_remove(copy);
	fake->session.input = dir;
	assert_int_equal(fake_run(fake, by_input), STATUS_OK);
	assert_int_equal(system(show), 0);
	assert_int_equal(fake_run(fake, "report"), STATUS_OK);
	assert_contains(fake->out, "wake to run");
	assert_int_equal(fake_run(fake, export), STATUS_USAGE);
	assert_contains(fake_error(), "export: -i ");
	assert_contains(fake_error(), ": give one trace");
	fake->session.input = NULL;
	fake->session.format = PRINT_JSON;
	assert_int_equal(fake_run(fake, line), STATUS_OK);
	assert_contains(fake->out, "\"lost\":0,\"braked\":12345,\"off\":1,");
	save_dir_remove(copy);
	fake_free(fake);
}

static void test_export(void **state)
{
	size_t lines = 0;

	write_trace(*state, dd);
	for (const char *at = dd; (at = strchr(at, '\n')); at++)
		lines++;
	assert_true(check_export(lines, 0) > 10);
}

/* The ring of CPU 1 is full for a while: what was on that CPU then is not known, and all sums balance. */
static void test_lost(void **state)
{
	struct module *module = *state;
	uint64_t recorded, lost;
	char *script = NULL;
	struct analysis *a;
	size_t len;
	FILE *out = open_memstream(&script, &len);

	for (int i = 0; i < 3000; i++) {
		fprintf(out, "%d 1 sched_switch prev_tid=%d prev_state=0 next_tid=%d\n", 1000 + 20 * i, 7 + i % 2,
			8 - i % 2);
		if (i % 4 == 0)
			fprintf(out, "%d 0 sched_switch prev_tid=%d prev_state=0 next_tid=%d\n", 1005 + 20 * i,
				i % 8 ? 9 : 0, i % 8 ? 0 : 9);
		if (i % 300 == 0 && i % 900)
			fputs("keep\n", out);
	}
	fclose(out);
	module->rings[1].discard = true;
	write_kept(module, script, 0);
	free(script);
	a = analyse(0, UINT64_MAX, false);
	assert_true(a->lost > 100 && !a->cpus[0]->lost);
	assert_int_equal(a->lost + a->events, 3750);
	assert_int_equal(a->contradictions, 0);
	assert_true(a->cpus[1]->time[DOING_UNKNOWN] > 1000 && a->cpus[1]->time[DOING_UNKNOWN] < analysis_length(a) / 2);
	assert_int_equal(a->cpus[0]->time[DOING_UNKNOWN], 5);
	for (int tid = 7; tid <= 9; tid++)
		free(print_critical(tid, 0, UINT64_MAX));
	free(print_flow(7, PRINT_TEXT));
	lost = a->lost;
	recorded = a->events;
	analysis_free(a);
	check_export(recorded, lost);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_export), TEST(test_braked), TEST(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
