/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolve.h - from what was typed to the instructions that are meant.
 *
 * A function's name stands for its clones too (f.isra.0, f.constprop.0: the
 * compiler calls them in place of f); its pieces (f.part.0, f.cold) are only
 * reported.
 */
#ifndef KTRACE_RESOLVE_H
#define KTRACE_RESOLVE_H

#include "ctl/base/error.h"
#include "ctl/resolve/probe_point.h"

bool probe_points_resolve(const struct target *target, const char *text, struct probe_points *out, struct error *err);

#endif
