/* SPDX-License-Identifier: GPL-2.0-only */
/* calibrate.h - what a tracepoint costs, found out on the functions of scratch.h. */
#ifndef KTRACE_CALIBRATE_H
#define KTRACE_CALIBRATE_H

struct kt_calibrate;
struct kt_client;

/* KT_IOC_CALIBRATE: -EBUSY, -EINVAL, -ENOENT, -ENOMEM, -EOPNOTSUPP.  Sleepable. */
int kt_calibrate(struct kt_calibrate *arg, const struct kt_client *client);

#endif
