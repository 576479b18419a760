// SPDX-License-Identifier: GPL-2.0-or-later
/* test_packet_io.c - compressed packets: written and read back, cut off, damaged; whole traces of them. */
#include "saving_device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/trace/saved/convert.h"
#include "ctl/trace/saved/packet_io.h"
#include "ctl/trace/saved/save.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/saved.h"
#include "unit.h"

static char base[64], plain[80], packed[80], copy[80];
static struct error err;

/* ----------------------------------------------------------------- one file */

static struct kt_packet *make_packet(size_t bytes, bool is_random)
{
	struct kt_packet *packet = calloc(1, bytes);
	uint8_t *data = (uint8_t *)packet;

	for (size_t i = 0; i < bytes; i++)
		data[i] = is_random ? (uint8_t)rand() : i / 64;
	packet->magic = KT_CTF_MAGIC;
	packet->packet_bits = packet->content_bits = bytes * 8;
	return packet;
}

static int open_file(void)
{
	AUTO_FREE char *path = mem_printf("%s/file", base);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

/* What is read is what was written, wherever it lies; a file of zstd frames is what zstd itself expands. */
static void round_trip(bool compress, size_t bytes, bool is_random)
{
	AUTO_FREE struct kt_packet *one = make_packet(bytes, is_random);
	AUTO_FREE uint8_t *two = malloc(2 * bytes), *back = malloc(bytes);
	struct packet_writer *writer = packet_writer_create(compress);
	struct packet_extent extent = { 0 };
	struct kt_packet header;
	uint64_t stored = 5;
	int fd = open_file();

	memcpy(two, one, bytes);
	memcpy(two + bytes, one, bytes);
	assert_true(packet_write(writer, fd, two, bytes, 2, &stored));
	assert_true(packet_write(writer, fd, one, bytes, 1, &stored));
	assert_int_equal(lseek(fd, 0, SEEK_END), stored - 5);
	for (int i = 0; i < 3; i++, extent.at += extent.stored) {
		assert_true(packet_header(fd, compress, &extent, &header));
		assert_memory_equal(&header, one, sizeof(header));
		assert_true(packet_read(fd, compress, &extent, back, bytes));
		assert_memory_equal(back, one, bytes);
	}
	assert_int_equal(extent.at, stored - 5);
	assert_false(packet_header(fd, compress, &extent, &header));
	if (compress && !is_random && bytes > 1000)
		assert_true(stored < bytes);
	packet_writer_free(writer);
	close(fd);
}

static void test_round_trip(void **state)
{
	static const size_t sizes[] = { sizeof(struct kt_packet), 90, 4096, 65537, KT_SUBBUF_MAX };

	for (size_t i = 0; i < 4 * ARRAY_SIZE(sizes); i++)
		round_trip(i & 1, sizes[i / 4], i & 2);
}

/* A disk that takes nothing: errno says why, and the sum stays. */
static void test_full(void **state)
{
	AUTO_FREE struct kt_packet *one = make_packet(4096, false);
	int fd = open("/dev/full", O_WRONLY);

	for (int compress = 0; compress < 2; compress++) {
		struct packet_writer *writer = packet_writer_create(compress);
		uint64_t stored = 7;

		errno = 0;
		assert_false(packet_write(writer, fd, one, 4096, 1, &stored));
		assert_int_equal(errno, ENOSPC);
		assert_int_equal(stored, 7);
		packet_writer_free(writer);
	}
	close(fd);
}

/* -------------------------------------------------------------- whole traces */

struct copying {
	struct packet_writer *writer;
	uint64_t stored;
};

static bool pack_one(void *arg, const char *name, const struct kt_packet *packet, size_t bytes, struct error *why)
{
	struct copying *c = arg;
	AUTO_FREE char *path = mem_printf("%s/%s", packed, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert_true(packet_write(c->writer, fd, packet, bytes, 1, &c->stored));
	close(fd);
	return true;
}

static void describe(bool is_open)
{
	struct saved *saved = saved_open(plain, &err);
	struct trace_info info = *saved_info(saved);

	info.form.compressed = true;
	info.is_open = is_open;
	assert_true(save_dir_describe(packed, &info, &err));
	saved_close(saved);
}

/* Save a trace, and the same one with compressed packets. */
static void make_traces(struct module *module)
{
	struct copying c = { .writer = packet_writer_create(true) };
	struct device dev = saving_device(module);
	struct reader *reader = open_reader(module);
	struct save *save = save_create(plain, &dev, &err);
	struct saved *saved;
	struct snapshot *snap;
	char *moved = NULL;

	write_many(module, 0, 0, 2 * PER_PACKET + 3);
	write_many(module, 2, 0, 10);
	snap = take(reader);
	assert_true(save_snapshot(save, snap, &err));
	save_keep(save);
	snapshot_free(snap);
	assert_true(save_finish(save, NULL, false, &err));
	reader_destroy(reader);
	close(save_dir_create(packed, &moved, &err));
	saved = saved_open(plain, &err);
	assert_true(saved_packets(saved, pack_one, &c, &err));
	saved_close(saved);
	packet_writer_free(c.writer);
	describe(false);
}

/* A number that two traces with other records hardly share; -1: err is set. */
static int64_t sum_of(const char *dir)
{
	struct saved *saved = saved_open(dir, &err);
	struct snapshot *snap = NULL;
	int64_t sum = 0;
	bool ok = saved;

	while (ok && (ok = saved_next(saved, &snap, &err)) && snap) {
		for (size_t i = 0; i < snapshot_count(snap); i++) {
			const struct record *record = snapshot_at(snap, i);

			sum = sum * 31 + (int64_t)record->ticks * 7 + *(const u32 *)record->payload + record->cpu;
			sum &= INT32_MAX;
		}
		snapshot_free(snap);
	}
	saved_close(saved);
	return ok ? sum : -1;
}

static uint64_t count_records(const char *dir)
{
	struct saved *saved = saved_open(dir, &err);
	struct snapshot *snap;
	uint64_t n = 0;

	if (!saved)
		fail_msg("%s", err.text);
	while (saved_next(saved, &snap, &err) && snap) {
		n += snapshot_count(snap);
		snapshot_free(snap);
	}
	saved_close(saved);
	return n;
}

static void test_trace(void **state)
{
	AUTO_FREE char *metadata = mem_printf("%s/" SAVE_METADATA, packed), *info = mem_printf("%s/" SAVE_INFO, packed);
	AUTO_CLOSE FILE *in = NULL;
	struct convert_totals totals;
	char text[4096] = "";

	make_traces(*state);
	assert_int_equal(sum_of(packed), sum_of(plain));
	assert_int_equal(count_records(packed), 2 * PER_PACKET + 13);
	assert_true(save_dir_size(packed) < save_dir_size(plain));
	in = fopen(metadata, "r");
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	assert_contains(text, "ktrace_packets = \"zstd\";");
	/* The copy for other readers is as if it had never been compressed. */
	if (!save_convert(packed, copy, 1, NULL, &totals, &err))
		fail_msg("%s", err.text);
	assert_int_equal(totals.records, 2 * PER_PACKET + 13);
	assert_int_equal(save_dir_size(copy), save_dir_size(plain));
	assert_int_equal(sum_of(copy), sum_of(plain));
	/* Another way to compress them. */
	assert_int_equal(truncate(info, 0), 0);
	fclose(in);
	in = fopen(info, "w");
	fputs("{\"type\":\"ktrace\",\"v\":1,\"format\":1,\"packets\":\"xz\"}", in);
	fflush(in);
	assert_int_equal(sum_of(packed), -1);
	assert_contains(err.text, "this ktrace cannot read its packets");
}

/* -------------------------------------------------------------------- damage */

static uint8_t *contents(const char *path, size_t *len)
{
	FILE *file = fopen(path, "r");
	uint8_t *bytes = malloc(1 << 20);

	assert_non_null(file);
	*len = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

static void overwrite(const char *path, const uint8_t *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

/* Where a file ends after each packet. */
static bool is_end(const char *path, size_t at)
{
	struct packet_extent extent = { 0 };
	struct kt_packet header;
	int fd = open(path, O_RDONLY);

	while (extent.at < at && packet_header(fd, true, &extent, &header))
		extent.at += extent.stored;
	close(fd);
	return extent.at == at;
}

/* A finished trace that is cut off is refused, except between two packets; an open one can be read up to there. */
static void test_cut_off(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/cpu2", packed), *other = mem_printf("%s/cpu0", packed);
	size_t len, most;
	AUTO_FREE uint8_t *bytes = NULL, *rest = NULL;

	make_traces(*state);
	bytes = contents(path, &len);
	for (size_t at = 0; at < len; at++) {
		overwrite(path, bytes, at);
		assert_int_equal(sum_of(packed) != -1, !at);
		if (at)
			assert_contains(err.text, "cpu2: damaged: cut off");
	}
	describe(true);
	for (size_t at = 0; at <= len; at++) {
		overwrite(path, bytes, at);
		assert_int_equal(count_records(packed), 2 * PER_PACKET + 3 + (at == len ? 10 : 0));
	}
	/* Of three packets, those before the cut. */
	rest = contents(other, &most);
	for (size_t at = 0; at < most; at += 1 + rand() % 7) {
		overwrite(other, rest, at);
		assert_true((count_records(packed) - 10) % PER_PACKET == 0);
	}
	overwrite(other, rest, most);
	assert_true(is_end(other, most));
}

/* Whatever bit is wrong: one line says so, or it was one without a meaning. */
static void test_damaged(void **state)
{
	static const char *const files[] = { "cpu2", "cpu0" };
	size_t found = 0, tried = 0;
	int64_t good;

	make_traces(*state);
	good = sum_of(plain);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTO_FREE char *path = mem_printf("%s/%s", packed, files[i]);
		size_t len;
		AUTO_FREE uint8_t *bytes = contents(path, &len);

		for (size_t at = 0; at < len; at += i ? 1 + rand() % 9 : 1) {
			const uint8_t was = bytes[at];
			int64_t sum;

			bytes[at] ^= 1 << rand() % 8;
			overwrite(path, bytes, len);
			*err.text = '\0';
			sum = sum_of(packed);
			assert_true(sum == good || (sum == -1 && *err.text));
			assert_one_line(err.text);
			found += sum == -1;
			tried++;
			bytes[at] = was;
		}
		overwrite(path, bytes, len);
		assert_int_equal(sum_of(packed), good);
	}
	assert_true(found > tried - tried / 50);
}

/* -------------------------------------------------------------------------- main */

static int begin_dir(void **state)
{
	strcpy(base, "/tmp/ktrace-packet-XXXXXX");
	if (!mkdtemp(base))
		return 1;
	snprintf(plain, sizeof(plain), "%s/plain", base);
	snprintf(packed, sizeof(packed), "%s/packed", base);
	snprintf(copy, sizeof(copy), "%s/copy", base);
	return setup(state);
}

static int end_dir(void **state)
{
	save_dir_remove(plain);
	save_dir_remove(packed);
	save_dir_remove(copy);
	return rmdir(base) || teardown(state);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin_dir, end_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_round_trip), TEST(test_full), TEST(test_trace), TEST(test_cut_off), TEST(test_damaged),
	};

	return cmocka_run_group_tests_name("packets in files", tests, NULL, NULL);
}
