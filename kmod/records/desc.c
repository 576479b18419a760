// SPDX-License-Identifier: GPL-2.0-only
/* desc.c - descriptors and their ids.  See desc.h. */
#include <linux/idr.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/measure/aggregate.h"
#include "kmod/measure/client.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/task_set.h"
#include "kmod/records/buffer.h"
#include "kmod/records/cases.h"
#include "kmod/records/desc.h"
#include "kmod/records/recordings.h"

static DEFINE_MUTEX(desc_lock);		/* protects the six variables below */
static DEFINE_IDR(descs);
static struct rb_root programs = RB_ROOT;	/* the descriptors that have a program, by its address */
static LIST_HEAD(retired);
static u32 nr_descs, generation;
static int first_free = 1;		/* no id before it is free: idr_alloc() would look at all of them one by one */

static bool request_valid(const struct kt_desc_req *req, u32 len)
{
	return req->size == sizeof(*req) && !(req->flags & ~KT_DESC_FLAGS) &&
	       req->late <= S64_MAX && req->every <= S64_MAX && req->limit <= S64_MAX &&
	       req->prog_len && req->prog_len <= KT_MAX_PROG &&
	       req->meta_len <= KT_MAX_META &&
	       len == sizeof(*req) + req->prog_len * sizeof(struct kt_insn) + req->meta_len;
}

/* Copy the program and verify it, which translates registers in place.  Insert KT_OP_END after the filter. */
static int program_fill(struct kt_program *program, const struct kt_insn *insns, u32 len)
{
	static const struct kt_insn end = { .op = KT_OP_END };
	struct kt_verdict verdict;
	u32 filter;
	int payload;

	memcpy(program->insns, insns, len * sizeof(*insns));
	payload = kt_capture_verify(program->insns, len, &verdict);
	if (payload < 0)
		return payload;
	filter = verdict.filter;
	if (filter) {
		memmove(&program->insns[filter + 1], &program->insns[filter],
			(len - filter) * sizeof(*insns));
		program->insns[filter++] = end;
		len++;
	}
	program->len = len;
	program->filter = filter;
	program->bytes = payload;
	program->all_regs = verdict.all_regs;
	program->saved = verdict.saved;
	program->uses_call = verdict.uses_call;
	program->filter_saved = verdict.filter_saved;
	program->varies = verdict.varies;
	return 0;
}

static int program_create(const struct kt_desc_req *req, struct kt_program **out)
{
	struct kt_program *program;
	int err;

	program = kmalloc(struct_size(program, insns, req->prog_len + 1), GFP_KERNEL);
	if (!program)
		return -ENOMEM;
	err = program_fill(program, (const void *)(req + 1), req->prog_len);
	if (err) {
		kfree(program);
		return err;
	}
	*out = program;
	return 0;
}

static void programs_add(struct kt_desc *desc)
{
	struct rb_node **at = &programs.rb_node, *parent = NULL;

	while (*at) {
		parent = *at;
		at = desc->program < rb_entry(parent, struct kt_desc, by_program)->program ? &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&desc->by_program, parent, at);
	rb_insert_color(&desc->by_program, &programs);
}

/* The descriptor that has this instruction in its program, or NULL. */
static struct kt_desc *programs_find(const struct kt_insn *in)
{
	struct rb_node *at = programs.rb_node;

	while (at) {
		struct kt_desc *desc = rb_entry(at, struct kt_desc, by_program);

		if (in < desc->program->insns)
			at = at->rb_left;
		else if (in >= desc->program->insns + desc->program->len)
			at = at->rb_right;
		else
			return desc;
	}
	return NULL;
}

int kt_desc_id_alloc(struct kt_desc *desc)
{
	int id = desc->rings && !desc->rings->wide ? KT_MAX_ID : KT_WIDE_MAX_ID;

	mutex_lock(&desc_lock);
	id = idr_alloc(&descs, desc, first_free, id + 1, GFP_KERNEL);
	if (id > 0)
		first_free = id + 1;
	if (id > 0 && desc->rings)
		nr_descs++;
	if (id > 0 && desc->program)
		programs_add(desc);
	mutex_unlock(&desc_lock);
	return id;
}

static bool tasks_take(struct kt_desc *desc, struct kt_client *client)
{
	mutex_lock(&client->lock);
	if (client->tasks)
		desc->tasks = kt_task_set_get(client->tasks);
	mutex_unlock(&client->lock);
	return desc->tasks;
}

/* Put the references.  Not under desc_lock: the last reference to a set of tasks waits for an RCU grace period. */
static void let_go(struct kt_desc *desc)
{
	kt_task_set_put(desc->tasks);
	desc->tasks = NULL;
	kt_measurement_put(desc->measurement);
	desc->measurement = NULL;
	kt_aggregate_put(desc->aggregate);
	desc->aggregate = NULL;
}

