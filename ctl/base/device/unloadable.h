/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unloadable.h - why the kernel does not load a module, and what to do.  doctor foretells it, a failed load explains it. */
#ifndef KTRACE_UNLOADABLE_H
#define KTRACE_UNLOADABLE_H

#include <stdbool.h>

#include "ctl/base/device/lockdown.h"
#include "ctl/base/device/module_file.h"

/* A key with which this machine signs modules. */
struct own_key {
	const char *key, *certificate;	/* paths */
};

/* What the kernel looks at. */
struct load_facts {
	int no;			/* errno of the attempt to load the module; 0: nobody has tried */
	bool is_disabled;	/* kernel.modules_disabled */
	bool is_inside;		/* in a user namespace */
	bool may_load;		/* has CAP_SYS_MODULE */
	bool is_enforced;	/* module.sig_enforce */
	enum lockdown lockdown;
	bool is_secure_boot;	/* then the kernel is taken for locked down, if that cannot be seen */
	struct module_signature signature;
	enum key_known known;	/* its key */
	const struct own_key *own;	/* NULL: this machine has none */
};

struct unloadable {
	char cause[384];	/* "": nothing is wrong */
	char mend[384];
};

/* root: prefix of the paths, for tests; else "".  file: of the module; NULL: none is installed. */
struct load_facts load_facts(const char *root, const char *file, int no);
/* Does this kernel take only signed modules? */
bool load_needs_signature(const struct load_facts *facts);
void load_explain(const struct load_facts *facts, const char *module, struct unloadable *out);

#endif
