/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * condition.h - conditions of --fail-if: comparisons of a measurement's figures with constants, `p99>50us`,
 * joined by && and ||; && binds more tightly.  Times have a unit: ns, us, ms, s; counts have none.
 */
#ifndef KTRACE_CONDITION_H
#define KTRACE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/error.h"

struct condition;
struct measurement;

/* NULL: text is not a condition; err is set. */
struct condition *condition_parse(const char *text, struct error *err);
void condition_free(struct condition *c);

/* Does it hold?  It does not hold for an unknown figure.  If it holds, buf has the figures: "p99 is 61.2 us". */
bool condition_holds(const struct condition *c, const struct measurement *m, char *buf, size_t size);
/*
 * The first unknown figure of the condition, NULL: all are known.  *least is the number of samples that it
 * needs.
 */
const char *condition_unknown(const struct condition *c, const struct measurement *m, uint64_t *least);

/* The condition as given. */
const char *condition_text(const struct condition *c);

#endif
