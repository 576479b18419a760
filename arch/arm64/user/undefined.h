/* SPDX-License-Identifier: GPL-2.0-or-later */
/* undefined.h - an instruction that is not defined, for tests. */
#ifndef KTRACE_UNDEFINED_H
#define KTRACE_UNDEFINED_H

#define UNDEFINED	".inst 0"

#endif
