/* SPDX-License-Identifier: GPL-2.0-or-later */
/* desc_int.h - kinds of fields; for those who decode the meta data of descriptors, members of a JSON object with their checks. */
#ifndef KTRACE_DESC_INT_H
#define KTRACE_DESC_INT_H

#include "ctl/base/device/desc.h"

struct json_object;

#define META_VERSION	6	/* of packets and lists of numbers; other descriptors have a version that older controllers read */

#define BY_LENGTH	0	/* the field has its length */

/* layout.c: a kind of fields. */
struct kind_row {
	const char *name;	/* name in the meta data; NULL: never stored */
	enum field_form form;
	uint8_t bytes;		/* of one element; FIELD_INT and FIELD_FLOAT have their own width */
	bool is_signed;		/* FIELD_INT and FIELD_NUMBER have their own sign */
	uint8_t count;		/* elements; the architecture has the count of ALLREGS */
};
extern const struct kind_row field_kinds[NR_FIELD_KINDS];

static inline bool has_sign(enum field_kind kind)
{
	return kind == FIELD_INT || kind == FIELD_NUMBER;
}

/* The request at the begin of the blob.  NULL: the sizes in it do not add up to `len`. */
const struct kt_desc_req *desc_check_blob(const void *blob, size_t len);

/* A text without control characters; NULL: there is none. */
const char *meta_text(struct json_object *from, const char *key);
/* False: there is none between low and high. */
bool meta_int(struct json_object *from, const char *key, int64_t low, int64_t high, int64_t *out);
/* False if there is none. */
bool meta_bool(struct json_object *from, const char *key);

#endif
