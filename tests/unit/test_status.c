// SPDX-License-Identifier: GPL-2.0-or-later
/* test_status.c - what `status` says: records, recordings, the brake, the calibration. */
#include "unit.h"

#include <stdlib.h>

#include "ctl/base/fit.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/brake.h"
#include "ctl/show/status/status.h"
#include "fake_setup.h"
#include "metrics.h"

static void test_recording(void **state)
{
	assert_int_equal(fake_run(fake, "freeze"), STATUS_OK);
	assert_int_equal(fake->recording, KT_RECORDING_FREEZE);
	assert_contains(fake->messages, "the records of the prompt are frozen: hits are only counted until 'unfreeze'");
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "recording    frozen");
	assert_contains(fake->out, "\nleft out     ktrace (");
	assert_contains(fake->out, "clock        tsc, resolution 0.500 ns");
	assert_contains(fake->out,
			"\n\n"
			"records  recorded  pending  lost\n"
			"cpu 1          10        7     3\n"
			"all            10        7     3\n"
			"none cleared, discarded, recursed, filtered, frozen, braked or measured\n"
			"1 CPU met no tracepoint\n");
	assert_int_equal(fake_run(fake, "unfreeze; status"), STATUS_OK);
	assert_contains(fake->out, "recording    on");
	fake->session.format = PRINT_JSON;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "{\"type\":\"status\",\"v\":3,\"frozen\":false,");
	assert_contains(fake->out, "\"all\":{\"recorded\":10,");
	assert_one_line(strchr(fake->out, '\n') + 1);
}

/* Where all columns together are wider than the terminal, the rest of them stands below. */
static void test_status_width(void **state)
{
	struct session *s = &fake->session;
	FILE *out = s->out;
	struct status status;
	struct error err;

	assert_true(status_load(s, &status, &err));
	for (size_t i = 0; i < STATUS_COLUMNS; i++)
		memcpy((char *)&status.all + status_columns[i].offset, &(uint64_t){ 1000 * i + 1000000 }, sizeof(uint64_t));
	s->out = fit_open(out, 80);
	status_show(s, &status);
	fclose(s->out);
	s->out = out;
	fflush(out);
	status_free(&status);
	assert_contains(fake->out,
			"records   recorded    cleared    pending       lost  discarded   recursed\n"
			"cpu 1           10          0          7          3          0          0\n"
			"all      1,000,000  1,001,000  1,002,000  1,003,000  1,004,000  1,005,000\n"
			"\n"
			"records   filtered     frozen     braked   measured\n"
			"cpu 1            0          0          0          0\n"
			"all      1,006,000  1,007,000  1,008,000  1,009,000\n"
			"1 CPU met no tracepoint\n");
}

static void test_status_recordings(void **state)
{
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_null(strstr(fake->out, "recordings"));
	fake->has_recordings = true;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "\nrecordings   build: 4 MiB for each CPU, 1 record, 0 discarded, pid 42\n"
				   "             tiny: 8 KiB for each CPU, 1500 records, 7 discarded; frozen\n");
	fake->session.format = PRINT_JSON;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "\"recordings\":[{\"name\":\"build\",\"pid\":42,\"buffer_bytes\":4194304,\"overwrite\":true,\"recorded\":1,"
				   "\"discarded\":0,\"frozen\":false},{\"name\":\"tiny\",");
}

static void test_status_brake(void **state)
{
	(void)state;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "brake        off: the CPU time of tracepoints has no limit\n");
	fake->brake.brake_percent = 25;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "brake        hits are turned away where they take more than 25 % of a CPU\n");
	fake->brake.brakes = 1;
	fake->brake.brake_off = 2;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "of a CPU, as happened 1 time; 2 tracepoints are off by it: 'list -v' marks what is off, 'trace' sets it again\n");
	fake->brake.brake_cpus = 1;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "brake        on: 1 CPU turns hits away; hits are turned away where");
	fake->session.format = PRINT_JSON;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "\"brake\":{\"percent\":25,\"cpus\":1,\"times\":1,\"tracepoints_off\":2},");
}

/* Earlier actions of the brake are not reported, and none is reported twice. */
static void test_brake_said(void **state)
{
	AUTO_FREE char *text = NULL;
	struct brake_watch watch;
	size_t len;
	FILE *messages = fake->session.messages;

	(void)state;
	fake->brake = (struct kt_status){ .brake_percent = 30, .brakes = 3, .brake_off = 1 };
	fake->braked = 100;
	fake->session.messages = open_memstream(&text, &len);
	assert_non_null(fake->session.messages);
	brake_watch(&fake->session, &watch);
	brake_say(&fake->session, &watch, false);
	brake_say(&fake->session, &watch, true);
	fflush(fake->session.messages);
	assert_int_equal(len, 0);
	fake->braked = 1100;
	fake->brake.brakes = 4;
	brake_say(&fake->session, &watch, false);
	fake->braked = 2100;
	fake->brake.brakes = 5;
	fake->brake.brake_off = 2;
	brake_say(&fake->session, &watch, false);	/* too soon */
	brake_say(&fake->session, &watch, true);
	brake_say(&fake->session, &watch, true);
	fclose(fake->session.messages);
	fake->session.messages = messages;
	assert_string_equal(text,
			    "ktrace: warning: tracepoints took more than 30 % of a CPU: 2,000 hits were turned away by the brake, and 1 tracepoint is off now: 'list -v' marks what is off, 'trace' sets it again\n"
			    "ktrace: warning: tracepoints took more than 30 % of a CPU: 2,000 hits were turned away by the brake, and 2 tracepoints are off now: 'list -v' marks what is off, 'trace' sets it again\n");
}