static bool has_one_of(const struct kt_program *program, enum kt_op a, enum kt_op b)
{
	u32 i;

	for (i = 0; i < program->len; i++)
		if (program->insns[i].op == a || program->insns[i].op == b)
			return true;
	return false;
}

/* The name of a task, for instance, costs too little to be worth two readings of the clock. */
#define CHEAP_BYTES	16

/* Does a hit take much longer than the brake's estimate? */
static bool is_dear(const struct kt_program *program)
{
	u32 i;

	for (i = 0; i < program->len; i++) {
		const struct kt_insn *in = &program->insns[i];

		if (in->op == KT_OP_EMITOBJECT || in->op == KT_OP_EMITSTACK || in->op == KT_OP_EMITUSTACK || in->op == KT_OP_CALLER ||
		    in->op == KT_OP_CALLERIN || in->op == KT_OP_EMITTEXT || in->op == KT_OP_EMITSTR || in->op == KT_OP_EMITPART ||
		    ((in->op == KT_OP_EMITBYTES || in->op == KT_OP_MATCH) && in->imm > CHEAP_BYTES))
			return true;
	}
	return false;
}

/* The form of the rings decides which payloads they take. */
static bool fits_rings(struct kt_desc *desc)
{
	const bool wide = desc->rings->wide;
	const u32 shift = kt_unit_shift(wide);

	desc->units = desc->program->bytes >> shift;
	return desc->units << shift == desc->program->bytes && (wide || !desc->program->varies);
}

/* The site is an instruction of a program.  False: the capture program needs the kernel. */
static bool confine(struct kt_desc *desc)
{
	const int reads = kt_capture_confine(desc->program->insns, desc->program->len);

	desc->confined = true;
	desc->brings_in = reads > 0;
	return reads >= 0;
}

static int desc_fill(struct kt_desc *desc, u64 addr, struct kt_client *client, u64 role, u8 *refusal)
{
	const struct kt_desc_req *req = desc->blob;
	int err;

	*refusal = KT_REFUSE_DESC;
	if (!request_valid(req, desc->blob_len))
		return -EINVAL;
	desc->plain = req->flags & KT_DESC_PLAIN;
	desc->others = (req->flags & (KT_DESC_OTHERS | KT_DESC_TASKS)) == KT_DESC_OTHERS;
	if (desc->others && desc->rings != &kt_prompt_rings)
		return -EINVAL;
	if (req->flags & KT_DESC_TASKS && (!client || !tasks_take(desc, client)))
		return -EINVAL;
	*refusal = KT_REFUSE_PROGRAM;
	err = program_create(req, &desc->program);
	if (err)
		return err;
	if (!fits_rings(desc) || (KT_FILE_HAS(addr) && !confine(desc)))
		return -EINVAL;
	*refusal = KT_REFUSE_NONE;
	desc->flags = (req->flags & ~(KT_DESC_OTHERS | KT_DESC_PLAIN)) | (desc->program->filter ? KT_DESC_FILTERED : 0) |
		      (req->every > 1 || req->limit ? KT_DESC_COUNTED : 0) |
		      (is_dear(desc->program) ? KT_DESC_DEAR : 0) | (desc->rings->wide ? KT_DESC_WIDE : 0) |
		      (desc->rings != &kt_prompt_rings ? KT_DESC_RECORDING : 0) |
		      (desc->program->varies ? KT_DESC_VARIES : 0);
	desc->loads = has_one_of(desc->program, KT_OP_LOAD, KT_OP_EMITCHAIN) ||
		      has_one_of(desc->program, KT_OP_MATCH, KT_OP_MATCH);
	desc->reads_texts = has_one_of(desc->program, KT_OP_EMITSTR, KT_OP_EMITTEXT) ||
			    has_one_of(desc->program, KT_OP_EMITBYTES, KT_OP_EMITPART) ||
			    has_one_of(desc->program, KT_OP_MATCH, KT_OP_MATCH);
	desc->every = req->every;
	desc->limit = req->limit;
	atomic64_set(&desc->left, req->limit);
	desc->record = &desc->program->insns[desc->program->filter];
	desc->all_regs = desc->program->all_regs;
	desc->late = req->late;
	desc->addr = addr;
	desc->born = kt_clock_now();
	/* Only a hit with a role has a call. */
	if (!role && desc->program->uses_call) {
		*refusal = KT_REFUSE_PROGRAM;
		return -EINVAL;
	}
	err = role ? kt_desc_role(desc, role, client, refusal) : 0;
	if (err)
		return err;
	err = kt_desc_id_alloc(desc);
	if (err < 0)
		return err;
	desc->id = err;
	return 0;
}

