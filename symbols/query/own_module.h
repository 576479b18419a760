/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_module.h - files of modules that were built locally and loaded by insmod: no package has their debug information.
 *
 * A file is read only if it belongs to root, to the user who runs ktrace, or to the user behind sudo.  It is
 * used only if it has the build id of the loaded module.
 */
#ifndef KTRACE_OWN_MODULE_H
#define KTRACE_OWN_MODULE_H

#include "symbols/query/debug_wish.h"

/*
 * Find the wanted module among the named files, or among the .ko files of a directory.  NULL: it is not there;
 * if a file with its name is not used, err has the reason, else err is unchanged.
 */
struct image *own_module_named(const struct debug_wish *wish, struct debug_error *err);
struct image *own_module_in(const struct debug_wish *wish, const char *directory, struct debug_error *err);

/* May user read a file of owner?  sudo is SUDO_UID, or NULL. */
bool own_module_trusts(unsigned int uid, unsigned int user, const char *sudo);

/* Is path the file of the module?  A module xt_tcp may have the file xt-tcp.ko.xz. */
bool own_module_is_named(const char *path, const char *module);

#endif
