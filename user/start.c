/* SPDX-License-Identifier: MIT */
/*
 * start.c - begin to record, and switch sites.
 *
 * The first constructor of the program that registers sites begins, if KTRACE_FILE is set.  A registrar could do the same
 * later: it would call begin_recording(), and switch_module() for each module.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"
#include "layout.h"
#include "sequences.h"

struct ktu ktu;
struct ktu_lane *ktrace_lanes;
uint64_t ktrace_rseq_offset;
__thread struct ktu_self ktrace_self;

_Static_assert(offsetof(struct ktrace_site, id) == SITE_ID, "SITE_ID");
_Static_assert(offsetof(struct ktu_rseq, cpu_start) == RSEQ_CPU_START, "RSEQ_CPU_START");
_Static_assert(offsetof(struct ktu_rseq, cpu) == RSEQ_CPU, "RSEQ_CPU");
_Static_assert(offsetof(struct ktu_rseq, sequence) == RSEQ_CS, "RSEQ_CS");
_Static_assert(offsetof(struct ktu_self, tid) == SELF_TID, "SELF_TID");
_Static_assert(sizeof(struct ktu_lane) == 1 << LANE_SHIFT, "LANE_SHIFT");
_Static_assert(offsetof(struct ktu_lane, ring) == LANE_RING, "LANE_RING");
_Static_assert(offsetof(struct ktu_lane, data) == LANE_DATA, "LANE_DATA");
_Static_assert(offsetof(struct ktu_lane, sub_bytes) == LANE_SUB_BYTES, "LANE_SUB_BYTES");
_Static_assert(offsetof(struct ktu_lane, tid) == LANE_TID, "LANE_TID");
_Static_assert(offsetof(struct ktu_lane, mask) == LANE_MASK, "LANE_MASK");
_Static_assert(offsetof(struct ktu_lane, sub_units) == LANE_SUB_UNITS, "LANE_SUB_UNITS");
_Static_assert(offsetof(struct ktu_ring, word) == RING_WORD, "RING_WORD");
_Static_assert(offsetof(struct ktu_ring, last_ts) == RING_LAST_TS, "RING_LAST_TS");
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

	__atomic_store_n(&site->on, on, __ATOMIC_RELAXED);
}

static void switch_module(const struct ktrace_module *module)
{
	for (struct ktrace_site *const *at = module->sites; at < module->sites_end; at++)
		switch_site(*at);
}

static void describe_enums(const struct ktrace_module *module)
{
	for (const struct ktrace_enum *const *at = module->enums; at < module->enums_end; at++)
		if (ktu.recording)
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
static bool has_clock(void)
{
	char source[32] = "";
	const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (read(fd, source, sizeof(source) - 1) < 0)
			source[0] = '\0';
		close(fd);
	}
	source[strcspn(source, "\n")] = '\0';
	if (!*source || ktu_clock_is_good(source))
		return true;
	return ktu_fail("the kernel's clock is %s: its CPUs have no common counter", source);
}

static bool begin_recording(void)
{
	ktu.nr_cpus = possible_cpus();
	ktrace_rseq_offset = (char *)&ktrace_self.none - (char *)__builtin_thread_pointer();
	if (!has_clock())
		return false;
	ktu.restartable = KTU_HAS_SEQUENCES && ktu_rseq_works();
	if (!ktu.restartable)
		ktrace_rseq_offset = (char *)&ktrace_self.none - (char *)__builtin_thread_pointer();
	if (!ktu_file_make())
		return false;
	ktu_anchor();
	ktu.process->alive = KTU_HAS_FILE;
	return true;
}

static void start(void)
{
	bool wanted;

	ktu.started = true;
	if (ktu_settings(&wanted) && wanted)
		ktu.recording = begin_recording();
}

static void stop(void)
{
	ktu.recording = false;
	for (const struct ktrace_module *at = modules; at; at = at->next)
		switch_module(at);
}

/* The descriptions are those of the parent, so that the ids stay valid. */
static void take_descriptions(const struct ktu_file *parent)
{
	const uint64_t used = ktu_load(&parent->desc_used);
	const uint64_t bytes = used < KTU_MAX_DESCS ? used : KTU_MAX_DESCS;

	memcpy((char *)ktu.file + KTU_PAGE, (const char *)parent + KTU_PAGE, bytes);
	ktu.file->desc_used = bytes;
}

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

bool ktu_revive(void)
{
	struct ktu_file *parent = ktu.file;
	const size_t bytes = ktu.bytes;
	uint32_t none = KTU_NO_FILE;
	bool made;

	if (!__atomic_compare_exchange_n(&ktu.process->alive, &none, KTU_MAKES_FILE, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return wait_for_file();
	ktrace_self.makes_file = true;
	ktrace_self.tid = ktrace_self.off ? 0 : syscall(SYS_gettid);
	made = ktu_file_make();
	if (made) {
		take_descriptions(parent);
		munmap(parent, bytes);
		ktu_anchor();
		ktu_add(&ktu.file->lost, ktu_load(&ktu.process->lost));
	} else {
		stop();
	}
	__atomic_store_n(&ktu.process->alive, made ? KTU_HAS_FILE : KTU_CANNOT, __ATOMIC_RELEASE);
	ktrace_self.makes_file = false;
	return made;
}

void ktrace_register(struct ktrace_module *module)
{
	pthread_mutex_lock(&lock);
	if (!ktu.started)
		start();
	module->next = modules;
	modules = module;
	switch_module(module);
	describe_enums(module);
	pthread_mutex_unlock(&lock);
}

void ktrace_unregister(struct ktrace_module *module)
{
	pthread_mutex_lock(&lock);
	for (struct ktrace_module **at = &modules; *at; at = &(*at)->next) {
		if (*at == module) {
			*at = module->next;
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
	return ktu.recording;
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
