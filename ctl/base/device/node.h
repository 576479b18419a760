/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node.h - the device nodes of ktrace's modules: open one, load its module, and say why that or a call fails. */
#ifndef KTRACE_NODE_H
#define KTRACE_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/base/error.h"

struct node {
	const char *path;
	const char *module;
	const char *words;	/* what messages call the module */
	enum lack lack;		/* what its errors say is missing */
};

extern const struct node node_ktrace, node_user;

/*
 * Where its module is installed and not loaded, load it with modprobe.  Returns a file descriptor, or -1 with err set:
 * STATUS_NO_ACCESS in most cases.
 */
int node_open(const struct node *node, struct error *err);
/* The module has another control ABI.  Sets err; returns false. */
bool node_mismatch(const struct node *node, uint32_t theirs, struct error *err);
/* A call has failed with this errno: "what: cause and remedy".  Sets err; returns false. */
bool node_fail(const struct node *node, struct error *err, const char *what, int no);

#endif
