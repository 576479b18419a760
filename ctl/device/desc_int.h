/* SPDX-License-Identifier: GPL-2.0-or-later */
/* desc_int.h - for those who decode the meta data of descriptors: members of a JSON object, with their checks. */
#ifndef KTRACE_DESC_INT_H
#define KTRACE_DESC_INT_H

#include "ctl/device/desc.h"

struct json_object;

/* A text without control characters; NULL: there is none. */
const char *meta_text(struct json_object *from, const char *key);
/* False: there is none between low and high. */
bool meta_int(struct json_object *from, const char *key, int64_t low, int64_t high, int64_t *out);
/* False if there is none. */
bool meta_bool(struct json_object *from, const char *key);

#endif
