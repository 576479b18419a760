// SPDX-License-Identifier: GPL-2.0-or-later
/* test_registered.c - names of events of registered processes; copies of the memory of a process that writes, or forges. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "ctl/base/memory.h"
#include "ctl/trace/user/user_copy.h"
#include "ctl/trace/user/user_event.h"
#include "unit.h"

/* ------------------------------------------------------------------------ names */

static bool matches(const char *list, const char *provider, const char *name)
{
	const struct user_site site = { .provider = (char *)provider, .name = (char *)name };

	return user_event_matches(list, &site);
}

static void test_names(void **state)
{
	(void)state;
	assert_true(user_event_is("user:server:request"));
	assert_false(user_event_is("sched"));
	assert_true(user_event_are("user:server:*,-user:server:debug"));
	assert_false(user_event_are("user:server:*,sched"));
	assert_false(user_event_are("user:"));
	assert_false(user_event_are(""));
	assert_true(matches("user:server:request", "server", "request"));
	assert_true(matches("user:server", "server", "request"));
	assert_true(matches("user:request", "server", "request"));
	assert_true(matches("user:*", "server", "request"));
	assert_false(matches("user:server:reply", "server", "request"));
	assert_false(matches("user:*,-user:request", "server", "request"));
	assert_true(matches("-user:reply", "server", "request"));
	assert_true(matches("user:*,-user:request,user:server:*", "server", "request"));
}

/* ------------------------------------------------------------------------ a process' memory */

#define CPUS	2
#define SUBBUF	KTU_SUBBUF_MIN
#define SUBBUFS	4U
#define DESCS	4096U
#define STRIDE	(KTU_PAGE + SUBBUFS * SUBBUF)
#define BYTES	(KTU_PAGE + DESCS + CPUS * STRIDE)

static struct memory {
	int fd;
	uint8_t *map;
	uint64_t written;	/* events on the first ring */
	bool forged;
} mem;

static struct ktu_ring *ring(void)
{
	return (struct ktu_ring *)(mem.map + KTU_PAGE + DESCS);
}

static struct ktu_packet *packet(uint64_t seq)
{
	return (struct ktu_packet *)((uint8_t *)ring() + KTU_PAGE + seq % SUBBUFS * SUBBUF);
}

static void begin_packet(uint64_t seq)
{
	*packet(seq) = (struct ktu_packet){ .magic = KTU_PACKET_MAGIC, .seq = seq, .ts_begin = 1000, .count = mem.written,
					    .packet_bits = 8 * SUBBUF };
	ring()->word = seq << 32 | sizeof(struct ktu_packet) / 4 << 16;
}

static uint32_t filled(void)
{
	return ring()->word >> 16 & 0xffff;
}

/* As libktrace writes them: a mark, if it is the first of a packet; header and argument. */
static void write_event(void)
{
	const uint64_t seq = ring()->word >> 32;
	uint32_t *at;
	unsigned int n = 0;

	if (4 * filled() + 20 > SUBBUF) {
		packet(seq)->content_bits = 32 * filled();
		packet(seq)->records = ring()->word & 0xffff;
		if (seq + 1 >= SUBBUFS)
			ring()->oldest = seq + 2 - SUBBUFS;
		begin_packet(seq + 1);
	}
	at = (uint32_t *)packet(ring()->word >> 32) + filled();
	if (filled() == sizeof(struct ktu_packet) / 4) {
		at[n++] = KTU_THREAD_MARK | 1000 << 8;
		at[n++] = 77;
	}
	at[n++] = 1 | 1000 << 8;
	at[n++] = mem.written++;
	ring()->word += ((uint64_t)n << 16) + 1;
}

static void make_memory(void)
{
	static const char texts[] = "\x05" "truth\0number\0i\0file.c";
	struct ktu_file *head;
	struct ktu_desc *desc;

	mem.fd = memfd_create("test", MFD_ALLOW_SEALING);
	assert_int_equal(posix_fallocate(mem.fd, 0, BYTES), 0);
	mem.map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, mem.fd, 0);
	assert_ptr_not_equal(mem.map, MAP_FAILED);
	head = (struct ktu_file *)mem.map;
	*head = (struct ktu_file){
		.magic = KTU_MAGIC, .version = KTU_VERSION, .machine = arch_native.elf_machine, .pid = 5, .subbuf_bytes = SUBBUF,
		.nr_subbufs = SUBBUFS, .nr_cpus = CPUS, .desc_off = KTU_PAGE, .desc_bytes = DESCS, .rings_off = KTU_PAGE + DESCS,
		.ring_stride = STRIDE, .program = "../a b", .desc_used = 64, .lost = 4,
	};
	desc = (struct ktu_desc *)(mem.map + KTU_PAGE);
	*desc = (struct ktu_desc){ .magic = KTU_DESC_SITE, .bytes = 64, .id = 1, .nr = 1 };
	memcpy(desc + 1, texts, sizeof(texts));
	mem.written = 0;
	mem.forged = false;
	memset(packet(0), 0x5a, SUBBUFS * SUBBUF);	/* events of long ago */
	begin_packet(0);
	ring()->used = 1;
}

static void drop_memory(void)
{
	munmap(mem.map, BYTES);
	close(mem.fd);
}

static struct user_file *open_memory(void)
{
	struct error err;
	struct user_file *file;

