/* SPDX-License-Identifier: GPL-2.0-only */
/* ktrace.h - each source file of the modules includes this header first. */
#ifndef KTRACE_H
#define KTRACE_H

#ifdef pr_fmt
#undef pr_fmt
#endif
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "core/ktrace_abi.h"

#define KT_VERSION	"0.1.0"

#endif
