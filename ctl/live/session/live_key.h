/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_key.h - a key of what /proc/kallsyms has: it changes when a symbol of the running kernel may have come, gone or
 * moved.
 */
#ifndef KTRACE_LIVE_KEY_H
#define KTRACE_LIVE_KEY_H

#include "symbols/base/kept.h"

#define KEPT_DIR	"/run/ktrace"

struct live_module {
	const char *name, *size, *address;
	uint64_t inode;		/* of /sys/module/NAME; it differs after the module was loaded again.  0: not known */
	bool is_live;		/* neither being loaded nor unloaded */
};

/* Call fn for each module in a file of the format of /proc/modules.  False: the file cannot be read, or fn returned false. */
bool live_modules(const char *list, bool (*fn)(void *arg, const struct live_module *module), void *arg);

/*
 * False: nothing may be kept now, because the key cannot be told (without root, or while a module is being loaded), or
 * because addresses are hidden.
 */
bool live_key(char key[KEPT_KEY]);
/* The same for the types of the kernel (""), which modules do not change, or of a module. */
bool live_key_of_types(const char *module, char key[KEPT_KEY]);
/* Add the BPF programs and links to a hash.  False: they cannot be told. */
bool live_bpf(uint64_t *hash);

#endif
