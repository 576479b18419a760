/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module_file.h - the file of an installed module, and whose signature it has. */
#ifndef KTRACE_MODULE_FILE_H
#define KTRACE_MODULE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module_signature {
	bool is_signed;
	char signer[128];	/* the name in the certificate; "": not known */
	uint8_t serial[32];	/* of the certificate, as it stands there */
	size_t serial_len;	/* 0: not known */
};

/*
 * The file that modprobe would load for "MODULE.ko" and that kernel.  The caller frees it; NULL: modules.dep lists none, or it
 * is not there.  root: prefix of the paths, for tests; else "".
 */
char *module_file_find(const char *root, const char *release, const char *module);

/* Of a file that cannot be read: not signed. */
struct module_signature module_file_signature(const char *path);

enum key_known {
	KEY_UNSEEN,		/* this user sees no keys of the kernel */
	KEY_UNKNOWN,
	KEY_KNOWN,
};

/*
 * Does the kernel have a key with that signature's name, in /proc/keys?  Where the certificate with this serial number is at
 * hand (a file in DER; NULL: none), its key identifier is looked for instead.
 */
enum key_known module_key_known(const char *root, const struct module_signature *signature, const char *certificate);

#endif
