// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_offer.c - a process that offers its tracepoints: this program has the module's part, too, in place of its device.
 *
 * What the module itself does is tested in guests (user-registrar.sh).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktrace/ktrace.h>

#include "../unit/unit.h"
#include "core/abi_user.h"
#include "ctl/base/memory.h"
#include "ctl/trace/user/user_copy.h"
#include "ctl/trace/user/user_event.h"

/* ------------------------------------------------------------------------ the module's part */

#define MAX_SITES	64

static struct fake {
	int device, memory;
	struct kt_user_site sites[MAX_SITES];
	uint64_t parts[MAX_SITES];
	unsigned int nr_sites, forgotten, registered;
	uint32_t flags;
	bool on;		/* as a parent was switched */
} fake = { .device = -1 };

int open(const char *path, int flags, ...)
{
	va_list list;
	int mode;

	va_start(list, flags);
	mode = va_arg(list, int);
	va_end(list);
	if (strcmp(path, KT_USER_DEVICE))
		return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	fake.device = syscall(SYS_openat, AT_FDCWD, "/dev/null", flags, 0);
	return fake.device;
}

static void take_sites(const struct kt_user_sites *arg)
{
	memcpy(fake.sites + fake.nr_sites, (const void *)(uintptr_t)arg->sites, arg->nr * sizeof(*fake.sites));
	for (unsigned int i = 0; i < arg->nr; i++)
		*(uint8_t *)(uintptr_t)fake.sites[fake.nr_sites + i].address = fake.on;
	for (unsigned int i = 0; i < arg->nr; i++)
		fake.parts[fake.nr_sites++] = arg->part;
}

static void forget(const struct kt_user_forget *arg)
{
	fake.forgotten++;
	while (fake.nr_sites && fake.parts[fake.nr_sites - 1] == arg->part)
		fake.nr_sites--;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list list;
	void *arg;

	va_start(list, request);
	arg = va_arg(list, void *);
	va_end(list);
	if (request == KT_USER_IOC_REGISTER) {
		const struct kt_user_register *reg = arg;

		fake.registered++;
		fake.flags = reg->flags;
		fake.memory = dup(reg->memory);
		fake.nr_sites = 0;
		fake.on = reg->flags & KT_USER_CHILD && fake.on;
		if (reg->flags & KT_USER_CHILD)
			raise(SIGUSR1);
		return 0;
	}
	if (request == KT_USER_IOC_SITES) {
		take_sites(arg);
		return 0;
	}
	if (request == KT_USER_IOC_FORGET) {
		forget(arg);
		return 0;
	}
	return syscall(SYS_ioctl, fd, request, arg);
}

static void switch_all(bool on)
{
	fake.on = on;
	for (unsigned int i = 0; i < fake.nr_sites; i++)
		*(volatile uint8_t *)(uintptr_t)fake.sites[i].address = on;
}

/* ------------------------------------------------------------------------ the process */

static void emit(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		KTRACE(offer, number, i);
}

static struct user_file *open_memory(void)
{
	struct error err;
	struct user_file *file = user_file_open_memory(fake.memory, "process", &err);

	if (!file)
		fail_msg("%s", err.text);
	return file;
}

/* Of the one file in the directory, which has holes where nothing was recorded. */
static uint64_t bytes_on_disk(const char *dir)
{
	AUTO_FREE char *path = mem_printf("%s/test_offer.%d.rings", dir, getpid());
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size > 16 << 20);
	return 512ULL * st.st_blocks;
}

