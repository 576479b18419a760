// SPDX-License-Identifier: GPL-2.0-only
/* meter.c - measurements: make, run, read, free.  See meter.h. */
#include <linux/bitops.h>
#include <linux/idr.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/measure/meter.h"

/* Everything below, and began, reaped, client of each; the hit that meets the quota writes running and ended without it. */
static DEFINE_MUTEX(meter_lock);
static DEFINE_IDR(meter_ids);
static LIST_HEAD(meters);

/*
 * A bit that is the lock of the list, again, and of paused, running and nr_braked: those who wait for it have
 * interrupts off, and hits, which may have interrupted its holder, only try.
 */
static unsigned long changing;
static u32 nr_braked;			/* CPUs that turn hits away */

static unsigned long change_begin(void)
{
	unsigned long flags;

	local_irq_save(flags);
	while (test_and_set_bit_lock(0, &changing))
		cpu_relax();
	return flags;
}

static void change_end(unsigned long flags)
{
	clear_bit_unlock(0, &changing);
	local_irq_restore(flags);
}

/* --------------------------------------------------------------- first and last */

static size_t samples_bytes(const struct kt_meter *meter)
{
	return sizeof(struct kt_samples) + KT_HIST_BUCKETS * sizeof(u64) +
	       (size_t)(1 + meter->nr_groups) * meter->group_bytes;
}

static void free_cpus(struct kt_meter *meter)
{
	unsigned int cpu;

	if (!meter->cpu)
		return;
	for_each_possible_cpu(cpu)
		vfree(per_cpu_ptr(meter->cpu, cpu)->samples);
	free_percpu(meter->cpu);
}

static void clear_cpu(struct kt_meter *meter, struct kt_meter_cpu *cpu)
{
	u32 i;

	for (i = 0; i < KT_SAMPLES_GROUPS + meter->nr_groups; i++)
		kt_samples_clear(kt_meter_samples(meter, cpu, i));
}

static int alloc_cpus(struct kt_meter *meter)
{
	unsigned int cpu;

	meter->cpu = alloc_percpu(struct kt_meter_cpu);
	if (!meter->cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct kt_meter_cpu *mine = per_cpu_ptr(meter->cpu, cpu);

		mine->samples = __vmalloc(samples_bytes(meter), GFP_KERNEL | __GFP_ZERO |
					  __GFP_NORETRY | __GFP_NOWARN);
		if (!mine->samples)
			return -ENOMEM;
		clear_cpu(meter, mine);
	}
	return 0;
}

static void meter_free(struct kref *users)
{
	struct kt_meter *meter = container_of(users, struct kt_meter, users);
	unsigned long flags;

	flags = change_begin();
	list_del(&meter->list);
	change_end(flags);
	idr_remove(&meter_ids, meter->id);
	mutex_unlock(&meter_lock);
	free_cpus(meter);
	vfree(meter->intervals.slots);
	kvfree(meter->groups);
	kfree(meter);
}

void kt_meter_put(struct kt_meter *meter)
{
	if (meter)
		kref_put_mutex(&meter->users, meter_free, &meter_lock);
}

static int alloc_tables(struct kt_meter *meter)
{
	meter->intervals.slots = __vmalloc(kt_intervals_bytes(&meter->intervals), GFP_KERNEL | __GFP_ZERO |
					   __GFP_NORETRY | __GFP_NOWARN);
	if (!meter->intervals.slots)
		return -ENOMEM;
	if (!meter->nr_groups)
		return 0;
	meter->groups = kvcalloc(meter->nr_groups, sizeof(*meter->groups), GFP_KERNEL);
	return meter->groups ? 0 : -ENOMEM;
}

static int meter_add(struct kt_meter *meter)
{
	unsigned long flags;
	int id;

	mutex_lock(&meter_lock);
	id = idr_alloc(&meter_ids, meter, 1, 0, GFP_KERNEL);
	if (id > 0) {
		meter->id = id;
		flags = change_begin();
		list_add(&meter->list, &meters);
		change_end(flags);
	}
	mutex_unlock(&meter_lock);
	return id > 0 ? 0 : id;
}

