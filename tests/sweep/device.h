/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device.h - /dev/ktrace for the sweep and the fuzzer: calls that succeed or end the program. */
#ifndef SWEEP_DEVICE_H
#define SWEEP_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"

#define MAX_CPUS 1024

struct counts {
	struct kt_status status;
	struct kt_cpu_status all;	/* the sum over all CPUs */
};

void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Open the device and say hello; *hello may be NULL. Returns the file descriptor. */
int device_open(struct kt_hello *hello);

/* Set nr requests with these flags; *answer gets the answer of the module. Returns the errno, 0 for success. */
int device_trace(int fd, struct kt_site_req *sites, uint32_t nr, uint32_t flags, struct kt_trace *answer);

/* The same in as many calls as it takes; *answer gets the sum of what was set, and the most synchronisations of a call. */
int device_trace_all(int fd, struct kt_site_req *sites, uint32_t nr, uint32_t flags, struct kt_trace *answer);

/* Remove the tracepoints at addrs, in as many calls as it takes, or all if addrs is NULL. Returns how many there were. */
uint32_t device_delete(int fd, const uint64_t *addrs, uint32_t nr);

/* List all tracepoints; the caller frees *entries. */
uint32_t device_list(int fd, struct kt_list_entry **entries);

void device_counts(int fd, struct counts *out);
void device_clear(int fd);

/* Read live text without the patches of ktrace; returns how many bytes were readable. */
size_t device_text(int fd, uint64_t addr, void *buf, size_t len);

/* Wait until no tracepoint is set and no slot is taken. Returns false when the seconds are over. */
int device_drain(int fd, int seconds);

#endif
