/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user_event.h - events of registered processes by name: user:PROVIDER:NAME, user:PATTERN; "-" in front excludes. */
#ifndef KTRACE_USER_EVENT_H
#define KTRACE_USER_EVENT_H

#include <stddef.h>

#include "ctl/base/device/registered.h"
#include "ctl/trace/user/user_file.h"

#define USER_EVENT	"user:"

/* Does text name events of processes? */
bool user_event_is(const char *text);
/* Are all words of a list, with commas, such names? */
bool user_event_are(const char *list);
/* Does the list choose the event?  The last word that matches decides. */
bool user_event_matches(const char *list, const struct user_site *site);

/*
 * Open what a process has in its memory.  *fd stays open if it is not NULL.  NULL: there is no such registration any more, or
 * err->text says why it cannot be read.
 */
struct user_file *user_event_open(struct registrar *r, const struct kt_user_entry *entry, int *fd, struct error *err);

#endif