static bool request_valid(const struct kt_measure *arg)
{
	return arg->slots >= KT_MIN_SLOTS && arg->slots <= KT_MAX_SLOTS && arg->saved <= KT_MAX_SAVED &&
	       arg->groups <= KT_MAX_GROUPS && arg->top <= KT_MAX_TOP && !arg->reserved;
}

int kt_meter_create(struct kt_measure *arg, const struct kt_client *client)
{
	struct kt_meter *meter;
	int err;

	arg->id = 0;
	if (arg->flags & ~(KT_MEASURE_ACROSS | KT_MEASURE_LINES | KT_MEASURE_SHARED))
		return -EOPNOTSUPP;
	if (!request_valid(arg))
		return -EINVAL;
	meter = kzalloc(sizeof(*meter), GFP_KERNEL);
	if (!meter)
		return -ENOMEM;
	kref_init(&meter->users);
	meter->client = client;
	meter->across = arg->flags & KT_MEASURE_ACROSS;
	meter->lines = arg->flags & KT_MEASURE_LINES;
	meter->shared = arg->flags & KT_MEASURE_SHARED;
	meter->nr_groups = arg->groups;
	meter->top = arg->top;
	meter->group_bytes = sizeof(struct kt_samples) +
			     (meter->lines ? 0 : KT_HIST_BUCKETS * sizeof(u64));
	kt_intervals_plan(&meter->intervals, arg->slots, arg->saved);
	err = alloc_tables(meter);
	if (!err)
		err = alloc_cpus(meter);
	if (!err)
		err = meter_add(meter);
	if (err)
		goto free_meter;
	arg->id = meter->id;
	return 0;

free_meter:
	free_cpus(meter);
	vfree(meter->intervals.slots);
	kvfree(meter->groups);
	kfree(meter);
	return err;
}

static struct kt_meter *find(u32 id, const struct kt_client *client)
{
	struct kt_meter *meter = idr_find(&meter_ids, id);

	lockdep_assert_held(&meter_lock);
	return meter && client && meter->client == client ? meter : NULL;
}

static struct kt_meter *find_shared(u32 id)
{
	struct kt_meter *meter = idr_find(&meter_ids, id);

	lockdep_assert_held(&meter_lock);
	return meter && meter->shared ? meter : NULL;
}

struct kt_meter *kt_meter_get(u32 id, const struct kt_client *client)
{
	struct kt_meter *meter;

	mutex_lock(&meter_lock);
	meter = find(id, client);
	if (!meter)
		meter = find_shared(id);
	if (meter)
		kref_get(&meter->users);
	mutex_unlock(&meter_lock);
	return meter;
}

static struct kt_meter *owned_by(const struct kt_client *client)
{
	struct kt_meter *meter;

	lockdep_assert_held(&meter_lock);
	list_for_each_entry(meter, &meters, list)
		if (meter->client == client)
			return meter;
	return NULL;
}

/* Under meter_lock: it counts, or does as soon as the brake is let go; or no longer. */
static void set_running(struct kt_meter *meter, bool on)
{
	const unsigned long flags = change_begin();

	lockdep_assert_held(&meter_lock);
	meter->paused = on && nr_braked;
	/* The hits see all of it: pairs with their load-acquire. */
	smp_store_release(&meter->running, on && !nr_braked);
	change_end(flags);
}

/* One reference of each; the descriptors let go of it when no hit can look at them any more. */
void kt_meter_client_gone(const struct kt_client *client)
{
	struct kt_meter *meter;

	do {
		mutex_lock(&meter_lock);
		meter = owned_by(client);
		if (meter) {
			meter->client = NULL;
			if (!meter->shared)
				set_running(meter, false);
		}
		mutex_unlock(&meter_lock);
		kt_meter_put(meter);
	} while (meter);
}

