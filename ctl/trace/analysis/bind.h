/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bind.h - from records to the analysis' events: descriptors are resolved to slots once. */
#ifndef KTRACE_BIND_H
#define KTRACE_BIND_H

#include "ctl/trace/analysis/analysis.h"
#include "ctl/trace/reader/reader.h"

struct binder;

/* Names are added to `a`, which must outlive the binder. */
struct binder *binder_create(struct analysis *a);
void binder_free(struct binder *binder);
/* The trace can have records of this descriptor: call it for each, before the first event. */
void binder_declare(struct binder *binder, const struct desc *desc);
/* The descriptors that were seen so far are freed: forget them. */
void binder_reset(struct binder *binder);
/* Decode a RECORD_HIT.  The texts of *out are in the record.  False: the record belongs to a measurement. */
bool binder_event(struct binder *binder, const struct record *record, struct analysis_event *out);

#endif