int kt_desc_aggregate(struct kt_desc *desc, u32 id, const struct kt_client *client, u8 *refusal)
{
	struct kt_aggregate *aggregate = kt_aggregate_get(id, client);

	*refusal = KT_REFUSE_DESC;
	desc->aggregate = aggregate;
	if (!aggregate || desc->flags & KT_DESC_RECORDING ||
	    desc->program->bytes != aggregate->key_bytes + (aggregate->has_value ? sizeof(u64) : 0))
		return -EINVAL;
	desc->flags |= KT_DESC_AGGREGATE;
	*refusal = KT_REFUSE_NONE;
	return 0;
}

void kt_desc_set_event(struct kt_desc *desc, const char *event)
{
	const int argument = desc->flags & KT_DESC_ABOUT && desc->tasks ? kt_task_argument(event) : -1;

	desc->about = argument < 0 ? 0 : kt_event_arg_offset(argument);
}

bool kt_desc_take(struct kt_desc *desc)
{
	if (desc->every > 1 && (u64)(atomic64_inc_return(&desc->turn) - 1) % desc->every)
		return false;
	if (!desc->limit)
		return true;
	/* `left` stops at 0, so a spent limit stays spent however many hits come before the site is disarmed. */
	return atomic64_dec_if_positive(&desc->left) >= 0;
}
NOKPROBE_SYMBOL(kt_desc_take);

void kt_desc_give_back(struct kt_desc *desc)
{
	if (desc->limit)
		atomic64_inc(&desc->left);
}
NOKPROBE_SYMBOL(kt_desc_give_back);

static void desc_free(struct kt_desc *desc)
{
	let_go(desc);
	kvfree(desc->cases);
	if (desc->rings)
		kt_rings_put(desc->rings);
	kt_code_free(&desc->code, &desc->direct);
	kfree(desc->program);
	kfree(desc->blob);
	kfree(desc);
}

int kt_desc_create(u64 user, u32 len, u64 addr, struct kt_client *client, u64 role,
		   struct kt_desc **out, u8 *refusal)
{
	struct kt_desc *desc;
	int err = -ENOMEM;

	*refusal = KT_REFUSE_DESC;
	if (len < sizeof(struct kt_desc_req) ||
	    len > sizeof(struct kt_desc_req) + KT_MAX_PROG * sizeof(struct kt_insn) + KT_MAX_META)
		return -EINVAL;
	/* Retiring must not fail, so allocate its memory now. */
	desc = kzalloc(struct_size(desc, last_packet, nr_cpu_ids), GFP_KERNEL);
	if (!desc)
		goto nomem;
	INIT_LIST_HEAD(&desc->retired);
	desc->blob = memdup_user(u64_to_user_ptr(user), len);
	if (IS_ERR(desc->blob)) {
		err = PTR_ERR(desc->blob);
		desc->blob = NULL;
		goto free_desc;
	}
	desc->blob_len = len;
	kt_code_init(&desc->code, &desc->direct);
	desc->rings = kt_client_rings(client);
	kt_rings_get(desc->rings);
	err = desc_fill(desc, addr, client, role, refusal);
	if (err)
		goto free_desc;
	*out = desc;
	return 0;

free_desc:
	desc_free(desc);
nomem:
	if (err == -ENOMEM)
		*refusal = KT_REFUSE_NOMEM;
	if (err == -ENOSPC)
		*refusal = KT_REFUSE_NOSLOT;
	return err;
}

static void desc_forget(struct kt_desc *desc)
{
	idr_remove(&descs, desc->id);
	if (desc->program)
		rb_erase(&desc->by_program, &programs);
	first_free = min_t(int, first_free, desc->id);
	nr_descs--;
	generation++;
	desc_free(desc);
}

void kt_desc_destroy(struct kt_desc *desc)
{
	struct kt_desc *one;

	while ((one = kt_cases_take_one(desc)))
		kt_desc_destroy(one);
	let_go(desc);
	mutex_lock(&desc_lock);
	desc_forget(desc);
	mutex_unlock(&desc_lock);
}

/*
 * Every packet up to the newest one may contain the id.  Under desc_lock, as kt_desc_hold() is: a move of records that
 * comes later then finds the descriptor in the list of retired ones.
 */
static void bears_until_now(struct kt_desc *desc)
{
	unsigned int cpu;

	lockdep_assert_held(&desc_lock);
	for_each_possible_cpu(cpu)
		desc->last_packet[cpu] = kt_buffer_newest(desc->rings, cpu);
}

