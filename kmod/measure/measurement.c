// SPDX-License-Identifier: GPL-2.0-only
/* measurement.c - create, run and free measurements.  See measurement.h. */
#include <linux/bitops.h>
#include <linux/idr.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/base/memory.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/measurement_int.h"

DEFINE_MUTEX(kt_measurement_lock);
static DEFINE_IDR(measurement_ids);
static LIST_HEAD(measurements);

/*
 * A bit lock that also protects the list, and protects paused, running and nr_braked.  A holder has interrupts off.  A
 * hit may have interrupted the holder (NMI), so hits only try the lock: kt_measurements_pause().
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

/* -------------------------------------------------------------- create and free */

static size_t samples_bytes(const struct kt_measurement *measurement)
{
	return sizeof(struct kt_samples) + KT_HIST_BUCKETS * sizeof(u64) +
	       (size_t)(1 + measurement->nr_groups) * measurement->group_bytes;
}

static void free_cpus(struct kt_measurement *measurement)
{
	unsigned int cpu;

	if (!measurement->cpu)
		return;
	for_each_possible_cpu(cpu)
		vfree(per_cpu_ptr(measurement->cpu, cpu)->samples);
	free_percpu(measurement->cpu);
}

static void clear_cpu(struct kt_measurement *measurement, struct kt_measurement_cpu *cpu)
{
	u32 i;

	for (i = 0; i < KT_SAMPLES_GROUPS + measurement->nr_groups; i++)
		kt_samples_clear(kt_measurement_samples(measurement, cpu, i));
}

static int alloc_cpus(struct kt_measurement *measurement)
{
	unsigned int cpu;

	measurement->cpu = alloc_percpu(struct kt_measurement_cpu);
	if (!measurement->cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct kt_measurement_cpu *mine = per_cpu_ptr(measurement->cpu, cpu);

		mine->samples = kt_memory_alloc(samples_bytes(measurement), 0);
		if (!mine->samples)
			return -ENOMEM;
		clear_cpu(measurement, mine);
	}
	return 0;
}

static void free_memory(struct kt_measurement *measurement)
{
	free_cpus(measurement);
	vfree(measurement->intervals.slots);
	if (!measurement->team)
		kvfree(measurement->threads);
	kvfree(measurement->groups);
	kfree(measurement);
}

static void team_free(struct kt_team *team)
{
	struct kt_measurement *member, *next;

	list_for_each_entry_safe(member, next, &team->freed, list)
		free_memory(member);
	kvfree(team->threads);
	free_percpu(team->inner);
	kfree(team);
}

static void measurement_free(struct kref *users)
{
	struct kt_measurement *measurement = container_of(users, struct kt_measurement, users);
	struct kt_team *team = measurement->team;
	unsigned long flags;
	bool is_last = false;

	flags = change_begin();
	list_del(&measurement->list);
	change_end(flags);
	idr_remove(&measurement_ids, measurement->id);
	if (team) {
		list_add(&measurement->list, &team->freed);
		is_last = !--team->nr;
	}
	mutex_unlock(&kt_measurement_lock);
	if (!team)
		free_memory(measurement);
	else if (is_last)
		team_free(team);
}

void kt_measurement_put(struct kt_measurement *measurement)
{
	if (measurement)
		kref_put_mutex(&measurement->users, measurement_free, &kt_measurement_lock);
}

static int alloc_tables(struct kt_measurement *measurement)
{
	measurement->intervals.slots = kt_memory_alloc(kt_intervals_bytes(&measurement->intervals), 0);
	if (!measurement->intervals.slots)
		return -ENOMEM;
	if (measurement->process) {
		measurement->threads = kvcalloc(KT_NR_THREADS, sizeof(*measurement->threads), GFP_KERNEL);
		if (!measurement->threads)
			return -ENOMEM;
	}
	if (!measurement->nr_groups)
		return 0;
	measurement->groups = kvcalloc(measurement->nr_groups, sizeof(*measurement->groups), GFP_KERNEL);
	return measurement->groups ? 0 : -ENOMEM;
}

/* The team of this client's measurements; a new one if there is none.  NULL: no memory. */
static struct kt_team *team_get(const struct kt_client *client)
{
	struct kt_measurement *measurement;
	struct kt_team *team;

