// SPDX-License-Identifier: GPL-2.0-or-later
/* call.c - system calls: their times, results and callers. */
#include "ctl/trace/analysis/analysis_int.h"

#include <stdlib.h>

#include "ctl/base/memory.h"
#include "ctl/trace/analysis/file_calls.h"

#define MAX_ERRNO	4095
/* The kernel's own errors, ERESTARTSYS and so on: it starts the call again, or returns EINTR. */
#define FIRST_RESTART	512
#define LAST_RESTART	516

void call_forget(struct task *task)
{
	task->call = 0;
	task->call_file = 0;
}

void calls_free(struct analysis *a)
{
	for (size_t i = 0; i < a->nr_calls; i++) {
		free(a->calls[i].time.buckets);
		free(a->calls[i].by_errno);
	}
	free(a->calls);
	free(a->uses);
	free(a->files);
	free(a->channels);
	keymap_free(&a->by_channel);
	keymap_free(&a->by_call);
	keymap_free(&a->by_use);
	keymap_free(&a->by_file);
}

static uint32_t call_of(struct analysis *a, uint32_t name)
{
	const uint32_t at = keymap_find(&a->by_call, name);

	if (at)
		return at - 1;
	a->calls = MEM_MORE(a->calls, a->nr_calls);
	a->calls[a->nr_calls++] = (struct call){
		.name = name, .kind = file_call_kind(names_text(&a->names, name)),
	};
	keymap_set(&a->by_call, name, a->nr_calls);
	return a->nr_calls - 1;
}

static struct call_use *use_of(struct analysis *a, uint32_t task, uint32_t call)
{
	const uint64_t key = (uint64_t)task << 32 | call;
	const uint32_t at = keymap_find(&a->by_use, key);

	if (at)
		return &a->uses[at - 1];
	a->uses = MEM_MORE(a->uses, a->nr_uses);
	a->uses[a->nr_uses++] = (struct call_use){ .task = task, .call = call };
	keymap_set(&a->by_use, key, a->nr_uses);
	return &a->uses[a->nr_uses - 1];
}

static void count_half(struct analysis *a, struct call *call)
{
	call->half += in_window(a);
}

static void keep_arguments(struct task *task, const struct analysis_event *e)
{
	task->call_known = e->known;
	for (int i = 0; i < EVENT_SLOTS; i++)
		task->call_args[i] = e->value[i].number;
}

void on_call_entry(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	const uint32_t call = call_of(a, e->type.part);
	struct task *task = cpu->holds == HOLDS_TASK ? cpu->task : NULL;

	if (!task) {
		count_half(a, &a->calls[call]);
		return;
	}
	cpu_account(a, cpu, a->now);
	if (task->call)
		count_half(a, &a->calls[task->call - 1]);
	task->privilege = PRIVILEGE_USER;
	task->mode = MODE_CALL;
	task->call = call + 1;
	task->call_began = a->now;
	task->call_file = file_of_call(a, task, a->calls[call].kind, e);
	keep_arguments(task, e);
}

bool call_failed(const struct analysis_event *e)
{
	return event_has(e, CALL_RET) && e->value[CALL_RET].number < 0 && e->value[CALL_RET].number >= -MAX_ERRNO;
}

static uint32_t errno_slot(int64_t number)
{
	if (number >= FIRST_RESTART && number <= LAST_RESTART)
		return ERRNO_RESTART;
	return number < ERRNO_RESTART ? number : 0;
}

static void count_error(struct call *call, int64_t ret)
{
	if (!call->by_errno)
		call->by_errno = mem_zalloc(ERRNOS, sizeof(*call->by_errno));
	call->errors++;
	call->by_errno[errno_slot(-ret)]++;
}

static void count(struct analysis *a, struct task *task, struct call *call, const struct analysis_event *e)
{
	const uint64_t took = a->now - task->call_began;
	struct call_use *use;

	if (!in_window(a))
		return;
	task->calls++;
	use = use_of(a, task->number, call - a->calls);
	samples_add(&call->time, took);
	spans_add(&use->time, took);
	if (call_failed(e)) {
		count_error(call, e->value[CALL_RET].number);
		use->errors++;
	}
	file_count(a, task, call->kind, took, e);
}

/* The task executes its own code again, unless calls that were not recorded may follow. */
void on_call_exit(struct analysis *a, struct cpu *cpu, const struct analysis_event *e)
{
	const uint32_t number = call_of(a, e->type.part);
	struct call *call = &a->calls[number];
	struct task *task = cpu->holds == HOLDS_TASK ? cpu->task : NULL;

	if (!task) {
		count_half(a, call);
		return;
	}
	cpu_account(a, cpu, a->now);
	task->privilege = PRIVILEGE_USER;
	task->mode = analysis_calls(a) == CALLS_ALL ? MODE_USER : MODE_UNKNOWN;
	if (task->call == number + 1) {
		count(a, task, call, e);
		file_follow(a, task, call->kind, e);
	} else {
		count_half(a, call);
	}
	call_forget(task);
}
