/* SPDX-License-Identifier: GPL-2.0-only */
/* clock_arch.h - the name of the raw clock, for people. */
#define KT_RAW_CLOCK	"tsc"
