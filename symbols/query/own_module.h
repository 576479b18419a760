/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_module.h - the files of modules that were built here and loaded by insmod: no package has their debug
 * information.
 *
 * Only a file that belongs to root, to the user who runs this, or to the user behind sudo is read at all, and only
 * one with the build id of the loaded module is used.
 */
#ifndef KTRACE_OWN_MODULE_H
#define KTRACE_OWN_MODULE_H

#include "symbols/query/debug_wish.h"

/*
 * The module of the wish among the files that were named, or among the .ko files of a directory.
 * NULL: it is not there; err says why a file that bears its name is not used, else it stays as it is.
 */
struct image *own_module_named(const struct debug_wish *wish, struct debug_error *err);
struct image *own_module_in(const struct debug_wish *wish, const char *directory, struct debug_error *err);

/* May this user read a file that belongs to that one?  sudo: what SUDO_UID says, or NULL. */
bool own_module_trusts(unsigned int uid, unsigned int user, const char *sudo);

/* A module may be called xt_tcp where its file is xt-tcp.ko.xz. */
bool own_module_is_named(const char *path, const char *module);

#endif
