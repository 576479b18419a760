/* SPDX-License-Identifier: MIT */
/*
 * start.c - begin to record, and switch sites.
 *
 * The first constructor of the program that registers sites begins, if KTRACE_FILE is set.  Else it offers the sites to
 * ktrace's module (offer.c), which sets site->on while a controller wants it: the first event then begins.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/abi_user.h"
#include "internal.h"
#include "layout.h"
#include "sequences.h"

struct ktu ktu;
struct ktu_lane *ktrace_lanes;
uint64_t ktrace_rseq_offset;
uint32_t ktrace_clock_is_ordered;
uint32_t ktrace_has_wide;
/* Of no CPU: for a thread that has not written yet. */
static struct ktu_lane no_lane = { .number = UINT32_MAX };
__thread struct ktu_self ktrace_self = { .tid = KTU_NO_TID, .lane = &no_lane };

_Static_assert(offsetof(struct ktrace_site, short_id) == SITE_HEAD + 3, "SITE_HEAD");
_Static_assert(offsetof(struct ktrace_site, id) == SITE_ID, "SITE_ID");
_Static_assert(offsetof(struct ktrace_parts, sizes) == PARTS_SIZES, "PARTS_SIZES");
_Static_assert(sizeof(struct ktrace_parts) == PARTS_WORDS, "PARTS_WORDS");
_Static_assert(offsetof(struct ktrace_parts, bytes) == PARTS_BYTES, "PARTS_BYTES");
_Static_assert(offsetof(struct ktrace_parts, nr) == PARTS_NR, "PARTS_NR");
_Static_assert(offsetof(struct ktu_rseq, cpu_start) == RSEQ_CPU_START, "RSEQ_CPU_START");
_Static_assert(offsetof(struct ktu_rseq, cpu) == RSEQ_CPU, "RSEQ_CPU");
_Static_assert(offsetof(struct ktu_rseq, sequence) == RSEQ_CS, "RSEQ_CS");
_Static_assert(offsetof(struct ktu_self, tid) == SELF_TID, "SELF_TID");
_Static_assert(offsetof(struct ktu_self, lane) == SELF_LANE, "SELF_LANE");
_Static_assert(sizeof(struct ktu_lane) == 1 << LANE_SHIFT, "LANE_SHIFT");
_Static_assert(offsetof(struct ktu_lane, ring) == LANE_RING, "LANE_RING");
_Static_assert(offsetof(struct ktu_lane, tid) == LANE_TID, "LANE_TID");
_Static_assert(offsetof(struct ktu_lane, sub_units) == LANE_SUB_UNITS, "LANE_SUB_UNITS");
_Static_assert(offsetof(struct ktu_lane, number) == LANE_NUMBER, "LANE_NUMBER");
_Static_assert(offsetof(struct ktu_lane, epoch) == LANE_EPOCH, "LANE_EPOCH");
_Static_assert(offsetof(struct ktu_lane, packet) == LANE_PACKET, "LANE_PACKET");
_Static_assert(offsetof(struct ktu_lane, last_unit) == LANE_LAST_UNIT, "LANE_LAST_UNIT");
_Static_assert(KTU_SUBBUF_MAX / 4 - 1 <= UINT16_MAX, "last_unit");
_Static_assert(offsetof(struct ktu_ring, word) == RING_WORD, "RING_WORD");
_Static_assert(offsetof(struct ktu_commit, cpu) == COMMIT_CPU, "COMMIT_CPU");
_Static_assert(offsetof(struct ktu_commit, nr) == COMMIT_NR, "COMMIT_NR");
_Static_assert(offsetof(struct ktu_commit, compare) == COMMIT_COMPARE, "COMMIT_COMPARE");
_Static_assert(offsetof(struct ktu_commit, expect) == COMMIT_EXPECT, "COMMIT_EXPECT");
_Static_assert(offsetof(struct ktu_commit, store) == COMMIT_STORE, "COMMIT_STORE");
_Static_assert(offsetof(struct ktu_commit, value) == COMMIT_VALUE, "COMMIT_VALUE");
_Static_assert(offsetof(struct ktu_commit, copies) == COMMIT_COPIES, "COMMIT_COPIES");
_Static_assert(sizeof(struct ktu_copy) == COPY_SIZE, "COPY_SIZE");
_Static_assert(sizeof(struct ktu_file) <= KTU_PAGE && sizeof(struct ktu_packet) == 88, "file.h");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ktrace_module *modules;

bool ktu_fail(const char *format, ...)
{
	va_list list;

	if (*ktu.error)
		return false;
	va_start(list, format);
	vsnprintf(ktu.error, sizeof(ktu.error), format, list);
	va_end(list);
	dprintf(STDERR_FILENO, "ktrace: nothing is recorded: %s\n", ktu.error);
	return false;
}

/* ------------------------------------------------------------------------ sites */

