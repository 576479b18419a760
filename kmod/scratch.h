/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scratch.h - a function of the module's own that does next to nothing: what tracepoints cost is
 * calibrated on it.
 */
#ifndef KTRACE_SCRATCH_H
#define KTRACE_SCRATCH_H

#include <linux/types.h>

struct kt_calibrate;
struct kt_owner;

/* arch/<cpu>/kmod/scratch.S: KT_SCRATCH_BODY, then a return. */
asmlinkage unsigned long kt_scratch(unsigned long n);
extern const char kt_scratch_return[];

/* The address that KT_SITE_SCRATCH stands for; 0 where there is none of that number. */
static inline unsigned long kt_scratch_address(u64 number)
{
	if (number > 1)
		return 0;
	return number ? (unsigned long)kt_scratch_return : (unsigned long)kt_scratch;
}

/* May it be traced, although it is in the module? */
static inline bool kt_scratch_is(unsigned long addr)
{
	return addr == (unsigned long)kt_scratch || addr == (unsigned long)kt_scratch_return;
}

/* KT_IOC_CALIBRATE: -EBUSY, -EINVAL, -ENOENT, -ENOMEM, -EOPNOTSUPP.  Sleepable. */
int kt_scratch_calibrate(struct kt_calibrate *arg, const struct kt_owner *owner);

#endif
