/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_int.h - what the metadata of both versions of CTF have in common. */
#ifndef KTRACE_CTF_INT_H
#define KTRACE_CTF_INT_H

#include "ctl/base/device/clockmap.h"
#include "ctl/trace/ctf/trace_info.h"

/* Bits that an event, and the fields in it, are aligned to. */
int ctf_event_align(const struct trace_info *info);
int ctf_field_align(const struct trace_info *info);

/*
 * The fields of an event, from the first on, that are its context: the process and the thread, in the traces of processes
 * (user_trace.h).
 */
#define CTF_CONTEXT	2
size_t ctf_context(const struct trace_info *info, const struct desc *desc);

/* The environment, one variable after the other; text NULL: it is the number. */
void ctf_environment(const struct trace_info *info,
		     void (*each)(void *arg, const char *name, const char *text, int64_t number), void *arg);

/* CTF's clock has one rate and one origin. */
struct clock_line ctf_clock(const struct trace_info *info);

/* Members of an event that are not fields of its descriptor: the mask of unreadable values, and what makes it even. */
#define CTF_UNREADABLE	"unreadable"
#define CTF_PADDING	"_padding"

/*
 * The names of the fields, without characters that names must not have; fields with the same name get a number.  A
 * constant is not in the records: its name contains the value.  NULL: the field has no place in the records.
 */
char **ctf_field_names(const struct desc *desc);
void ctf_field_names_free(char **names, const struct desc *desc);

#endif
