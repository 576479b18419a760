/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compiler.h - the annotations for sparse are empty here. */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#include <linux/kernel.h>

#define __rcu
#define __percpu

#endif
