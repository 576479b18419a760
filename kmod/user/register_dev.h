/* SPDX-License-Identifier: GPL-2.0-only */
/* register_dev.h - /dev/ktrace-user, where processes register (core/abi_user.h).  Whoever may open it can do nothing else. */
#ifndef KTRACE_REGISTER_DEV_H
#define KTRACE_REGISTER_DEV_H

int kt_register_dev_init(void);
void kt_register_dev_exit(void);

#endif
