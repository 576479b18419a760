/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf.h - the metadata of a saved trace, made from the descriptors: CTF 1.8's description language (TSDL), or the JSON of
 * CTF 2.  The packets have the layout of core/ktrace_abi.h in both.
 */
#ifndef KTRACE_CTF_H
#define KTRACE_CTF_H

#include <stdio.h>

#include "ctl/ctf/trace_info.h"

/*
 * The metadata in one of the two languages: what is before the events, and one event.  The state of the stream shows errors.
 * What is said of an event stays as it is when the trace grows.
 */
struct ctf_language {
	void (*head)(const struct trace_info *info, FILE *out);
	void (*event)(const struct trace_info *info, const struct trace_event *event, FILE *out);
};

extern const struct ctf_language ctf_tsdl, ctf_json;

static inline const struct ctf_language *ctf_language(const struct trace_info *info)
{
	return info->form.ctf2 ? &ctf_json : &ctf_tsdl;
}

/* Write the metadata of the trace, in its language. */
void ctf_metadata(const struct trace_info *info, FILE *out);

#endif
