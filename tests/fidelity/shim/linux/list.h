/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.h - the links inside the module's structures; there are no lists here. */
#ifndef SHIM_LINUX_LIST_H
#define SHIM_LINUX_LIST_H

#include <linux/compiler.h>

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

#endif
