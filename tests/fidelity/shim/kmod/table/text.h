/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - replaces the module's header: the live text is what the harness wrote. */
#ifndef SHIM_TEXT_H
#define SHIM_TEXT_H

#include <linux/types.h>

size_t kt_text_live(unsigned long addr, u8 *to, size_t n);

#endif