static void switch_site(struct ktrace_site *site)
{
	const bool on = ktu.recording && ktu_is_chosen(site->text, site->text + strlen(site->text) + 1);

	/* Pairs with the fence in ktrace_write_slow(). */
	__atomic_store_n(&site->on, on, __ATOMIC_RELEASE);
}

static void switch_module(const struct ktrace_module *module)
{
	for (struct ktrace_site *const *at = module->sites; at < module->sites_end; at++)
		switch_site(*at);
}

/* The source files of one program or library have the same sites: is it in the list? */
static bool is_known(const struct ktrace_module *module, const struct ktrace_module *list)
{
	for (; list; list = list->next)
		if (list->sites == module->sites)
			return true;
	return false;
}

static void describe_enums(const struct ktrace_module *module)
{
	for (const struct ktrace_enum *const *at = module->enums; at < module->enums_end; at++)
		if (ktu.recording || ktu.offered)
			ktu_describe_enum(*at);
}

/* ------------------------------------------------------------------------ begin */

/* The number behind the last "-" of "0-3,8-11", plus 1. */
static uint32_t possible_cpus(void)
{
	const int fd = open("/sys/devices/system/cpu/possible", O_RDONLY | O_CLOEXEC);
	char text[256] = "";
	const ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (fd >= 0)
		close(fd);
	for (const char *at = text; n > 0 && *at; at += strspn(at, ",-\n")) {
		char *end;
		const long number = strtol(at, &end, 10);

		if (end == at)
			break;
		cpus = number + 1 > cpus ? number + 1 : cpus;
		at = end;
	}
	return cpus < 1 ? 1 : cpus > KTU_MAX_CPUS ? KTU_MAX_CPUS : cpus;
}

/*
 * The counter is read in place of the kernel's clock, so it must be the one behind it.
 */
static bool has_clock(char source[32])
{
	const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);

	memset(source, 0, 32);
	if (fd >= 0) {
		if (read(fd, source, 31) < 0)
			source[0] = '\0';
		close(fd);
	}
	source[strcspn(source, "\n")] = '\0';
	return !*source || ktu_clock_is_good(source);
}

static void use_no_area(void)
{
	ktrace_rseq_offset = (char *)&ktrace_self.none - (char *)__builtin_thread_pointer();
}

static void test_sequences(void)
{
	if (ktu.tested)
		return;
	ktrace_clock_is_ordered = ktu_clock_is_ordered();
	ktrace_has_wide = ktu_has_wide();
	ktu.restartable = KTU_HAS_SEQUENCES && ktu_rseq_works();
	if (!ktu.restartable)
		use_no_area();
	ktu.tested = true;
}

static bool begin_recording(void)
{
	char clock[32];

	ktu.nr_cpus = possible_cpus();
	use_no_area();
	if (!has_clock(clock))
		return ktu_fail("the kernel's clock is %s: its CPUs have no common counter", clock);
	test_sequences();
	if (!ktu_file_make())
		return false;
	ktu_anchor();
	ktu.process->alive = KTU_HAS_FILE;
	return true;
}

static void stop(void)
{
	ktu.recording = ktu.offered = false;
	ktu.any = 0;
	for (const struct ktrace_module *at = modules; at; at = at->next)
		switch_module(at);
}

/* ------------------------------------------------------------------------ offer */

/* Nothing is said if it is not possible: most processes are never recorded. */
static bool begin_offer(void)
{
	const int before = errno, fd = ktu_offer_open();
	char clock[32];
	bool ok = false;

	if (fd >= 0) {
		ktu.nr_cpus = possible_cpus();
		use_no_area();
		ok = has_clock(clock) && ktu_sizes() && ktu_offer(fd, 0);
		close(fd);
	}
	if (ok)
		ktu.process->alive = KTU_OFFERED;
	errno = before;
	return ok;
}

