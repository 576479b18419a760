// SPDX-License-Identifier: GPL-2.0-or-later
/* execute.c - execute a trial. See execute.h. */
#include <signal.h>
#include <string.h>

#include "cpu.h"
#include "execute.h"
#include "machine.h"
#include "vector.h"

#define INT3		0xcc
#define TRAP_INT3	3
#define TRAP_PAGE_FAULT	14
#define PAGE_FAULT_FETCH	0x10	/* of its error code: the address is that of an instruction */
#define MAX_ROUNDS	64

/* Put a pad at the target, if there is room for it. Otherwise there is an int3. */
static void pad_target(const struct trial *trial)
{
	u64 behind = trial_behind(trial);

	if (machine_is_text(trial->target, PAD_BYTES) &&
	    (trial->target + PAD_BYTES <= trial->at || trial->target >= behind + PAD_BYTES))
		machine_pad(trial->target, PAD_TARGET);
}

void execute_stand(const struct trial *trial)
{
	pad_target(trial);
	machine_write(trial->at, trial->subject.bytes, trial->subject.len);
	machine_pad(trial_behind(trial), PAD_BEHIND);
}

void execute_clear(const struct trial *trial, const struct displaced *displaced)
{
	if (machine_is_text(trial->target, PAD_BYTES))
		machine_erase(trial->target, PAD_BYTES);
	machine_erase(trial->at, trial->subject.len + PAD_BYTES);
	machine_erase(trial->slot, displaced->len);
}

static void finish(struct result *result)
{
	result->changed = window_changes(result->memory);
	if (result->changed)
		window_restore();
}

void execute_in_place(const struct trial *trial, struct result *result)
{
	struct state state = trial->state;

	state.rip = trial->at;
	cpu_run(&state, trial->vectors, &result->outcome, result->vectors);
	finish(result);
}

void execute_leftovers(const struct trial *trial, const struct displaced *displaced)
{
	static u8 vectors[VECTOR_BYTES];
	struct state state = trial->state;
	u32 offset, n = trial->method->stack;
	struct outcome outcome;

	if (!n || !window_offset(state.gpr[RSP] - n, n, &offset))
		return;
	state.rip = trial->slot;
	machine_write(trial->slot, displaced->code, displaced->len);
	machine_pad(trial->slot + displaced->begin, PAD_BEGIN);
	cpu_run(&state, trial->vectors, &outcome, vectors);
	window_adopt(offset, n);
	window_restore();
	machine_erase(trial->slot, displaced->len);
}

static void map_back(const struct trial *trial, const struct displaced *displaced, u64 *address)
{
	if (*address - trial->slot < displaced->len)
		*address = trial->at + displaced->from[*address - trial->slot];
}

static void map_rip(const struct trial *trial, const struct displaced *displaced, struct outcome *outcome)
{
	/* Ended behind an int3; this may be the last byte before the slot. */
	if (outcome->trap != TRAP_INT3 || outcome->state.rip != trial->slot)
		map_back(trial, displaced, &outcome->state.rip);
}

/*
 * The address of an exception is that of an instruction, unless memory was not there for data: such an address stays, also where
 * it happens to be one of the slot.
 */
static void map_address(const struct trial *trial, const struct displaced *displaced, struct outcome *outcome)
{
	if (outcome->trap != TRAP_PAGE_FAULT || outcome->error & PAGE_FAULT_FETCH)
		map_back(trial, displaced, &outcome->address);
}

/* As in the kernel: a breakpoint replaces the instruction, and leads to the slot. */
static bool met_breakpoint(const struct trial *trial, const struct outcome *outcome)
{
	return outcome->signal == SIGTRAP && outcome->state.rip == trial->at + 1 && trial->target == trial->at;
}

void execute_displaced(const struct trial *trial, const struct displaced *displaced, struct result *result)
{
	static u8 again[VECTOR_BYTES] __attribute__((aligned(64)));
	static const u8 int3 = INT3;
	struct state state = trial->state;
	const u8 *vectors = trial->vectors;
	unsigned int i;
	u64 fip;

	machine_write(trial->slot, displaced->code, displaced->len);
	if (trial->target == trial->at)
		machine_write(trial->at, &int3, 1);
	for (i = 0; i < MAX_ROUNDS; i++) {
		state.rip = trial->slot;
		cpu_run(&state, vectors, &result->outcome, result->vectors);
		if (!met_breakpoint(trial, &result->outcome))
			break;
		state = result->outcome.state;
		vectors = vector_reload(again, result->vectors);
	}
	if (trial->target == trial->at)
		machine_write(trial->at, trial->subject.bytes, 1);
	map_rip(trial, displaced, &result->outcome);
	map_address(trial, displaced, &result->outcome);
	fip = vector_fip(result->vectors);
	map_back(trial, displaced, &fip);
	vector_set_fip(result->vectors, fip);
	finish(result);
}
