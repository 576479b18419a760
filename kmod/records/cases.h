/* SPDX-License-Identifier: GPL-2.0-only */
/* cases.h - the cases of a descriptor: see struct kt_case. */
#ifndef KTRACE_CASES_H
#define KTRACE_CASES_H

#include <linux/types.h>

#include "kmod/text/code.h"

struct kt_client;
struct kt_desc;
struct kt_site_req;

/*
 * Give a descriptor that is not published yet its cases: req->cases and req->nr_cases.  Writes their ids there, and generates
 * their code.  On an
 * error the descriptor stays the caller's, who destroys it; errors and req->refusal are as for kt_desc_create().
 * Sleepable.
 */
int kt_cases_create(struct kt_desc *desc, struct kt_client *client, struct kt_site_req *req, enum kt_code_for what);

/* Take one of them out of the descriptor; no hit can use it any more.  NULL: there are no more.  Sleepable. */
struct kt_desc *kt_cases_take_one(struct kt_desc *desc);

#endif
