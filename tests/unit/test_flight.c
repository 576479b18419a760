// SPDX-License-Identifier: GPL-2.0-or-later
/* test_flight.c - snapshots of a flight recording, read back; and how another process asks for one. */
#include "saving_device.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/base/notify.h"
#include "ctl/live/recorder/remote.h"
#include "ctl/trace/saved/flight.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/saved.h"
#include "ctl/trace/saved/symbols_file.h"
#include "unit.h"

static char dir[64];
static struct error err;
static struct module *writer;
static u32 meanwhile;		/* records that CPU 0 writes each time the clock is read */

static bool busy_now(void *arg, uint64_t *out, struct error *why)
{
	write_many(arg, 0, 0, meanwhile);
	return now(arg, out, why);
}

/* As saving_call(), with the descriptors of the module. */
static int flight_call(struct device *dev, unsigned long request, void *arg)
{
	struct kt_desc_get *get = arg;

	if (request != KT_IOC_DESC)
		return saving_call(dev, request, arg);
	if (get->id >= 512 || !writer->descs[get->id].blob) {
		errno = ENOENT;
		return -1;
	}
	get->len = writer->descs[get->id].len;
	assert_true(get->len <= get->room);
	memcpy((void *)(uintptr_t)get->buf, writer->descs[get->id].blob, get->len);
	get->addr = 0xffffffff81000000;
	return 0;
}

static struct flight *begin(struct device *dev)
{
	const struct reader_source source = {
		.hello = &writer->hello, .map = map, .unmap = unmap, .now = busy_now, .settle = settle,
		.desc = get_desc, .seen = seen, .arg = writer,
	};
	struct reader *reader = reader_create_from(&source, &err);
	struct flight *flight;

	assert_non_null(reader);
	*dev = saving_device(writer);
	dev->call = flight_call;
	flight = flight_create(dev, reader);
	assert_true(flight_add(flight, 1, NULL, &err));
	assert_true(flight_begin(flight, false, &err));
	return flight;
}

static struct flight_saved save(struct flight *flight)
{
	struct flight_saved saved;
	struct error why;

	if (!flight_save(flight, dir, NULL, &saved, &why, &err))
		fail_msg("%s", err.text);
	assert_string_equal(why.text, "");
	return saved;
}

/* What the trace has of each CPU. */
struct seen {
	uint64_t first, next;		/* numbers of records; next is 0: none */
	uint64_t lost;
};

static void take_in(struct seen *cpu, const struct record *record)
{
	if (record->type == RECORD_LOST) {
		cpu->lost += record->lost;
		return;
	}
	if (!cpu->next)
		cpu->first = cpu->next = record->count;
	assert_int_equal(record->count, cpu->next);
	cpu->next++;
}

static void read_back(struct seen cpus[CPUS], uint64_t *complete)
{
	struct saved *saved = saved_open(dir, &err);
	struct snapshot *snap;

	if (!saved)
		fail_msg("%s", err.text);
	memset(cpus, 0, CPUS * sizeof(*cpus));
	*complete = saved_complete_from(saved);
	while (saved_next(saved, &snap, &err) && snap) {
		for (size_t i = 0; i < snapshot_count(snap); i++)
			take_in(&cpus[snapshot_at(snap, i)->cpu], snapshot_at(snap, i));
		snapshot_free(snap);
	}
	saved_close(saved);
}

/* --------------------------------------------------------------------- snapshots */

/* A snapshot with compressed packets has the same records. */
static void test_compressed(void **state)
{
	const struct trace_form form = { .compressed = true };
	struct device dev;
	struct flight *flight = begin(&dev);
	struct seen cpus[CPUS];
	struct flight_saved saved;
	uint64_t complete;

	flight_form(flight, &form);
	write_many(writer, 0, 0, 3 * PER_PACKET + 5);
	write_many(writer, 1, 0, 7);
	saved = save(flight);
	assert_int_equal(saved.records, 3 * PER_PACKET + 12);
	assert_true(saved.bytes < 8 * saved.records);
	read_back(cpus, &complete);
	assert_int_equal(cpus[0].next, 3 * PER_PACKET + 5);
	assert_int_equal(cpus[1].next, 7);
	save_dir_remove(dir);
	flight_free(flight);
}

/* What the brake turned away is in no ring: the description of the snapshot has the count. */
static void test_braked(void **state)
{
	struct device dev;
	struct flight *flight = begin(&dev);
	struct flight_saved saved;
	struct saved *read;

	write_many(writer, 0, 0, 3);
	writer->rings[0].ctl->braked = 5;
	writer->rings[1].ctl->braked = 7;
	flight_switched_off(flight, 2);
	saved = save(flight);
	assert_int_equal(saved.braked, 12);
	assert_int_equal(saved.off, 2);
	assert_int_equal(saved.lost, 0);
	read = saved_open(dir, &err);
	assert_non_null(read);
	assert_int_equal(saved_info(read)->braked, 12);
	assert_int_equal(saved_info(read)->off, 2);
	saved_close(read);
	save_dir_remove(dir);
	flight_free(flight);
}

