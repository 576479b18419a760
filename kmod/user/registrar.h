/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * registrar.h - processes that offer tracepoints (core/abi_user.h).
 *
 * A registration ends with the memory of the process, of which the kernel tells us (mmu_notifier).  So the process keeps
 * nothing open, and the module can be unloaded while processes are registered.
 */
#ifndef KTRACE_REGISTRAR_H
#define KTRACE_REGISTRAR_H

#include "core/ktrace_abi.h"

struct file;

/* Calls of the process itself.  core/abi_user.h has the errors.  Sleepable. */
int kt_registrar_register(const struct kt_user_register *arg);
int kt_registrar_sites(const struct kt_user_sites *arg);
int kt_registrar_forget(const struct kt_user_forget *arg);

/* KT_IOC_USER_*, by the open file of a controller; core/abi_user.h has the errors.  Sleepable. */
int kt_registrar_list(struct kt_user_list *arg, const struct file *controller);
int kt_registrar_open(struct kt_user_open *arg);
int kt_registrar_switch(const struct kt_user_switch *arg, const struct file *controller);

/* The file is closed: what it has switched on is off.  Sleepable, and waits for no process. */
void kt_registrar_control_closed(const struct file *controller);

/* All registrations end, and all switches are off.  Neither node is there any more. */
void kt_registrar_exit(void);

#endif