bool kt_meter_over(const struct kt_client *client)
{
	struct kt_meter *meter;
	bool over = false;

	mutex_lock(&meter_lock);
	list_for_each_entry(meter, &meters, list)
		over |= meter->client == client && meter->began && READ_ONCE(meter->ended);
	mutex_unlock(&meter_lock);
	return over;
}

bool kt_meter_others(const struct kt_client *client)
{
	struct kt_meter *meter;
	bool others = false;

	mutex_lock(&meter_lock);
	list_for_each_entry(meter, &meters, list)
		others |= (READ_ONCE(meter->running) || meter->paused) && !meter->shared && meter->client != client;
	mutex_unlock(&meter_lock);
	return others;
}

/* --------------------------------------------------------------------- run */

static void start(struct kt_meter *meter, const struct kt_measure_run *arg)
{
	memcpy(meter->cost, arg->cost, sizeof(meter->cost));
	memcpy(meter->nested, arg->nested, sizeof(meter->nested));
	meter->quota = arg->quota;
	atomic64_set(&meter->left, arg->quota);
	meter->began = kt_clock_now();
	WRITE_ONCE(meter->ended, 0);
	set_running(meter, true);
}

/* Calls that were open when the brake came: nobody knows whether they ended meanwhile.  No hit is under way. */
static void drop_open(struct kt_meter *meter)
{
	meter->dropped += kt_intervals_drop(&meter->intervals) + !!xchg(&meter->latest, 0);
}

static void stop(struct kt_meter *meter)
{
	const bool paused = meter->paused;

	set_running(meter, false);
	cmpxchg(&meter->ended, 0ULL, kt_clock_now());
	/* Hits have interrupts off: none is under way any more. */
	synchronize_rcu();
	if (paused)
		drop_open(meter);
}

bool kt_meters_pause(void)
{
	struct kt_meter *meter;

	if (test_and_set_bit_lock(0, &changing))
		return false;
	nr_braked++;
	list_for_each_entry(meter, &meters, list) {
		/* Whoever finds that it does not run finds out why. */
		if (meter->running)
			WRITE_ONCE(meter->paused, true);
		smp_wmb();
		WRITE_ONCE(meter->running, false);
	}
	clear_bit_unlock(0, &changing);
	/* Before the first hit is turned away: a call that closes elsewhere has had its own beginning. */
	smp_mb();
	return true;
}
NOKPROBE_SYMBOL(kt_meters_pause);

void kt_meters_unpause(void)
{
	const unsigned long flags = change_begin();

	nr_braked--;
	change_end(flags);
}

/* The hit that met the quota may have done so at the moment at which it was paused. */
static void resume(struct kt_meter *meter)
{
	synchronize_rcu();
	drop_open(meter);
	set_running(meter, !READ_ONCE(meter->ended));
}

void kt_meters_resume(void)
{
	struct kt_meter *meter;

	mutex_lock(&meter_lock);
	list_for_each_entry(meter, &meters, list)
		if (meter->paused && !READ_ONCE(nr_braked))
			resume(meter);
	mutex_unlock(&meter_lock);
}

int kt_meter_run(struct kt_measure_run *arg, const struct kt_client *client)
{
	struct kt_meter *meter;

	if (arg->on > 1 || arg->reserved || arg->quota > S64_MAX)
		return -EINVAL;
	mutex_lock(&meter_lock);
	meter = find(arg->id, client);
	if (meter && arg->on)
		start(meter, arg);
	else if (meter)
		stop(meter);
	mutex_unlock(&meter_lock);
	return meter ? 0 : -ENOENT;
}

/* -------------------------------------------------------------------- read */

/* Ids are used again: an earlier task of that id began at another time. */
static bool gone(u32 number, u64 thread)
{
	const struct task_struct *task;
	bool gone;

	rcu_read_lock();
	task = pid_task(find_pid_ns(number, &init_pid_ns), PIDTYPE_PID);
	gone = !task || task->start_time != thread;
	rcu_read_unlock();
	return gone;
}

