// SPDX-License-Identifier: GPL-2.0-or-later
/* device.c - see device.h. */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void die(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("FAILED: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void must(int fd, unsigned long request, void *arg, const char *what)
{
	if (ioctl(fd, request, arg) < 0)
		die("%s: %s", what, strerror(errno));
}

int device_open(struct kt_hello *hello)
{
	struct kt_hello mine = { .size = sizeof(mine), .abi = KT_ABI_VERSION, .format = KT_TRACE_FORMAT };
	int fd = open(KT_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die("%s: %s", KT_DEVICE, strerror(errno));
	must(fd, KT_IOC_HELLO, &mine, "KT_IOC_HELLO");
	if (hello)
		*hello = mine;
	return fd;
}

int device_trace(int fd, struct kt_site_req *sites, uint32_t nr, uint32_t flags, struct kt_trace *answer)
{
	*answer = (struct kt_trace){
		.size = sizeof(*answer), .flags = flags, .nr = nr, .sites = (uintptr_t)sites,
	};
	return ioctl(fd, KT_IOC_TRACE, answer) < 0 ? errno : 0;
}

static uint32_t most_of(uint32_t nr)
{
	return nr < KT_MAX_BATCH ? nr : KT_MAX_BATCH;
}

int device_trace_all(int fd, struct kt_site_req *sites, uint32_t nr, uint32_t flags, struct kt_trace *answer)
{
	struct kt_trace sum = { .size = sizeof(sum) };
	int err = 0;

	for (uint32_t at = 0; !err && at < nr; at += most_of(nr - at)) {
		err = device_trace(fd, sites + at, most_of(nr - at), flags, answer);
		sum.nr_set += answer->nr_set;
		sum.syncs = answer->syncs > sum.syncs ? answer->syncs : sum.syncs;
	}
	*answer = sum;
	return err;
}

uint32_t device_delete(int fd, const uint64_t *addrs, uint32_t nr)
{
	uint32_t deleted = 0, at = 0;

	do {
		struct kt_delete req = {
			.size = sizeof(req), .flags = addrs ? 0 : KT_DELETE_ALL, .nr = most_of(nr - at),
			.addrs = addrs ? (uintptr_t)(addrs + at) : 0,
		};

		must(fd, KT_IOC_DELETE, &req, "KT_IOC_DELETE");
		deleted += req.nr_deleted;
		at += req.nr;
	} while (at < nr);
	return deleted;
}

uint32_t device_list(int fd, struct kt_list_entry **entries)
{
	enum { CHUNK = 1024 };
	struct kt_list req = { .size = sizeof(req) };
	uint32_t n = 0;

	*entries = NULL;
	do {
		*entries = realloc(*entries, (n + CHUNK) * sizeof(**entries));
		if (!*entries)
			die("out of memory");
		req.entries = (uintptr_t)(*entries + n);
		req.nr = CHUNK;
		must(fd, KT_IOC_LIST, &req, "KT_IOC_LIST");
		n += req.nr;
	} while (req.nr);
	return n;
}

/*
 * Every member of struct kt_cpu_status is a __u64 count, except `seen`; a sum of `seen` is meaningless, but
 * harmless.
 */
static void add(struct kt_cpu_status *to, const struct kt_cpu_status *from)
{
	for (size_t i = 0; i < sizeof(*to) / sizeof(uint64_t); i++)
		((uint64_t *)to)[i] += ((const uint64_t *)from)[i];
}

void device_counts(int fd, struct counts *out)
{
	struct kt_cpu_status cpus[MAX_CPUS];

	*out = (struct counts){
		.status = { .size = sizeof(out->status), .nr_cpus = MAX_CPUS, .cpus = (uintptr_t)cpus },
	};
	must(fd, KT_IOC_STATUS, &out->status, "KT_IOC_STATUS");
	for (uint32_t i = 0; i < out->status.nr_cpus; i++)
		add(&out->all, &cpus[i]);
}

void device_clear(int fd)
{
	struct kt_seen req = { .size = sizeof(req), .flags = KT_SEEN_ALL };

	must(fd, KT_IOC_SEEN, &req, "KT_IOC_SEEN");
}

size_t device_text(int fd, uint64_t addr, void *buf, size_t len)
{
	enum { MOST = 65536 };
	size_t had = 0;

	while (had < len) {
		size_t want = len - had < MOST ? len - had : MOST;
		struct kt_text req = {
			.size = sizeof(req), .len = want, .addr = addr + had, .buf = (uintptr_t)buf + had,
		};

		if (ioctl(fd, KT_IOC_TEXT, &req) < 0)
			break;
		had += req.len;
		if (req.len < want)
			break;
	}
	return had;
}

int device_drain(int fd, int seconds)
{
	struct counts counts;

	for (int tries = seconds * 50; tries; tries--) {
		device_counts(fd, &counts);
		if (!counts.status.nr_sites && !counts.status.nr_slots)
			return 1;
		usleep(20000);
	}
	return 0;
}
