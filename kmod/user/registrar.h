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

struct kt_client;

/* Calls of the process itself.  core/abi_user.h has the errors.  Sleepable. */
int kt_registrar_register(const struct kt_user_register *arg);
int kt_registrar_sites(const struct kt_user_sites *arg);
int kt_registrar_forget(const struct kt_user_forget *arg);

/* KT_IOC_USER_*; core/abi_user.h has the errors.  Sleepable. */
int kt_registrar_list(struct kt_user_list *arg, const struct kt_client *client);
int kt_registrar_open(struct kt_user_open *arg);
int kt_registrar_switch(const struct kt_user_switch *arg, const struct kt_client *client);

/* The client is gone: what it has switched on is off.  Sleepable, and waits for no process. */
void kt_registrar_client_gone(const struct kt_client *client);

/* /dev/ktrace-user.  When it is gone all registrations have ended, and all switches are off. */
int kt_registrar_init(void);
void kt_registrar_exit(void);

#endif
