/* SPDX-License-Identifier: GPL-2.0-only */
/* measurement_int.h - what the files of measurement.h share. */
#ifndef KTRACE_MEASUREMENT_INT_H
#define KTRACE_MEASUREMENT_INT_H

#include <linux/mutex.h>

/*
 * Protects the ids, the list, and in each measurement began, reaped, dropped, spanned and client.  The hit that meets the
 * quota writes running and ended without this lock.
 */
extern struct mutex kt_measurement_lock;

#endif
