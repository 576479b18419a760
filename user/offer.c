/* SPDX-License-Identifier: MIT */
/*
 * offer.c - offer the tracepoints of this process to ktrace's module, so that they can be switched on while it runs.
 *
 * No descriptor stays open: the program might close it.  The module knows the process by its memory.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/abi_user.h"
#include "internal.h"

#define AT_ONCE		64U	/* sites in one call */

int ktu_offer_open(void)
{
	return open(KT_USER_DEVICE, O_RDWR | O_CLOEXEC);
}

static bool send_sites(int fd, struct kt_user_site *sites, uint32_t nr, uint64_t part)
{
	struct kt_user_sites arg = { .size = sizeof(arg), .nr = nr, .sites = (uintptr_t)sites, .part = part };

	return !nr || ioctl(fd, KT_USER_IOC_SITES, &arg) == 0;
}

bool ktu_offer(int fd, uint32_t flags)
{
	struct kt_user_register arg = { .size = sizeof(arg), .flags = flags, .memory = ktu_memory_make() };
	struct kt_user_site any = { .address = (uintptr_t)&ktu.any };
	bool ok;

	if (arg.memory < 0)
		return false;
	ok = ioctl(fd, KT_USER_IOC_REGISTER, &arg) == 0 && send_sites(fd, &any, 1, 0);
	close(arg.memory);
	if (!ok)
		munmap(ktu.file, ktu.bytes);
	return ok;
}

void ktu_offer_sites(int fd, const struct ktrace_module *module)
{
	const uint64_t part = (uintptr_t)module->sites;
	struct kt_user_site some[AT_ONCE];
	uint32_t nr = 0;

	memset(some, 0, sizeof(some));
	for (struct ktrace_site *const *at = module->sites; at < module->sites_end; at++) {
		if (!(*at)->id && !ktu_describe(*at))
			continue;
		some[nr].address = (uintptr_t)&(*at)->on;
		some[nr++].id = (*at)->id;
		if (nr == AT_ONCE) {
			send_sites(fd, some, nr, part);
			nr = 0;
		}
	}
	send_sites(fd, some, nr, part);
}

void ktu_offer_forget(const struct ktrace_module *module)
{
	struct kt_user_forget arg = { .size = sizeof(arg), .part = (uintptr_t)module->sites };
	const int fd = module->sites < module->sites_end ? ktu_offer_open() : -1;

	if (fd < 0)
		return;
	ioctl(fd, KT_USER_IOC_FORGET, &arg);
	close(fd);
}
