/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf.h - the metadata of a saved trace, made from the descriptors: CTF 1.8's description language (TSDL), or the JSON of
 * CTF 2.  The packets have the layout of core/ktrace_abi.h in both.
 */
#ifndef KTRACE_CTF_H
#define KTRACE_CTF_H

#include <stdio.h>

#include "ctl/trace/ctf/trace_info.h"

/* Write the metadata.  The state of the stream shows errors. */
void ctf_metadata(const struct trace_info *info, FILE *out);
void ctf2_metadata(const struct trace_info *info, FILE *out);

#endif
