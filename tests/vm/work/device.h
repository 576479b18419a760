/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device.h - /dev/ktrace without a controller: calls that succeed or end the program. */
#ifndef WORK_DEVICE_H
#define WORK_DEVICE_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../../../core/ktrace_abi.h"

#define MAX_CPUS 1024

__attribute__((noreturn, format(printf, 1, 2))) static inline void die(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static inline void *must_realloc(void *old, size_t n)
{
	void *p = realloc(old, n);

	if (!p)
		die("out of memory");
	return p;
}

static inline void must(int fd, unsigned long request, void *arg, const char *what)
{
	if (ioctl(fd, request, arg) < 0)
		die("%s: %s", what, strerror(errno));
}

static inline int device_open(struct kt_hello *hello)
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

/* All tracepoints; *entries grows as needed, and the caller frees it. */
static inline uint32_t device_list(int fd, struct kt_list_entry **entries)
{
	enum { CHUNK = 1024 };
	struct kt_list req = { .size = sizeof(req) };
	uint32_t n = 0;

	do {
		*entries = must_realloc(*entries, (n + CHUNK) * sizeof(**entries));
		req.entries = (uintptr_t)(*entries + n);
		req.nr = CHUNK;
		must(fd, KT_IOC_LIST, &req, "KT_IOC_LIST");
		n += req.nr;
	} while (req.nr);
	return n;
}

/* A copy of a descriptor; *len is its length. */
static inline void *device_desc(int fd, uint32_t id, uint32_t *len)
{
	struct kt_desc_get req = { .size = sizeof(req), .id = id };
	void *blob;

	if (ioctl(fd, KT_IOC_DESC, &req) == 0 || errno != ENOSPC)
		die("descriptor %u: %s", id, strerror(errno));
	blob = must_realloc(NULL, req.len);
	req.buf = (uintptr_t)blob;
	req.room = req.len;
	must(fd, KT_IOC_DESC, &req, "KT_IOC_DESC");
	*len = req.len;
	return blob;
}

/* Requests that would set the present tracepoints again. */
static inline uint32_t device_requests(int fd, struct kt_site_req **reqs)
{
	struct kt_list_entry *entries = NULL;
	uint32_t n = device_list(fd, &entries);

	*reqs = must_realloc(NULL, (n + 1) * sizeof(**reqs));
	for (uint32_t i = 0; i < n; i++) {
		struct kt_site_req *req = &(*reqs)[i];

		*req = (struct kt_site_req){ .addr = entries[i].addr, .insn_len = entries[i].insn_len };
		memcpy(req->insn, entries[i].insn, sizeof(req->insn));
		req->desc = (uintptr_t)device_desc(fd, entries[i].id, &req->desc_len);
	}
	free(entries);
	return n;
}

/* Set tracepoints. Returns the errno, 0 for success; *answer is the answer of the module. */
static inline int device_trace(int fd, struct kt_site_req *reqs, uint32_t n, uint32_t flags, struct kt_trace *answer)
{
	*answer = (struct kt_trace){ .size = sizeof(*answer), .flags = flags, .nr = n, .sites = (uintptr_t)reqs };
	return ioctl(fd, KT_IOC_TRACE, answer) < 0 ? errno : 0;
}

static inline int device_delete_all(int fd, struct kt_delete *answer)
{
	*answer = (struct kt_delete){ .size = sizeof(*answer), .flags = KT_DELETE_ALL };
	return ioctl(fd, KT_IOC_DELETE, answer) < 0 ? errno : 0;
}

/* The sum of the counts of all CPUs: every member is a count. */
static inline void device_status(int fd, struct kt_status *status, struct kt_cpu_status *sum)
{
	struct kt_cpu_status cpus[MAX_CPUS];

	*status = (struct kt_status){ .size = sizeof(*status), .nr_cpus = MAX_CPUS, .cpus = (uintptr_t)cpus };
	must(fd, KT_IOC_STATUS, status, "KT_IOC_STATUS");
	memset(sum, 0, sizeof(*sum));
	for (uint32_t i = 0; i < status->nr_cpus * (sizeof(*sum) / 8); i++)
		((uint64_t *)sum)[i % (sizeof(*sum) / 8)] += ((const uint64_t *)cpus)[i];
}

#endif
