/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf.h - the metadata of a saved trace: CTF 1.8's description language (TSDL), made from the descriptors.  The
 * packets have the layout of core/ktrace_abi.h.
 */
#ifndef KTRACE_CTF_H
#define KTRACE_CTF_H

#include <stdio.h>

#include "ctl/saved/trace_info.h"

/* Write the metadata.  The state of the stream shows errors. */
void ctf_metadata(const struct trace_info *info, FILE *out);

#endif