/* What a controller reads that has begun at `base`. */
static void check(const struct user_base *base, unsigned int expected, unsigned int expected_lost)
{
	struct user_file *file = open_memory();
	struct user_copy copy = { .file = file, .fd = fake.memory, .base = base, .pid = getpid(),
				  .anchors = { user_anchor(), user_anchor() } };
	char dir[] = "/tmp/ktrace-test-XXXXXX";
	uint64_t events = 0, lost = 0;
	struct error err;

	assert_non_null(mkdtemp(dir));
	if (!user_copy_write(&copy, dir, &events, &lost, &err))
		fail_msg("%s", err.text);
	assert_int_equal(events, expected);
	assert_int_equal(lost, expected_lost);
	user_file_close(file);
	assert_true(bytes_on_disk(dir) <= 1 << 20);
	{
		AUTO_FREE char *command = mem_printf("rm -r %s", dir);

		assert_int_equal(system(command), 0);
	}
}

static struct user_base begin(void)
{
	struct user_file *file = open_memory();
	struct user_base base = { 0 };
	struct error err;

	if (!user_base_read(file, fake.memory, &base, &err))
		fail_msg("%s", err.text);
	user_file_close(file);
	switch_all(true);
	return base;
}

static void test_offered(void **state)
{
	struct user_file *file = open_memory();

	(void)state;
	assert_int_equal(fake.registered, 1);
	assert_int_equal(fake.flags, 0);
	assert_int_equal(fcntl(fake.device, F_GETFD), -1);
	/* The one that says whether anything is on, and those of this file. */
	assert_int_equal(fake.nr_sites, 3);
	assert_int_equal(fake.sites[0].id, 0);
	assert_int_equal(file->nr_sites, 2);
	assert_true(user_event_matches("user:offer:number", &file->sites[0]) ||
		    user_event_matches("user:offer:number", &file->sites[1]));
	user_file_close(file);
}

/* Off, on, off, on: each time exactly what was written while it was on. */
static void test_switched(void **state)
{
	struct ktrace_counts counts;

	(void)state;
	emit(5);
	ktrace_counts(&counts);
	assert_int_equal(counts.recorded, 0);
	for (unsigned int i = 1; i < 4; i++) {
		struct user_base base;

		assert_false(ktrace_recording());
		base = begin();
		assert_true(ktrace_recording());
		emit(100 * i);
		check(&base, 100 * i, 0);
		switch_all(false);
		emit(7);
		check(&base, 100 * i, 0);
		free(base.rings);
	}
	assert_null(ktrace_error());
}

/* A library is offered when it is loaded, and forgotten before it is gone; then it has another id. */
static void test_library(void **state)
{
	const unsigned int before = fake.nr_sites;

	(void)state;
	for (unsigned int i = 1; i < 4; i++) {
		struct user_base base = begin();
		void *library = dlopen("build/user/library.so", RTLD_NOW);
		void (*event)(int) = library ? (void (*)(int))dlsym(library, "library_event") : NULL;

		if (!event)
			fail_msg("%s", dlerror());
		assert_int_equal(fake.nr_sites, before + 1);
		event(1);
		emit(2);
		event(3);
		dlclose(library);
		assert_int_equal(fake.nr_sites, before);
		assert_int_equal(fake.forgotten, i);
		switch_all(false);
		check(&base, 4, 0);
		free(base.rings);
	}
}

/* In a child that is just being offered: its own tracepoints may be on, and nobody waits for anybody. */
static void on_signal(int number)
{
	(void)number;
	emit(1);
}

static int child(unsigned int n, bool on)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		const struct user_base all = { 0 };

		assert_int_equal(fake.registered, 2);
		assert_int_equal(fake.flags, KT_USER_CHILD);
		assert_int_equal(fake.nr_sites, 3);
		assert_int_equal(ktrace_recording(), on);
		emit(n);
		check(&all, on ? n : 0, on);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void test_fork(void **state)
{
	struct user_base base;

	(void)state;
	signal(SIGUSR1, on_signal);
	assert_int_equal(child(50, false), 0);
	base = begin();
	emit(3);
	assert_int_equal(child(50, true), 0);
	emit(4);
	switch_all(false);
	check(&base, 7, 0);
	free(base.rings);
	KTRACE(offer, never);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offered),
		cmocka_unit_test(test_switched),
		cmocka_unit_test(test_library),
		cmocka_unit_test(test_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