/* A tick is half a nanosecond. */
static void test_status_calibrates(void **state)
{
	static const char breakpoint[] = "breakpoint 100 ns (99.0 ns to 102 ns), entry and return of a call together\n";

	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "calibration  jump 20.0 ns (19.0 ns to 22.0 ns), ");
	assert_contains(fake->out, breakpoint);
	assert_int_equal(fake->nr_sites, 0);
	assert_false(fake->runs);
	fake->no_jumps = true;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "calibration  jump none in time, breakpoint 100 ns");
	fake->session.format = PRINT_JSON;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "\"calibration\":{\"why_not\":null,\"calls\":256,\"jump\":null,\"breakpoint\":"
				   "{\"cost_ns\":100.0,\"cost_low_ns\":99.0,\"cost_high_ns\":102.0}},");
	assert_int_equal(fake->measure.id, 1);
}

static void test_status_disturbs_nothing(void **state)
{
	static const struct {
		bool measured_elsewhere;
		uint8_t refusal;
		const char *says;
	} cases[] = {
		{ true, 0, "none: it would disturb a running measurement" },
		{ false, KT_REFUSE_TAKEN, "none: another ktrace calibrates just now" },
		{ false, KT_REFUSE_FULL, "none: ktrace:scratch: " },
	};

	fake->refuse_addr = FAKE_SCRATCH;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake->measured_elsewhere = cases[i].measured_elsewhere;
		fake->refusal = cases[i].refusal;
		fake->session.format = PRINT_TEXT;
		assert_int_equal(fake_run(fake, "status"), STATUS_OK);
		assert_contains(fake->out, cases[i].says);
		fake->session.format = PRINT_JSON;
		assert_int_equal(fake_run(fake, "status"), STATUS_OK);
		assert_contains(fake->out, cases[i].says + strlen("none: "));
		assert_contains(fake->out, "\"calls\":0,\"jump\":null,\"breakpoint\":null}");
	}
	assert_int_equal(fake->nr_sites, 0);
}

static void test_metrics(void **state)
{
	int status;

	fake->has_recordings = true;
	fake->brake.brakes = 3;
	fake->session.format = PRINT_METRICS;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "# TYPE ktrace_status_tracepoints gauge\n"
				   "# HELP ktrace_status_tracepoints See docs/output.md.\n"
				   "ktrace_status_tracepoints 0\n");
	assert_contains(fake->out, "\nktrace_status_brake_times_total 3\n");
	assert_contains(fake->out, "\nktrace_status_info{clock=\"tsc\",symbols=");
	assert_contains(fake->out, "\n# TYPE ktrace_status_cpus_recorded counter\n"
				   "# HELP ktrace_status_cpus_recorded See docs/output.md.\n"
				   "ktrace_status_cpus_recorded_total{cpu=\"0\"} 0\n"
				   "ktrace_status_cpus_recorded_total{cpu=\"1\"} 10\n");
	assert_contains(fake->out, "\nktrace_status_recordings_recorded_total{name=\"tiny\",pid=\"0\"} 1500\n");
	assert_contains(fake->out, "\nktrace_status_calibration_jump_cost_seconds 2e-08\n");
	assert_string_equal(fake->out + fake->out_len - 6, "# EOF\n");
	status = read_metrics(fake->out);
	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

static void test_no_metrics(void **state)
{
	fake->session.format = PRINT_METRICS;
	assert_int_equal(fake_run(fake, "list"), STATUS_USAGE);
	assert_contains(fake_error(), "list prints no OpenMetrics: use --json");
}

static void test_status_csv(void **state)
{
	fake->session.format = PRINT_CSV;
	assert_int_equal(fake_run(fake, "status"), STATUS_OK);
	assert_contains(fake->out, "frozen,frozen_time_ns,frozen_by,latefreeze,tracepoints,max_tracepoints,");
	assert_contains(fake->out, "\nfalse,,,0,0,");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_recording), TEST(test_status_width), TEST(test_status_recordings), TEST(test_status_brake),
		TEST(test_brake_said), TEST(test_status_calibrates), TEST(test_status_disturbs_nothing),
		TEST(test_metrics), TEST(test_no_metrics), TEST(test_status_csv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