/* Whatever a ring has: the newest records are there, without a gap, and all are accounted for. */
static void test_windows(void **state)
{
	static const u32 amounts[] = { 0, 1, 40, PER_PACKET, 2 * PER_PACKET + 3, NR_SUB * PER_PACKET, 20 * PER_PACKET + 7 };
	struct device dev;
	struct flight *flight = begin(&dev);
	uint64_t taken[CPUS] = { 0 }, complete;
	struct seen cpus[CPUS];

	for (size_t round = 0; round < 3 * ARRAY_SIZE(amounts); round++) {
		uint64_t records = 0, older = 0;
		struct flight_saved saved;

		for (u32 cpu = 0; cpu < CPUS; cpu++) {
			const u32 n = amounts[(round + cpu) % ARRAY_SIZE(amounts)];

			write_many(writer, cpu, 0, n);
			taken[cpu] += n;
		}
		saved = save(flight);
		read_back(cpus, &complete);
		for (u32 cpu = 0; cpu < CPUS; cpu++) {
			assert_int_equal(cpus[cpu].next, taken[cpu]);
			assert_int_equal(cpus[cpu].lost, 0);
			records += cpus[cpu].next - cpus[cpu].first;
			older += cpus[cpu].first;
		}
		assert_int_equal(saved.records, records);
		assert_int_equal(saved.older, older);
		assert_int_equal(saved.lost, 0);
		assert_true(complete >= 1000 && complete <= ticks);
		save_dir_remove(dir);
	}
	flight_free(flight);
}

/* A ring that is overwritten while it is copied: what is left has no gap. */
static void test_overwritten(void **state)
{
	struct device dev;
	struct flight *flight = begin(&dev);
	struct seen cpus[CPUS];
	uint64_t complete;

	write_many(writer, 0, 0, 9 * PER_PACKET + 5);
	write_many(writer, 1, 0, 3);
	for (meanwhile = PER_PACKET / 2; meanwhile < 6 * PER_PACKET; meanwhile += PER_PACKET / 2) {
		const struct flight_saved saved = save(flight);

		read_back(cpus, &complete);
		assert_true(saved.records >= 1 && cpus[0].next > cpus[0].first);
		assert_int_equal(cpus[0].lost + cpus[1].lost, 0);
		assert_int_equal(cpus[1].next, 3);
		save_dir_remove(dir);
	}
	meanwhile = 0;
	flight_free(flight);
}

/* Losses are told from the end of the oldest packet on; a ring that was never full tells all. */
static void test_lost(void **state)
{
	struct device dev;
	struct flight *flight = begin(&dev);
	struct seen cpus[CPUS];
	uint64_t complete;

	write_many(writer, 0, 0, 10);
	writer->rings[0].ctl->discarded = 4;
	write_many(writer, 0, 0, 10);
	assert_int_equal(save(flight).lost, 4);
	read_back(cpus, &complete);
	assert_int_equal(cpus[0].lost, 4);
	save_dir_remove(dir);
	write_many(writer, 0, 0, 8 * PER_PACKET);
	assert_int_equal(save(flight).lost, 0);
	save_dir_remove(dir);
	writer->rings[0].ctl->discarded = 9;
	assert_int_equal(save(flight).lost, 5);
	read_back(cpus, &complete);
	assert_int_equal(cpus[0].lost, 5);
	flight_free(flight);
}

/* After each failure, nothing is left. */
static void test_places(void **state)
{
	AUTO_FREE char *below = mem_printf("%s/below/it", dir), *part = mem_printf("%s.part", dir);
	struct flight_saved saved;
	struct device dev;
	struct flight *flight = begin(&dev);
	struct error why;

	assert_true(flight_writable(dir, &err));
	assert_int_equal(access(dir, F_OK) + access(part, F_OK), -2);
	assert_false(flight_writable(below, &err));
	assert_false(flight_save(flight, below, NULL, &saved, &why, &err));
	assert_false(flight_save(flight, dir, &(struct symbols_source){ .path = "/no/such/file" }, &saved, &why, &err));
	assert_contains(err.text, "/no/such/file: No such file");
	assert_int_equal(access(dir, F_OK) + access(part, F_OK), -2);
	save(flight);
	assert_false(flight_writable(dir, &err));
	assert_false(flight_save(flight, dir, NULL, &saved, &why, &err));
	assert_contains(err.text, "exists, and is not empty");
	assert_int_equal(access(part, F_OK), -1);
	flight_free(flight);
}

