/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolve.h - resolve typed text to probe points.
 *
 * The name of a function also stands for its clones (f.isra.0, f.constprop.0), which the compiler calls in
 * place of f.  Its pieces (f.part.0, f.cold) are only reported.
 */
#ifndef KTRACE_RESOLVE_H
#define KTRACE_RESOLVE_H

#include "ctl/ask/resolve/probe_point.h"
#include "ctl/base/error.h"

bool probe_points_resolve(const struct target *target, const char *text, struct probe_points *out, struct error *err);

#endif