	lockdep_assert_held(&kt_measurement_lock);
	list_for_each_entry(measurement, &measurements, list)
		if (measurement->client == client && measurement->team)
			return measurement->team;
	team = kzalloc(sizeof(*team), GFP_KERNEL);
	if (!team)
		return NULL;
	INIT_LIST_HEAD(&team->freed);
	team->inner = alloc_percpu(struct kt_interval *);
	if (team->inner)
		return team;
	kfree(team);
	return NULL;
}

/* The first member with threads gives them to the team. */
static void team_take_threads(struct kt_measurement *measurement)
{
	struct kt_team *team = measurement->team;

	if (team->threads)
		kvfree(measurement->threads);
	else
		team->threads = measurement->threads;
	measurement->threads = team->threads;
}

/* Give it an id and, if it has one, its place in the team. */
static int measurement_register(struct kt_measurement *measurement, bool together)
{
	int id = idr_alloc(&measurement_ids, measurement, 1, 0, GFP_KERNEL);

	if (id < 0 || !together)
		return id;
	measurement->team = team_get(measurement->client);
	if (!measurement->team) {
		idr_remove(&measurement_ids, id);
		return -ENOMEM;
	}
	measurement->team->nr++;
	if (measurement->process)
		team_take_threads(measurement);
	return id;
}

static int measurement_add(struct kt_measurement *measurement, bool together)
{
	unsigned long flags;
	int id;

	mutex_lock(&kt_measurement_lock);
	id = measurement_register(measurement, together);
	if (id > 0) {
		measurement->id = id;
		flags = change_begin();
		list_add(&measurement->list, &measurements);
		change_end(flags);
	}
	mutex_unlock(&kt_measurement_lock);
	return id > 0 ? 0 : id;
}

/* The parts of the groups: see KT_MEASURE_EXITS. */
static u32 parts_of(const struct kt_measure *arg)
{
	return arg->flags & KT_MEASURE_SPLIT ? 4 : 2;
}

static bool groups_valid(const struct kt_measure *arg)
{
	if (!(arg->flags & (KT_MEASURE_EXITS | KT_MEASURE_SPLIT)))
		return arg->groups <= KT_MAX_GROUPS;
	return arg->flags & KT_MEASURE_EXITS && arg->flags & KT_MEASURE_LINES && !(arg->flags & KT_MEASURE_ACROSS) &&
	       !arg->saved && arg->groups && arg->groups <= KT_MAX_LINE_GROUPS && !(arg->groups % parts_of(arg));
}

static bool request_valid(const struct kt_measure *arg)
{
	const u32 alone = KT_MEASURE_ACROSS | KT_MEASURE_LINES | KT_MEASURE_SHARED;

	if (arg->flags & KT_MEASURE_TOGETHER && arg->flags & alone)
		return false;
	if (arg->flags & KT_MEASURE_PROCESS && arg->flags & KT_MEASURE_ACROSS)
		return false;
	return arg->slots >= KT_MIN_SLOTS && arg->slots <= KT_MAX_SLOTS && arg->saved <= KT_MAX_SAVED &&
	       arg->top <= KT_MAX_TOP && !arg->reserved && groups_valid(arg);
}

/* Returns the bytes that an open interval saves. */
static u32 lines_plan(struct kt_measurement *measurement, const struct kt_measure *arg)
{
	if (!(arg->flags & KT_MEASURE_EXITS))
		return arg->saved;
	measurement->split = arg->flags & KT_MEASURE_SPLIT;
	measurement->nr_lines = arg->groups / parts_of(arg);
	return sizeof(struct kt_call_lines) +
	       (measurement->split ? measurement->nr_lines * sizeof(struct kt_call_line) : 0);
}

