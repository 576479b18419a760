/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf.h - the metadata of a saved trace: CTF 1.8's description language (TSDL), from the
 * descriptors.  The packets themselves are as core/ktrace_abi.h has them.
 */
#ifndef KTRACE_CTF_H
#define KTRACE_CTF_H

#include <stdio.h>

#include "ctl/records/trace_info.h"

/* What cannot be written is seen in the stream's state. */
void ctf_metadata(const struct trace_info *info, FILE *out);

#endif
