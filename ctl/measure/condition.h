/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * condition.h - what --fail-if takes: comparisons of a measurement's figures with constants, `p99>50us`,
 * joined by && and ||, of which && binds more tightly.  Times have a unit: ns, us, ms, s; counts have none.
 */
#ifndef KTRACE_CONDITION_H
#define KTRACE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/error.h"

struct condition;
struct measurement;

/* NULL with err set where it is none. */
struct condition *condition_parse(const char *text, struct error *err);
void condition_free(struct condition *c);

/* Does it hold?  Of a figure that is not known it does not.  Where it does, buf says of what: "p99 is 61.2 us". */
bool condition_holds(const struct condition *c, const struct measurement *m, char *buf, size_t size);
/* The first of its figures that is not known, NULL if all are; *least is from how many samples on it is. */
const char *condition_unknown(const struct condition *c, const struct measurement *m, uint64_t *least);

/* As it was given. */
const char *condition_text(const struct condition *c);

#endif