int kt_measurement_create(struct kt_measure *arg, const struct kt_client *client)
{
	struct kt_measurement *measurement;
	int err;

	arg->id = 0;
	if (arg->flags & ~(KT_MEASURE_ACROSS | KT_MEASURE_LINES | KT_MEASURE_SHARED | KT_MEASURE_EXITS |
			   KT_MEASURE_SPLIT | KT_MEASURE_TOGETHER | KT_MEASURE_PROCESS))
		return -EOPNOTSUPP;
	if (!request_valid(arg))
		return -EINVAL;
	measurement = kzalloc(sizeof(*measurement), GFP_KERNEL);
	if (!measurement)
		return -ENOMEM;
	kref_init(&measurement->users);
	measurement->client = client;
	measurement->across = arg->flags & KT_MEASURE_ACROSS;
	measurement->lines = arg->flags & KT_MEASURE_LINES;
	measurement->shared = arg->flags & KT_MEASURE_SHARED;
	measurement->process = arg->flags & KT_MEASURE_PROCESS;
	measurement->nr_groups = arg->groups;
	measurement->top = arg->top;
	measurement->group_bytes = sizeof(struct kt_samples) +
			     (measurement->lines ? 0 : KT_HIST_BUCKETS * sizeof(u64));
	measurement->saved = arg->saved;
	kt_intervals_plan(&measurement->intervals, arg->slots, lines_plan(measurement, arg));
	err = alloc_tables(measurement);
	if (!err)
		err = alloc_cpus(measurement);
	if (!err)
		err = measurement_add(measurement, arg->flags & KT_MEASURE_TOGETHER);
	if (err)
		goto free_measurement;
	arg->id = measurement->id;
	return 0;

free_measurement:
	free_memory(measurement);
	return err;
}

static struct kt_measurement *find(u32 id, const struct kt_client *client)
{
	struct kt_measurement *measurement = idr_find(&measurement_ids, id);

	lockdep_assert_held(&kt_measurement_lock);
	return measurement && client && measurement->client == client ? measurement : NULL;
}

static struct kt_measurement *find_shared(u32 id)
{
	struct kt_measurement *measurement = idr_find(&measurement_ids, id);

	lockdep_assert_held(&kt_measurement_lock);
	return measurement && measurement->shared ? measurement : NULL;
}

struct kt_measurement *kt_measurement_get(u32 id, const struct kt_client *client)
{
	struct kt_measurement *measurement;

	mutex_lock(&kt_measurement_lock);
	measurement = find(id, client);
	if (!measurement)
		measurement = find_shared(id);
	if (measurement)
		kref_get(&measurement->users);
	mutex_unlock(&kt_measurement_lock);
	return measurement;
}

static struct kt_measurement *owned_by(const struct kt_client *client)
{
	struct kt_measurement *measurement;

	lockdep_assert_held(&kt_measurement_lock);
	list_for_each_entry(measurement, &measurements, list)
		if (measurement->client == client)
			return measurement;
	return NULL;
}

/* Start a measurement, or pause it at once if the brake is on; or stop it.  Under kt_measurement_lock. */
static void set_running(struct kt_measurement *measurement, bool on)
{
	const unsigned long flags = change_begin();

	lockdep_assert_held(&kt_measurement_lock);
	measurement->paused = on && (nr_braked || measurement->held);
	measurement->windowed = on && measurement->held;
	/*
	 * A hit that sees it running sees all its fields: pairs with smp_load_acquire() in kt_fast_running() and
	 * kt_measurement_hit().
	 */
	smp_store_release(&measurement->running, on && !nr_braked && !measurement->held);
	change_end(flags);
}

/* Drop the client's reference to each measurement.  Descriptors drop theirs when no hit can use them any more. */
void kt_measurement_client_gone(const struct kt_client *client)
{
	struct kt_measurement *measurement;

	do {
		mutex_lock(&kt_measurement_lock);
		measurement = owned_by(client);
		if (measurement) {
			measurement->client = NULL;
			if (!measurement->shared)
				set_running(measurement, false);
		}
		mutex_unlock(&kt_measurement_lock);
		kt_measurement_put(measurement);
	} while (measurement);
}

bool kt_measurement_over(const struct kt_client *client)
{
	struct kt_measurement *measurement;
	bool over = false;

	mutex_lock(&kt_measurement_lock);
	list_for_each_entry(measurement, &measurements, list)
		over |= measurement->client == client && measurement->began && READ_ONCE(measurement->ended);
	mutex_unlock(&kt_measurement_lock);
	return over;
}

bool kt_measurement_others(const struct kt_client *client)
{
	struct kt_measurement *measurement;
	bool others = false;

	mutex_lock(&kt_measurement_lock);
	list_for_each_entry(measurement, &measurements, list)
		others |= (READ_ONCE(measurement->running) || measurement->paused) && !measurement->shared && measurement->client != client;
	mutex_unlock(&kt_measurement_lock);
	return others;
}

/* --------------------------------------------------------------------- run */

