// SPDX-License-Identifier: GPL-2.0-or-later
/* test_state_file.c - the state of the system as events of a trace: written, described, read back. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "ctl/base/device/device.h"
#include "ctl/base/memory.h"
#include "ctl/trace/print/print_int.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/saved.h"
#include "ctl/trace/saved/state_file.h"
#include "unit.h"

#define PID	4194000		/* no process has it: its command line is not read */
#define FILES	3000
#define BEGAN	500

static char dir[64];
static struct error err;
static uint64_t now;
static uint64_t ended;		/* the recording ends so much later; 0: its recorder is killed */
static uint64_t last_file;	/* time of the newest file */
static unsigned int rounds, rounds_allowed;

/* ------------------------------------------------------------------ the module */

static uint32_t add(uint8_t *to, struct kt_state_head *head, size_t size, const char *name)
{
	const size_t len = size + (name ? strlen(name) + 1 : 0);

	head->len = (len + 7) & ~7U;
	head->time = ++now;
	memset(to, 0, head->len);
	memcpy(to, head, size);
	if (name)
		strcpy((char *)to + size, name);
	return head->len;
}

static uint32_t add_task(uint8_t *to)
{
	struct kt_state_task task = {
		.head = { .pid = PID + 1 }, .tgid = PID, .ppid = 1, .uid = 1000, .cpu = 3, .status = KT_STATUS_WAIT,
		.prio = -1, .files = 0xffff888000001000, .name = "a \"name\"",
	};

	return add(to, &task.head, sizeof(task), NULL);
}

/* Names of all lengths, the longest first. */
static uint32_t add_files(uint8_t *to, struct kt_state *req)
{
	char name[KT_MAX_STATE_NAME];
	uint32_t len = 0;

	for (; req->cursor[0] < FILES && len + sizeof(name) + 128 < req->room; req->cursor[0]++) {
		struct kt_state_file file = { .head = { .pid = PID }, .tgid = PID, .fd = req->cursor[0] };
		const size_t letters = req->cursor[0] ? req->cursor[0] % 200 : sizeof(name) - 1;

		memset(name, 'x', letters);
		name[letters] = '\0';
		len += add(to + len, &file.head, sizeof(file), name);
		last_file = now;
	}
	req->done = req->cursor[0] == FILES;
	return len;
}

static uint32_t add_pids(uint8_t *to)
{
	struct kt_state_pids pids = { .head = { .pid = PID + 1 }, .vtid = 3, .vpid = 2, .level = 1, .ns = 4026531836 };

	return add(to, &pids.head, sizeof(pids), NULL);
}

static uint32_t add_cpu(uint8_t *to)
{
	struct kt_state_cpu cpu = { .head = { .pid = PID + 1 }, .cpu = 3, .flags = KT_CPU_BUSY };

	return add(to, &cpu.head, sizeof(cpu), NULL);
}

static int call(struct device *dev, unsigned long request, void *arg)
{
	struct kt_state *req = arg;
	struct kt_clock *clock = arg;
	uint8_t *to;

	if (request != KT_IOC_STATE) {
		assert_int_equal(request, KT_IOC_CLOCK);
		clock->nr = 0;
		clock->now = now += 1ULL << 33;	/* more than a compact header has room for */
		return 0;
	}
	to = (uint8_t *)(uintptr_t)req->buf;
	req->done = 1;
	req->len = req->kind == KT_STATE_TASKS ? add_task(to) : req->kind == KT_STATE_PIDS ? add_pids(to) :
		   req->kind == KT_STATE_FILES ? add_files(to, req) : req->kind == KT_STATE_END ? add_cpu(to) : 0;
	return 0;
}

static bool between(void *arg, struct error *err)
{
	assert_ptr_equal(arg, &rounds);
	return ++rounds <= rounds_allowed || error_set(err, STATUS_FAILURE, "disk full");
}

/* --------------------------------------------------------------------- tests */

static struct trace_info *make_info(void)
{
	const struct kt_hello hello = { .arch = arch_native.elf_machine, .features = KT_FEATURE_WIDE, .uuid = { 7 } };
	struct trace_info *info = mem_zalloc(1, sizeof(*info));

	trace_info_here(info, &hello);
	info->is_open = true;
	info->clock.ns_num = info->clock.ns_den = 1;
	return info;
}

static int setup(void **state)
{
	now = 1000;
	ended = 0;
	rounds = 0;
	rounds_allowed = 1000000;
	strcpy(dir, "/tmp/ktrace-state-XXXXXX");
	return !mkdtemp(dir) || rmdir(dir);
}

static int teardown(void **state)
{
	save_dir_remove(dir);
	return access(dir, F_OK) == 0;
}

/* Returns what state_file_dump() returned. */
static bool dump(bool *failed, uint64_t *bytes)
{
	struct device dev = { .fd = -1, .call = call };
	struct trace_info *info = make_info();
	struct state_file *file;
	char *moved = NULL;
	bool ok;

	close(save_dir_create(dir, &moved, &err));
	file = state_file_create(dir, info, &err);
	assert_non_null(file);
	state_file_begins(file, BEGAN);
	assert_true(save_dir_describe(dir, info, &err));
	ok = state_file_dump(file, &dev, between, &rounds, &err);
	*failed = state_file_failed(file);
	if (ok && ended)
		assert_true(state_file_ends(file, now + ended, &err));
	*bytes = state_file_bytes(file);
	state_file_free(file);
	trace_info_free(info);
	return ok;
}