/* A descriptor that is gone. */
static void test_gone(void **state)
{
	struct device dev;
	struct flight *flight = begin(&dev);

	assert_false(flight_add(flight, 2, NULL, &err));
	assert_contains(err.text, "is gone");
	flight_free(flight);
}

/* ------------------------------------------------------------------------ asking */

/* In a child: serve one request. */
static pid_t serve(const char *name, bool failed)
{
	const pid_t pid = fork();
	struct remote_answer answer = { .failed = failed, .dir = "/tmp/x", .saved = { .records = 7 } };
	struct remote_ask ask;
	int listener, fd;

	if (pid)
		return pid;
	listener = remote_listen(name, &err);
	if (listener < 0)
		_exit(1);
	while ((fd = remote_take(listener, &ask)) < 0)
		usleep(1000);
	snprintf(answer.error.text, sizeof(answer.error.text), "asked for '%.99s'", ask.dir);
	remote_answer(fd, &answer);
	_exit(0);
}

static bool call_when_ready(const char *name, pid_t pid, const char *where, struct remote_answer *answer)
{
	for (int i = 0; i < 60000; i++) {
		if (remote_call(name, pid, where, answer, &err))
			return true;
		if (!strstr(err.text, "Connection refused"))
			return false;
		usleep(1000);
	}
	return false;
}

static void test_asked(void **state)
{
	AUTO_FREE char *name = mem_printf("test %d", getpid());
	struct remote_answer answer;
	int status;
	pid_t pid = serve(name, false);

	if (!call_when_ready(name, pid, "", &answer))
		fail_msg("%s", err.text);
	assert_false(answer.failed);
	assert_int_equal(answer.saved.records, 7);
	assert_string_equal(answer.dir, "/tmp/x");
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);

	pid = serve(name, true);
	assert_true(call_when_ready(name, pid, "/tmp/y", &answer));
	assert_true(answer.failed);
	assert_string_equal(answer.error.text, "asked for '/tmp/y'");
	waitpid(pid, &status, 0);
}

static void test_nobody(void **state)
{
	AUTO_FREE char *name = mem_printf("test %d", getpid());
	struct remote_answer answer;
	struct error why;
	int listener;

	assert_false(remote_call(name, getpid(), "", &answer, &err));
	assert_contains(err.text, "does not answer: Connection refused");
	listener = remote_listen(name, &err);
	assert_true(listener >= 0);
	/* A name is taken once. */
	assert_int_equal(remote_listen(name, &why), -1);
	assert_contains(why.text, "use the signal SIGUSR1");
	/* Another process has the socket. */
	assert_false(remote_call(name, getpid() + 1, "", &answer, &err));
	assert_contains(err.text, "another process has its socket");
	close(listener);
}

/* A service manager hears that the recorder is ready. */
static void hears(const char *name, const struct sockaddr_un *address, socklen_t len)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	char said[32] = "";

	assert_int_equal(bind(fd, (const struct sockaddr *)address, len), 0);
	setenv("NOTIFY_SOCKET", name, 1);
	notify_ready();
	assert_int_equal(recv(fd, said, sizeof(said) - 1, MSG_DONTWAIT), 7);
	assert_string_equal(said, "READY=1");
	close(fd);
	/* Nobody listens. */
	notify_ready();
}

static void test_ready(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	AUTO_FREE char *name = mem_printf("@ktrace/test/%d", getpid());

	strcpy(address.sun_path, dir);
	hears(dir, &address, sizeof(address));
	unlink(dir);
	memset(address.sun_path, 0, sizeof(address.sun_path));
	strcpy(address.sun_path + 1, name + 1);
	hears(name, &address, offsetof(struct sockaddr_un, sun_path) + strlen(name));
	setenv("NOTIFY_SOCKET", "relative", 1);
	notify_ready();
	unsetenv("NOTIFY_SOCKET");
	notify_ready();
}

/* ------------------------------------------------------------------------- tests */

static int begin_dir(void **state)
{
	strcpy(dir, "/tmp/ktrace-flight-XXXXXX");
	meanwhile = 0;
	if (!mkdtemp(dir) || rmdir(dir) || setup(state))
		return 1;
	writer = *state;
	return 0;
}

static int end_dir(void **state)
{
	save_dir_remove(dir);
	return teardown(state) || access(dir, F_OK) == 0;
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin_dir, end_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_compressed), TEST(test_braked), TEST(test_windows), TEST(test_overwritten), TEST(test_lost), TEST(test_places), TEST(test_gone),
		TEST(test_asked), TEST(test_nobody), TEST(test_ready),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
