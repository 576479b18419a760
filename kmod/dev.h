/* SPDX-License-Identifier: GPL-2.0-only */
/* dev.h - /dev/ktrace. */
#ifndef KTRACE_DEV_H
#define KTRACE_DEV_H

int kt_dev_init(void);
void kt_dev_exit(void);

#endif