static void show_item(struct printer *printer, const struct item *item, void *arg)
{
	FILE *out = arg;

	if (item->kind == FIELD_STRING)
		fprintf(out, " %s=%.*s", item->name, (int)item->length, (const char *)item->raw);
	else
		fprintf(out, " %s=%ld", item->name, (long)item->value);
}

/* All events in a line each; *n is their number. */
static char *read_back(size_t *n, uint64_t *complete)
{
	struct saved *saved = saved_open(dir, &err);
	struct printer printer = { 0 };
	struct snapshot *snap;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	uint64_t last = 0;

	if (!saved)
		fail_msg("%s", err.text);
	*n = 0;
	*complete = saved_complete_from(saved);
	for (;;) {
		assert_true(saved_next(saved, &snap, &err));
		if (!snap)
			break;
		for (size_t i = 0; i < snapshot_count(snap); i++, ++*n) {
			const struct record *record = snapshot_at(snap, i);

			assert_int_equal(record->type, RECORD_HIT);
			assert_true(record->desc->is_state);
			assert_true(record->ticks >= last);
			last = record->ticks;
			fprintf(out, "%s", record->desc->name);
			record_items(&printer, record, show_item, out);
			fputc('\n', out);
		}
		snapshot_free(snap);
	}
	fclose(out);
	saved_close(saved);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void test_all(void **state)
{
	uint64_t bytes, complete;
	AUTO_FREE char *text = NULL;
	bool failed;
	size_t n;

	assert_true(dump(&failed, &bytes));
	assert_false(failed);
	assert_true(bytes > 3 * 65536);
	assert_true(rounds > FILES / 64);
	text = read_back(&n, &complete);
	assert_int_equal(strncmp(text, "lttng_statedump_start\n", 22), 0);
	assert_contains(text, "lttng_statedump_process_state tid=4194001 pid=4194000 ppid=1 name=a \"name\" type=0 mode=5 submode=0 "
			      "status=5 cpu=3 pgrp=0 session=0 uid=1000 gid=0 prio=-1 policy=0 start=0 "
			      "file_table_address=-131391639515136 ");
	assert_contains(text, "lttng_statedump_process_pid_ns tid=4194001 vtid=3 vpid=2 vppid=0 ns_level=1 ns_inum=4026531836\n");
	assert_int_equal(count(text, "lttng_statedump_file_descriptor "), FILES);
	assert_contains(text, " fd=199 flags=0 fmode=0 inode=0 dev=0 filename=xxxx");
	assert_contains(text, " fd=200 flags=0 fmode=0 inode=0 dev=0 filename=\n");
	assert_contains(text, "ktrace_statedump_cpu cpu_id=3 tid=4194001 busy=1\nlttng_statedump_end\n");
	assert_int_equal(complete, now);
}

struct span {
	uint64_t begin, end, packets;
};

static bool widen(void *arg, const char *name, const struct kt_packet *packet, size_t bytes, struct error *err)
{
	struct span *span = arg;

	assert_string_equal(name, SAVE_STATE);
	if (!span->packets++)
		span->begin = span->end = packet->ts_begin;
	/* No gap. */
	assert_int_equal(packet->ts_begin, span->end);
	span->end = packet->ts_end;
	return true;
}

/* The stream is as long as the recording.  If the recorder is killed before the end, only the last packet is missing. */
static void test_span(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/state", dir), *whole = NULL, *killed = NULL;
	uint64_t bytes, complete, complete_killed;
	struct span span = { 0 };
	struct saved *saved;
	bool failed;
	size_t n;

	ended = 1ULL << 40;
	assert_true(dump(&failed, &bytes));
	whole = read_back(&n, &complete);
	assert_int_equal(complete, now);
	saved = saved_open(dir, &err);
	assert_non_null(saved);
	assert_true(saved_packets(saved, widen, &span, &err));
	saved_close(saved);
	assert_int_equal(span.begin, BEGAN);
	assert_int_equal(span.end, now + ended);
	assert_int_equal(truncate(path, bytes - sizeof(struct kt_packet)), 0);
	killed = read_back(&n, &complete_killed);
	assert_string_equal(killed, whole);
	assert_int_equal(complete_killed, complete);
}

/* What was written until then can be read. */
static void test_stopped(void **state)
{
	uint64_t bytes, complete;
	AUTO_FREE char *text = NULL;
	bool failed;
	size_t n;

	rounds_allowed = 10;
	assert_false(dump(&failed, &bytes));
	assert_true(failed);
	assert_string_equal(err.text, "disk full");
	assert_int_equal(rounds, 11);
	text = read_back(&n, &complete);
	assert_null(strstr(text, "lttng_statedump_end"));
}

/* The end of the file is missing, as after a crash: all whole packets can be read. */
static void test_torn(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/state", dir);
	uint64_t bytes, complete;
	size_t before = 0, n;
	bool failed;

	assert_true(dump(&failed, &bytes));
	for (uint64_t len = bytes + 1; len > 20000; len -= 7001) {
		assert_int_equal(truncate(path, len > bytes ? bytes : len), 0);
		free(read_back(&n, &complete));
		assert_true(!before || n <= before);
		before = n;
	}
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all, setup, teardown),
		cmocka_unit_test_setup_teardown(test_span, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stopped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_torn, setup, teardown),
	};

	return cmocka_run_group_tests_name("the state of the system in a trace", tests, NULL, NULL);
}