	assert_int_equal(fcntl(mem.fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	file = user_file_open_memory(mem.fd, "process 5", &err);
	if (!file)
		fail_msg("%s", err.text);
	return file;
}

/* Is nothing there that is in no event of the ring? */
static bool has_only_events(const char *name)
{
	static const uint8_t old[8] = { 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a };
	FILE *file = fopen(name, "r");
	AUTO_FREE uint8_t *bytes = mem_zalloc(1, BYTES);
	const size_t n = fread(bytes, 1, BYTES, file);

	fclose(file);
	return n && !memmem(bytes, n, old, sizeof(old));
}

/* Copy it into a new directory, and remove that. */
static bool copy(const struct user_file *file, const struct user_base *base, uint64_t *events, uint64_t *lost, char **name,
		 struct error *err)
{
	char dir[] = "/tmp/ktrace-test-XXXXXX";
	const struct user_copy copy = {
		.file = file, .fd = mem.fd, .base = base, .pid = 42, .anchors = { { 1, 1, 1 }, { 2, 2, 2 } },
	};
	bool ok;

	assert_non_null(mkdtemp(dir));
	ok = user_copy_write(&copy, dir, events, lost, err);
	if (ok) {
		*name = mem_printf("%s/.._a_b.42.rings", dir);
		assert_true(has_only_events(*name) || mem.forged);
		assert_int_equal(unlink(*name), 0);
		free(*name);
	}
	assert_int_equal(rmdir(dir), 0);
	return ok;
}

static void test_unsealed(void **state)
{
	struct error err;

	(void)state;
	make_memory();
	assert_null(user_file_open_memory(mem.fd, "process 5", &err));
	assert_string_equal(err.text, "process 5: its memory is not sealed: it is not read");
	drop_memory();
}

/* What was written before, and lost before, is not part of the copy; whatever has gone round. */
static void test_since(void **state)
{
	static const unsigned int amounts[] = { 0, 1, 10, 400, 497, 498, 1000, 5000 };
	const size_t nr = sizeof(amounts) / sizeof(*amounts);
	uint64_t events, lost;
	struct error err;
	char *name;

	(void)state;
	for (size_t i = 0; i < nr * nr; i++) {
		struct user_base base;
		struct user_file *file;

		make_memory();
		for (unsigned int n = 0; n < amounts[i / nr]; n++)
			write_event();
		ring()->discarded = 3;
		file = open_memory();
		assert_true(user_base_read(file, mem.fd, &base, &err));
		for (unsigned int n = 0; n < amounts[i % nr]; n++)
			write_event();
		ring()->discarded += 2;
		((struct ktu_file *)mem.map)->lost += 1;
		if (!copy(file, &base, &events, &lost, &name, &err))
			fail_msg("%u and %u: %s", amounts[i / nr], amounts[i % nr], err.text);
		assert_int_equal(events + lost, amounts[i % nr] + 3);
		assert_true(events >= (amounts[i % nr] < 900 ? amounts[i % nr] : 900));
		free(base.rings);
		user_file_close(file);
		drop_memory();
	}
}

static void test_claimed(void **state)
{
	const off_t second = KTU_PAGE + DESCS + STRIDE;
	const struct user_base all = { 0 };
	uint64_t events, lost;
	struct user_file *file;
	struct error err;
	char *name;

	(void)state;
	make_memory();
	assert_int_equal(fallocate(mem.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, second, STRIDE), 0);
	file = open_memory();
	assert_true(copy(file, &all, &events, &lost, &name, &err));
	((struct ktu_ring *)(mem.map + second))->used = 1;
	assert_false(copy(file, &all, &events, &lost, &name, &err));
	assert_string_equal(err.text, "process 5: damaged: rings that have no memory");
	user_file_close(file);
	drop_memory();
}

/* Anything may be there, and change: the copy is read, or one line says why it is not. */
static void test_forged(void **state)
{
	enum { ROUNDS = 600 };
	unsigned int read = 0;

	(void)state;
	srandom(7);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct user_base base = { 0 };
		uint64_t events, lost;
		struct user_file *file;
		struct error err;
		char *name;

		make_memory();
		mem.forged = true;
		for (unsigned int n = random() % 3000; n; n--)
			write_event();
		for (unsigned int n = random() % 3; n; n--)
			mem.map[random() % (random() % 2 ? sizeof(struct ktu_file) : BYTES)] = random();
		fcntl(mem.fd, F_ADD_SEALS, F_SEAL_SHRINK);
		file = user_file_open_memory(mem.fd, "process 5", &err);
		for (unsigned int n = random() % 3; file && n; n--)
			mem.map[random() % 2 ? KTU_PAGE + DESCS + random() % sizeof(struct ktu_ring)
					     : random() % (uint64_t)BYTES] = random();
		if (file && user_base_read(file, mem.fd, &base, &err)) {
			if (random() % 2) {
				free(base.rings);
				base.rings = NULL;
			}
			if (!strcmp(file->head.program, "../a b"))
				read += copy(file, &base, &events, &lost, &name, &err);
		}
		free(base.rings);
		user_file_close(file);
		drop_memory();
	}
	assert_true(read > ROUNDS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_unsealed),
		cmocka_unit_test(test_since),
		cmocka_unit_test(test_claimed),
		cmocka_unit_test(test_forged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