/* In a child of a process that was offered.  Its ids are those of its parent. */
static bool offer_child(void)
{
	struct ktu_file *parent = ktu.file;
	const size_t bytes = ktu.bytes;
	const int fd = ktu_offer_open();
	const bool ok = fd >= 0 && ktu_offer(fd, KT_USER_CHILD);

	if (ok) {
		ktu_describe_as(parent);
		for (const struct ktrace_module *at = modules; at; at = at->next)
			if (!is_known(at, at->next))
				ktu_offer_sites(fd, at);
	}
	munmap(parent, bytes);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* A handler that interrupts this thread must not wait for it, from before the others do. */
static bool claim(uint32_t life)
{
	const bool before = ktrace_self.makes_file;

	ktrace_self.makes_file = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__atomic_compare_exchange_n(&ktu.process->alive, &life, KTU_MAKES_FILE, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	ktrace_self.makes_file = before;
	return false;
}

static void has_made(enum ktu_life life)
{
	__atomic_store_n(&ktu.process->alive, life, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ktrace_self.makes_file = false;
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* So a child can be found before its first event. */
static void in_child(void)
{
	const int before = errno;

	if (ktu.offered && claim(KTU_NO_FILE)) {
		const bool ok = offer_child();

		if (!ok)
			stop();
		has_made(ok ? KTU_OFFERED : KTU_CANNOT);
	}
	errno = before;
	pthread_mutex_unlock(&lock);
}

static void start(void)
{
	bool wanted;

	ktu.started = true;
	if (!ktu_settings(&wanted))
		return;
	if (wanted)
		ktu.recording = begin_recording();
	else
		ktu.offered = begin_offer();
	if (ktu.offered)
		pthread_atfork(before_fork, after_fork, in_child);
}

/* ------------------------------------------------------------------------ the first event */

/* Only a handler that interrupts the thread that makes the file cannot wait: its event is lost. */
static bool wait_for_file(void)
{
	uint32_t life;

	while (!ktrace_self.makes_file) {
		life = __atomic_load_n(&ktu.process->alive, __ATOMIC_ACQUIRE);
		if (life != KTU_MAKES_FILE)
			return life == KTU_HAS_FILE;
		sched_yield();
	}
	ktu_add(&ktu.process->lost, 1);
	return false;
}

static bool make_child_file(void)
{
	struct ktu_file *parent = ktu.file;
	const size_t bytes = ktu.bytes;

	if (!ktu_file_make())
		return false;
	ktu_describe_as(parent);
	munmap(parent, bytes);
	return true;
}

static void begin_rings(void)
{
	test_sequences();
	ktu.file->restartable = ktu.restartable;
	ktu.recording = true;
}

bool ktu_revive(void)
{
	const bool is_offered = claim(KTU_OFFERED);
	const int before = errno;
	bool made;

	if (!is_offered && !claim(KTU_NO_FILE))
		return wait_for_file();
	ktu.generation++;
	made = is_offered || (ktu.offered ? offer_child() : make_child_file());
	if (made) {
		begin_rings();
		ktu_anchor();
	} else {
		stop();
	}
	errno = before;
	has_made(made ? KTU_HAS_FILE : KTU_CANNOT);
	/* From here on nobody counts there any more. */
	if (made)
		ktu_add(&ktu.file->lost, ktu_load(&ktu.process->lost));
	return made;
}

static void offer_module(const struct ktrace_module *module)
{
	const int before = errno, fd = module->sites < module->sites_end ? ktu_offer_open() : -1;

	if (fd >= 0) {
		ktu_offer_sites(fd, module);
		close(fd);
	}
	errno = before;
}

void ktrace_register(struct ktrace_module *module)
{
	pthread_mutex_lock(&lock);
	if (!ktu.started)
		start();
	if (!ktu.offered)
		switch_module(module);
	else if (!is_known(module, modules))
		offer_module(module);
	module->next = modules;
	modules = module;
	describe_enums(module);
	pthread_mutex_unlock(&lock);
}

void ktrace_unregister(struct ktrace_module *module)
{
	pthread_mutex_lock(&lock);
	for (struct ktrace_module **at = &modules; *at; at = &(*at)->next) {
		if (*at == module) {
			*at = module->next;
			if (ktu.offered && !is_known(module, modules))
				ktu_offer_forget(module);
			break;
		}
	}
	pthread_mutex_unlock(&lock);
}

/* The rate of the counter is known the better, the later it is looked at. */
static void __attribute__((destructor)) end(void)
{
	if (ktu.recording && ktu.process->alive == KTU_HAS_FILE)
		ktu_anchor();
}

/* ------------------------------------------------------------------------ questions */

const char *ktrace_error(void)
{
	return *ktu.error ? ktu.error : NULL;
}

int ktrace_recording(void)
{
	return ktu.offered ? __atomic_load_n(&ktu.any, __ATOMIC_RELAXED) : ktu.recording;
}

int ktrace_is_restartable(void)
{
	return ktu.recording && ktu.restartable && !ktrace_self.off;
}

static void count(const struct ktu_lane *lane, struct ktrace_counts *out)
{
	const struct ktu_ring *ring = __atomic_load_n(&lane->ring, __ATOMIC_ACQUIRE);
	uint64_t word, count;

	if (!ring)
		return;
	do {
		word = __atomic_load_n(&ring->word, __ATOMIC_ACQUIRE);
		count = ((const struct ktu_packet *)(lane->data + ((word >> 32) & lane->mask) * lane->sub_bytes))->count;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (word != ktu_load(&ring->word));
	out->recorded += count + (word & 0xffff);
	out->lost += ktu_load(&ring->discarded);
}

void ktrace_counts(struct ktrace_counts *out)
{
	*out = (struct ktrace_counts){ 0 };
	if (!ktu.recording || ktu.process->alive != KTU_HAS_FILE)
		return;
	for (uint32_t i = 0; i < ktu.nr_cpus; i++)
		count(&ktu.process->lanes[i], out);
	for (uint32_t i = 0; i < KTU_SLOTS; i++)
		count(&ktu.process->slots[i], out);
	out->lost += ktu_load(&ktu.file->lost);
}
