// SPDX-License-Identifier: GPL-2.0-or-later
/* ioctl_user.c - tracepoints in a program that runs beside the fuzzer, and processes that register. See ioctl.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"
#include "ioctl.h"

#define PROGRAM	"/usr/local/bin/usertruth"

/* The program, other files, and numbers that are no files. */
static int32_t some_file(struct fuzzer *f)
{
	static const char *const names[] = { PROGRAM, PROGRAM, PROGRAM, "/bin/busybox", "/lab/lib.sh", "/dev/null", "/", "/proc/self/mem" };
	static int fds[sizeof(names) / sizeof(names[0])];
	const uint64_t i = roll(f, sizeof(names) / sizeof(names[0]));

	if (!fds[i])
		fds[i] = open(names[i], O_RDONLY | O_CLOEXEC);
	return one_in(f, 20) ? (int32_t)odd_number(f) : one_in(f, 20) ? f->fds[f->fd] : fds[i];
}

size_t make_file(struct fuzzer *f, uint8_t *arg)
{
	struct kt_file file = {
		.size = sizeof(file), .flags = one_in(f, 40), .fd = some_file(f), .reserved = one_in(f, 40),
	};

	memcpy(arg, &file, sizeof(file));
	return sizeof(file);
}

/* Any byte of the program: the module must not be harmed by what the program then executes. */
void make_user_site(struct fuzzer *f, struct kt_site_req *site)
{
	static int fd;
	const uint64_t offset = one_in(f, 20) ? odd_number(f) : 0x1000 + roll(f, 0x8000);

	if (!fd)
		fd = open(PROGRAM, O_RDONLY | O_CLOEXEC);
	*site = (struct kt_site_req){
		.addr = (one_in(f, 20) ? odd_number(f) : KT_FILE_BASE | (1 + roll(f, 4)) << KT_FILE_SHIFT) + offset,
		.flags = KT_SITE_USER, .insn_len = one_in(f, 20) ? roll(f, 256) : 1 + roll(f, 4), .method = one_in(f, 20),
		.process = one_in(f, 3) ? roll(f, 300) : 0,
	};
	if (pread(fd, site->insn, sizeof(site->insn), offset) < 0)
		site->insn[0] = 0x90;
}

/* ------------------------------------------------------------ processes that offer tracepoints */

#define OFFERED	100

/* What registers badly, fuzz-register has. */
void offer(void)
{
	static uint8_t switches[OFFERED];
	struct kt_user_site sites[OFFERED];
	struct kt_user_register reg = { .size = sizeof(reg), .memory = memfd_create("offered", MFD_CLOEXEC) };
	struct kt_user_sites add = { .size = sizeof(add), .nr = OFFERED, .sites = (uintptr_t)sites };
	const int fd = open(KT_USER_DEVICE, O_RDWR | O_CLOEXEC);

	for (uint32_t i = 0; i < OFFERED; i++)
		sites[i] = (struct kt_user_site){ .address = (uintptr_t)&switches[i], .id = i };
	if (ftruncate(reg.memory, 4096) < 0 || ioctl(fd, KT_USER_IOC_REGISTER, &reg) < 0 || ioctl(fd, KT_USER_IOC_SITES, &add) < 0)
		die("%s: %s", KT_USER_DEVICE, strerror(errno));
	close(reg.memory);
	close(fd);
}

/* Few processes are registered, and ids begin with 1. */
static uint64_t some_registration(struct fuzzer *f)
{
	return one_in(f, 10) ? odd_number(f) : 1 + roll(f, 10);
}

size_t make_user_hello(struct fuzzer *f, uint8_t *arg)
{
	struct kt_user_hello hello = {
		.size = sizeof(hello), .abi = one_in(f, 10) ? odd_number(f) : KT_ABI_VERSION, .flags = one_in(f, 40), .reserved = one_in(f, 40),
	};

	memcpy(arg, &hello, sizeof(hello));
	return sizeof(hello);
}

size_t make_user_list(struct fuzzer *f, uint8_t *arg)
{
	struct kt_user_list list = {
		.size = sizeof(list), .nr = one_in(f, 8) ? odd_number(f) : roll(f, 20), .entries = room_at(f, 0),
		.after = one_in(f, 2) ? 0 : some_registration(f),
	};

	memcpy(arg, &list, sizeof(list));
	return sizeof(list);
}

size_t make_user_open(struct fuzzer *f, uint8_t *arg)
{
	struct kt_user_open open = { .size = sizeof(open), .fd = odd_number(f), .id = some_registration(f) };

	memcpy(arg, &open, sizeof(open));
	return sizeof(open);
}

size_t make_user_switch(struct fuzzer *f, uint8_t *arg)
{
	struct kt_user_switch change = {
		.size = sizeof(change), .nr = one_in(f, 10) ? odd_number(f) : roll(f, OFFERED), .id = some_registration(f),
		.ids = room_at(f, 0), .flags = one_in(f, 3) ? roll(f, 3) : 0, .reserved = one_in(f, 40),
	};
	uint32_t *ids = (uint32_t *)f->room;

	for (uint32_t i = 0; i < OFFERED; i++)
		ids[i] = one_in(f, 300) ? odd_number(f) : roll(f, OFFERED);
	if (change.flags & KT_USER_RELEASE && !one_in(f, 8))
		change.nr = 0;
	memcpy(arg, &change, sizeof(change));
	return sizeof(change);
}

int lowest_free_fd(void)
{
	const int fd = dup(0);

	if (fd >= 0)
		close(fd);
	return fd;
}