static void tally_counts(struct kt_meter *meter, struct kt_tally *arg)
{
	unsigned int cpu;

	if (kt_intervals_mark(&meter->intervals, gone)) {
		/* Hits have interrupts off: none that may be closing a marked call is under way any more. */
		synchronize_rcu();
		meter->reaped += kt_intervals_reap(&meter->intervals, gone);
	}
	arg->open = kt_intervals_open(&meter->intervals) + !!READ_ONCE(meter->latest);
	arg->superseded = meter->reaped;
	arg->entered = arg->overflow = arg->unmatched = 0;
	arg->filtered = arg->surplus = arg->elsewhere = arg->turned_away = 0;
	arg->braked = meter->dropped;
	for_each_possible_cpu(cpu) {
		const struct kt_meter_cpu *from = per_cpu_ptr(meter->cpu, cpu);

		arg->entered += READ_ONCE(from->entered);
		arg->overflow += READ_ONCE(from->overflow);
		arg->superseded += READ_ONCE(from->superseded);
		arg->unmatched += READ_ONCE(from->unmatched);
		arg->filtered += READ_ONCE(from->filtered);
		arg->surplus += READ_ONCE(from->surplus);
		arg->elsewhere += READ_ONCE(from->elsewhere);
		arg->turned_away += READ_ONCE(from->braked);
	}
}

static void tally_group(const struct kt_meter *meter, struct kt_tally *arg, u32 i, u64 *buckets)
{
	unsigned int cpu;

	kt_samples_clear(&arg->samples);
	for_each_possible_cpu(cpu) {
		struct kt_samples *from = kt_meter_samples(meter, per_cpu_ptr(meter->cpu, cpu), i);

		kt_samples_merge(&arg->samples, from);
		if (buckets)
			kt_buckets_merge(buckets, kt_samples_buckets(from));
	}
}

/* Its number among the samples of a CPU, -ENOENT. */
static int group_number(const struct kt_meter *meter, struct kt_tally *arg)
{
	if (arg->group == KT_TALLY_ALL)
		return KT_SAMPLES_ALL;
	if (arg->group == KT_TALLY_OTHERS)
		return KT_SAMPLES_OTHERS;
	if (arg->group >= meter->nr_groups)
		return -ENOENT;
	if (!meter->lines) {
		if (smp_load_acquire(&meter->groups[arg->group].state) != KT_GROUP_READY)
			return -ENOENT;
		memcpy(arg->key, meter->groups[arg->group].key, sizeof(arg->key));
	}
	return KT_SAMPLES_GROUPS + arg->group;
}

static int tally(struct kt_meter *meter, struct kt_tally *arg, u64 *buckets)
{
	int i;

	memset(arg->key, 0, sizeof(arg->key));
	arg->nr_groups = meter->nr_groups;
	i = group_number(meter, arg);
	if (i < 0)
		return i;
	if (buckets && !kt_meter_has_buckets(meter, i))
		return -EINVAL;
	tally_counts(meter, arg);
	tally_group(meter, arg, i, buckets);
	arg->began = meter->began;
	arg->ended = READ_ONCE(meter->ended);
	return 0;
}

int kt_meter_tally(struct kt_tally *arg, const struct kt_client *client)
{
	const size_t bytes = KT_HIST_BUCKETS * sizeof(u64);
	struct kt_meter *meter = kt_meter_get(arg->id, client);
	u64 *buckets = NULL;
	int err = -ENOENT;

	if (!meter)
		return err;
	if (arg->buckets) {
		buckets = kvzalloc(bytes, GFP_KERNEL);
		if (!buckets) {
			err = -ENOMEM;
			goto put;
		}
	}
	mutex_lock(&meter_lock);
	err = tally(meter, arg, buckets);
	mutex_unlock(&meter_lock);
	if (!err && buckets && copy_to_user(u64_to_user_ptr(arg->buckets), buckets, bytes))
		err = -EFAULT;
	kvfree(buckets);
put:
	kt_meter_put(meter);
	return err;
}
