// SPDX-License-Identifier: GPL-2.0-only
/* cases.c - the cases of a descriptor.  See cases.h. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/records/cases.h"
#include "kmod/records/desc.h"
#include "kmod/text/event.h"

struct kt_desc *kt_cases_take_one(struct kt_desc *desc)
{
	struct kt_cases *cases = desc->cases;
	struct kt_desc *one = NULL;

	if (!cases)
		return NULL;
	while (cases->nr && !one)
		one = cases->by[--cases->nr];
	while (cases->nr_compat && !one)
		one = cases->compat[--cases->nr_compat];
	if (one)
		return one;
	swap(one, cases->other);
	return one;
}

static bool may_have_cases(const struct kt_desc *desc)
{
	const u32 no = KT_DESC_COUNTED | KT_DESC_MEASURED | KT_DESC_VARIES | KT_DESC_DEAR;

	return desc->flags & KT_DESC_WIDE && !(desc->flags & no) && !desc->program->bytes;
}

static bool may_be_case(const struct kt_desc *desc)
{
	return !(desc->flags & ~(KT_DESC_RECORDING | KT_DESC_WIDE | KT_DESC_VARIES | KT_DESC_DEAR));
}

/* Where the case belongs.  NULL: there is no such home, or another case is there. */
static struct kt_desc **home_of(struct kt_cases *cases, u32 number)
{
	const u32 compat = number & ~KT_CASE_COMPAT;
	struct kt_desc **home = number == KT_CASE_OTHER ? &cases->other :
				 number < cases->nr ? &cases->by[number] :
				 number & KT_CASE_COMPAT && compat < cases->nr_compat ? &cases->compat[compat] : NULL;

	return home && !*home ? home : NULL;
}

static int case_take(struct kt_desc *desc, struct kt_client *client, struct kt_case *one, enum kt_code_for what,
		     u8 *refusal)
{
	struct kt_desc **home = home_of(desc->cases, one->number), *made;
	int err;

	*refusal = KT_REFUSE_DESC;
	if (!home || one->reserved)
		return -EINVAL;
	err = kt_desc_create(one->desc, one->desc_len, desc->addr, client, 0, &made, refusal);
	if (err)
		return err;
	/* Calls of 32-bit programs are rare: the interpreter is good enough for them. */
	if (one->number == KT_CASE_OTHER || !(one->number & KT_CASE_COMPAT))
		kt_desc_generate(made, desc, what);
	*home = made;
	one->id = made->id;
	desc->all_regs |= made->all_regs;
	*refusal = KT_REFUSE_DESC;
	return may_be_case(made) && made->rings == desc->rings ? 0 : -EINVAL;
}

static int cases_fill(struct kt_desc *desc, struct kt_client *client, struct kt_case *cases, u32 nr,
		      enum kt_code_for what, u8 *refusal)
{
	u32 i;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		err = case_take(desc, client, &cases[i], what, refusal);
		cond_resched();
	}
	if (err)
		return err;
	*refusal = KT_REFUSE_DESC;
	if (!desc->cases->other)
		return -EINVAL;
	desc->flags |= KT_DESC_CASES;
	*refusal = KT_REFUSE_NONE;
	return 0;
}

/* flag: KT_CASE_COMPAT, or 0. */
static u32 numbers_of(const struct kt_case *cases, u32 nr, u32 flag)
{
	u32 i, numbers = 0;

	for (i = 0; i < nr; i++)
		if ((cases[i].number ^ flag) < KT_MAX_CASE_NUMBER)
			numbers = max(numbers, (cases[i].number ^ flag) + 1);
	return numbers;
}

/* Without cases yet. */
static struct kt_cases *cases_alloc(u32 nr, u32 nr_compat)
{
	struct kt_cases *cases = kvzalloc(struct_size(cases, by, nr + kt_hits_room(nr) + nr_compat), GFP_KERNEL);

	if (!cases)
		return NULL;
	cases->nr = nr;
	cases->hits = (void **)&cases->by[nr];
	cases->nr_compat = nr_compat;
	cases->compat = &cases->by[nr + kt_hits_room(nr)];
	return cases;
}

int kt_cases_create(struct kt_desc *desc, struct kt_client *client, struct kt_site_req *req, enum kt_code_for what)
{
	void __user *at = u64_to_user_ptr(req->cases);
	struct kt_case *cases;
	int err;

	req->refusal = KT_REFUSE_DESC;
	if (req->nr_cases > KT_MAX_CASES || !may_have_cases(desc))
		return -EINVAL;
	cases = kvmalloc_array(req->nr_cases, sizeof(*cases), GFP_KERNEL);
	if (!cases)
		goto nomem;
	err = -EFAULT;
	if (copy_from_user(cases, at, req->nr_cases * sizeof(*cases)))
		goto out;
	desc->cases = cases_alloc(numbers_of(cases, req->nr_cases, 0), numbers_of(cases, req->nr_cases, KT_CASE_COMPAT));
	if (!desc->cases) {
		kvfree(cases);
		goto nomem;
	}
	desc->cases->call_given = kt_event_passes_call(desc->addr);
	err = cases_fill(desc, client, cases, req->nr_cases, what, &req->refusal);
	if (!err && copy_to_user(at, cases, req->nr_cases * sizeof(*cases)))
		err = -EFAULT;
out:
	kvfree(cases);
	return err;
nomem:
	req->refusal = KT_REFUSE_NOMEM;
	return -ENOMEM;
}