static void start(struct kt_measurement *measurement, const struct kt_measure_run *arg)
{
	u32 i;

	BUILD_BUG_ON(sizeof(measurement->cost[0]) < sizeof(arg->cost[0]));
	for (i = 0; i < KT_NR_METHODS; i++)
		memcpy(measurement->cost[i], arg->cost[i], sizeof(arg->cost[i]));
	memcpy(measurement->nested, arg->nested, sizeof(measurement->nested));
	measurement->quota = arg->quota;
	atomic64_set(&measurement->left, arg->quota);
	measurement->began = kt_clock_now();
	WRITE_ONCE(measurement->ended, 0);
	set_running(measurement, true);
}

/* Drop calls that were open when the brake came, or a window: they may have ended unseen.  No hit is in progress. */
static void drop_open(struct kt_measurement *measurement, bool windowed)
{
	*(windowed ? &measurement->spanned : &measurement->dropped) +=
		kt_intervals_drop(&measurement->intervals) + !!xchg(&measurement->latest, 0);
}

static void stop(struct kt_measurement *measurement)
{
	const bool paused = measurement->paused, windowed = measurement->windowed;

	set_running(measurement, false);
	cmpxchg(&measurement->ended, 0ULL, kt_clock_now());
	/* Hits have interrupts off, so after this no hit that saw it running is in progress. */
	synchronize_rcu();
	if (paused)
		drop_open(measurement, windowed);
}

/*
 * paused before running: a hit that finds it not running then finds the reason.  The barrier pairs with
 * smp_load_acquire() in kt_measurement_hit().
 */
static __always_inline void pause(struct kt_measurement *measurement)
{
	if (measurement->running)
		WRITE_ONCE(measurement->paused, true);
	smp_wmb();
	WRITE_ONCE(measurement->running, false);
}

bool kt_measurements_pause(void)
{
	struct kt_measurement *measurement;

	if (test_and_set_bit_lock(0, &changing))
		return false;
	nr_braked++;
	list_for_each_entry(measurement, &measurements, list)
		pause(measurement);
	clear_bit_unlock(0, &changing);
	/*
	 * All are paused before the caller turns its first hit away.  So a call that another CPU still closes has had
	 * its own begin.
	 */
	smp_mb();
	return true;
}
NOKPROBE_SYMBOL(kt_measurements_pause);

void kt_measurements_unpause(void)
{
	const unsigned long flags = change_begin();

	nr_braked--;
	change_end(flags);
}

void kt_measurement_hold(struct kt_measurement *measurement)
{
	const unsigned long flags = change_begin();

	measurement->held = true;
	WRITE_ONCE(measurement->windowed, measurement->running || measurement->paused);
	pause(measurement);
	change_end(flags);
}

void kt_measurement_changes(struct kt_measurement *measurement)
{
	if (!READ_ONCE(measurement->ended))
		WRITE_ONCE(measurement->changes, measurement->changes + 1);
}

void kt_measurements_release(void)
{
	const unsigned long flags = change_begin();
	struct kt_measurement *measurement;

	list_for_each_entry(measurement, &measurements, list)
		measurement->held = false;
	change_end(flags);
}

/* A measurement whose quota was met just when it was paused has ended: it does not run again. */
static void resume(struct kt_measurement *measurement)
{
	synchronize_rcu();
	drop_open(measurement, measurement->windowed);
	set_running(measurement, !READ_ONCE(measurement->ended));
}

void kt_measurements_resume(void)
{
	struct kt_measurement *measurement;

	mutex_lock(&kt_measurement_lock);
	list_for_each_entry(measurement, &measurements, list)
		if (measurement->paused && !READ_ONCE(nr_braked) && !measurement->held)
			resume(measurement);
	mutex_unlock(&kt_measurement_lock);
}

int kt_measurement_run(struct kt_measure_run *arg, const struct kt_client *client)
{
	struct kt_measurement *measurement;

	if (arg->on > 1 || arg->reserved || arg->quota > S64_MAX)
		return -EINVAL;
	mutex_lock(&kt_measurement_lock);
	measurement = find(arg->id, client);
	if (measurement && arg->on)
		start(measurement, arg);
	else if (measurement)
		stop(measurement);
	mutex_unlock(&kt_measurement_lock);
	return measurement ? 0 : -ENOENT;
}