void kt_desc_retire(struct kt_desc *desc)
{
	struct kt_desc *one;

	while ((one = kt_cases_take_one(desc)))
		kt_desc_retire(one);
	let_go(desc);
	mutex_lock(&desc_lock);
	bears_until_now(desc);
	list_add_tail(&desc->retired, &retired);
	mutex_unlock(&desc_lock);
}

void kt_desc_of_insn(const struct kt_insn *in, u64 time, void (*do_it)(const struct kt_desc *desc, void *arg), void *arg)
{
	struct kt_desc *desc;

	mutex_lock(&desc_lock);
	desc = programs_find(in);
	if (desc && desc->born <= time && list_empty(&desc->retired))
		do_it(desc, arg);
	mutex_unlock(&desc_lock);
}

void kt_desc_hold(void)
{
	mutex_lock(&desc_lock);
}

void kt_desc_release(const struct kt_rings *rings)
{
	struct kt_desc *desc;

	list_for_each_entry(desc, &retired, retired)
		if (desc->rings == rings)
			bears_until_now(desc);
	mutex_unlock(&desc_lock);
}

bool kt_desc_units(u32 id, u32 *units)
{
	const struct kt_desc *desc;

	rcu_read_lock();
	desc = idr_find(&descs, id);
	if (desc)
		*units = desc->units;
	rcu_read_unlock();
	return desc;
}

/* The oldest packets that a reader of some rings may parse, read once for the descriptors of these rings in a row. */
struct oldest {
	const struct kt_rings *rings;	/* NULL: of none yet */
	u64 packet[];			/* [nr_cpu_ids] */
};

static void oldest_of(struct oldest *oldest, struct kt_rings *rings)
{
	unsigned int cpu;

	if (oldest->rings == rings)
		return;
	oldest->rings = rings;
	for_each_possible_cpu(cpu)
		oldest->packet[cpu] = kt_buffer_oldest_wanted(rings, cpu);
}

static bool desc_wanted(const struct kt_desc *desc, struct oldest *oldest)
{
	unsigned int cpu;

	if (READ_ONCE(desc->rings->closed))
		return false;
	oldest_of(oldest, desc->rings);
	for_each_possible_cpu(cpu)
		if (desc->last_packet[cpu] >= oldest->packet[cpu])
			return true;
	return false;
}

void kt_desc_collect(void)
{
	struct kt_desc *desc, *next;
	struct oldest *oldest;

	if (list_empty(&retired))
		return;
	oldest = kzalloc(struct_size(oldest, packet, nr_cpu_ids), GFP_KERNEL);
	if (!oldest)
		return;
	mutex_lock(&desc_lock);
	list_for_each_entry_safe(desc, next, &retired, retired) {
		if (desc_wanted(desc, oldest))
			continue;
		list_del(&desc->retired);
		/* The last descriptor of some rings frees them: other rings may have their address later. */
		if (desc->rings != &kt_prompt_rings)
			oldest->rings = NULL;
		desc_forget(desc);
	}
	mutex_unlock(&desc_lock);
	kfree(oldest);
}

/* A copy of the blob for KT_IOC_DESC, because user memory must not be touched under the lock. */
static void *blob_copy(struct kt_desc_get *arg)
{
	struct kt_desc *desc;
	void *blob;

	mutex_lock(&desc_lock);
	desc = idr_find(&descs, arg->id);
	if (!desc) {
		blob = ERR_PTR(-ENOENT);
		goto out;
	}
	arg->len = desc->blob_len;
	arg->addr = desc->addr;
	arg->born = desc->born;
	blob = arg->room < desc->blob_len ? ERR_PTR(-ENOSPC) :
					    kmemdup(desc->blob, desc->blob_len, GFP_KERNEL) ?: ERR_PTR(-ENOMEM);
out:
	mutex_unlock(&desc_lock);
	return blob;
}

int kt_desc_get(struct kt_desc_get *arg)
{
	void *blob = blob_copy(arg);
	int err = 0;

	if (IS_ERR(blob))
		return PTR_ERR(blob);
	if (copy_to_user(u64_to_user_ptr(arg->buf), blob, arg->len))
		err = -EFAULT;
	kfree(blob);
	return err;
}

u32 kt_desc_count(void)
{
	return READ_ONCE(nr_descs);
}

u32 kt_desc_generation(void)
{
	return READ_ONCE(generation);
}

void kt_desc_exit(void)
{
	struct kt_desc *desc, *next;

	list_for_each_entry_safe(desc, next, &retired, retired) {
		list_del(&desc->retired);
		desc_forget(desc);
	}
	idr_destroy(&descs);
}
