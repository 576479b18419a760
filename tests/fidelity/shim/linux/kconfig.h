/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kconfig.h - the only option that the decoder needs. */
#define CONFIG_X86_64		1
#define IS_ENABLED(option)	(option)
