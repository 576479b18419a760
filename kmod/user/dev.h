/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dev.h - the two nodes of the module (core/abi_user.h): /dev/ktrace-user, where processes register, and whoever may open it can
 * do nothing else; and /dev/ktrace-user-control for controllers, which need CAP_SYS_ADMIN.
 */
#ifndef KTRACE_USER_DEV_H
#define KTRACE_USER_DEV_H

int kt_user_dev_init(void);
void kt_user_dev_exit(void);

#endif
