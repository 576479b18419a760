/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - in place of the module's: live text is what the harness wrote. */
#ifndef SHIM_TABLE_H
#define SHIM_TABLE_H

#include <linux/types.h>

size_t kt_table_text_locked(unsigned long addr, u8 *to, size_t n);

#endif
