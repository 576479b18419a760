/* SPDX-License-Identifier: GPL-2.0-only */
/* calibrate.h - measure what a tracepoint costs, on the functions of scratch.h. */
#ifndef KTRACE_CALIBRATE_H
#define KTRACE_CALIBRATE_H

struct kt_calibrate;
struct kt_client;

/*
 * KT_IOC_CALIBRATE.  -EAGAIN: the brake turned hits away meanwhile; -EBUSY, -EINVAL, -ENOENT, -ENOMEM, -EOPNOTSUPP:
 * see ktrace_abi.h.  Sleepable.
 */
int kt_calibrate(struct kt_calibrate *arg, const struct kt_client *client);

#endif
