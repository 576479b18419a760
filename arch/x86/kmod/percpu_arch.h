/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * percpu_arch.h - read and change a variable of this CPU in a hit.  Atomic against whatever interrupts the hit, NMIs too.
 *
 * Context: unable to migrate.  One instruction does it, which adds the CPU's offset to the address.
 */
#ifndef KTRACE_PERCPU_ARCH_H
#define KTRACE_PERCPU_ARCH_H

#include <linux/percpu.h>

#define kt_cpu_read(var)	this_cpu_read(var)
#define kt_cpu_write(var, v)	this_cpu_write(var, v)
#define kt_cpu_add(var, n)	this_cpu_add(var, n)
#define kt_cpu_inc(var)		this_cpu_inc(var)
#define kt_cpu_dec(var)		this_cpu_dec(var)
#define kt_cpu_or(var, bits)	this_cpu_or(var, bits)
#define kt_cpu_and(var, bits)	this_cpu_and(var, bits)

#endif
