// SPDX-License-Identifier: GPL-2.0-or-later
/* compare.c - compare two executions of a trial. See compare.h. */
#include <signal.h>
#include <string.h>

#include <linux/kernel.h>

#include "compare.h"
#include "operand.h"
#include "vector.h"

static const u8 *memory(const struct result *result)
{
	return result->changed ? result->memory : window_image();
}

static int compare_memory(const struct result *a, const struct result *b)
{
	const u8 *in_a = memory(a), *in_b = memory(b);
	int i = 0;

	if (in_a == in_b || !memcmp(in_a, in_b, WINDOW_BYTES))
		return -1;
	while (in_a[i] == in_b[i])
		i++;
	return i;
}

static bool same_ending(const struct outcome *a, const struct outcome *b)
{
	return a->signal == b->signal && a->code == b->code && a->address == b->address &&
	       a->trap == b->trap && a->error == b->error && a->lost == b->lost;
}

static bool same_segments(const struct state *a, const struct state *b)
{
	return a->fs_base == b->fs_base && a->gs_base == b->gs_base &&
	       !memcmp(a->selector, b->selector, sizeof(a->selector));
}

static u32 compare_gprs(const struct state *a, const struct state *b)
{
	u32 different = 0;
	unsigned int i;

	for (i = 0; i < NR_GPR; i++)
		different |= (u32)(a->gpr[i] != b->gpr[i]) << i;
	return different;
}

bool compare_frame(const struct trial *trial, const struct outcome *outcome)
{
	unsigned int i;

	if (!trial->method->stack)
		return !outcome->hits;
	for (i = 0; i < NR_GPR; i++)
		if (outcome->frame[frame_gpr[i]] != trial->state.gpr[i] &&
		    (trial->method->all_regs || frame_gpr[i] >= FRAME_SCRATCH))
			return false;
	return outcome->hits == 1 && outcome->frame[FRAME_FLAGS] == trial->state.flags &&
	       !(outcome->hit_flags & FLAG_DF);
}

void compare(const struct result *in_place, const struct result *displaced, struct differences *out)
{
	const struct state *a = &in_place->outcome.state, *b = &displaced->outcome.state;

	out->ending = !same_ending(&in_place->outcome, &displaced->outcome);
	out->rip = a->rip != b->rip;
	out->flags = a->flags != b->flags;
	out->segments = !same_segments(a, b);
	out->gprs = compare_gprs(a, b);
	out->vectors = vector_compare(in_place->vectors, displaced->vectors);
	out->memory = compare_memory(in_place, displaced);
	out->any = out->ending || out->rip || out->flags || out->segments || out->gprs ||
		   out->vectors >= 0 || out->memory >= 0;
}

/* The call at the end raised the exception itself. */
static bool call_raised(const struct trial *trial, const struct result *in_place, const struct differences *differences)
{
	return trial->class == CLASS_CALL_INDIRECT && in_place->outcome.signal && !differences->rip &&
	       !differences->flags && !differences->segments && differences->vectors < 0;
}

/* The memory is that of in_place, plus `value` at rsp. */
static bool pushed_only(const struct result *in_place, const struct result *displaced, u64 rsp, u64 value)
{
	u8 expected[WINDOW_BYTES];
	u32 offset;

	if (!window_offset(rsp, sizeof(value), &offset))
		return false;
	memcpy(expected, memory(in_place), WINDOW_BYTES);
	memcpy(expected + offset, &value, sizeof(value));
	return !memcmp(memory(displaced), expected, WINDOW_BYTES);
}

/*
 * Only the return address differs: it was already pushed when the operand or the target raised the exception.
 * (For a target that is not canonical the CPU itself pushes it, and then restores the stack pointer.)
 */
static bool is_early_push(const struct trial *trial, const struct result *in_place,
			  const struct result *displaced, const struct differences *differences)
{
	u64 rsp = in_place->outcome.state.gpr[RSP] - 8;

	return call_raised(trial, in_place, differences) && !differences->ending &&
	       differences->gprs == 1u << RSP && displaced->outcome.state.gpr[RSP] == rsp &&
	       pushed_only(in_place, displaced, rsp, trial_behind(trial));
}

/* Nothing can be pushed there, and the operand or target does not exist either. */
static bool is_stack_first(const struct trial *trial, const struct result *in_place,
			   const struct result *displaced, const struct differences *differences)
{
	const struct state *state = &in_place->outcome.state;
	bool misaligned = (state->flags & FLAG_AC) && state->gpr[RSP] % 8;
	u32 offset;

	return call_raised(trial, in_place, differences) && !differences->gprs && differences->memory < 0 &&
	       (misaligned || !window_offset(state->gpr[RSP] - 8, 8, &offset));
}

/* The operand overlaps the pushed word. In a kernel, memory below the stack pointer has no use. */
static bool is_pushed_operand(const struct trial *trial, const struct result *in_place,
			      const struct result *displaced, const struct differences *differences)
{
	const struct state *state = &displaced->outcome.state;
	unsigned int last = trial->subject.count - 1;
	u32 operand, pushed;

	/* Several addresses map to the same memory. */
	return trial->class == CLASS_CALL_INDIRECT && insn_has_memory(trial_last(trial)) &&
	       window_offset(operand_linear_in(trial, last, state), 8, &operand) &&
	       window_offset(state->gpr[RSP], 8, &pushed) && operand + 7 - pushed < 15;
}

/* In place there is no trampoline, so the return address below the stack pointer leads nowhere. */
static bool is_stale_return(const struct trial *trial, const struct result *in_place,
			    const struct result *displaced, const struct differences *differences)
{
	return trial->method->stack && in_place->outcome.signal == SIGTRAP &&
	       in_place->outcome.state.rip - 1 - trial->slot < trial->method->room;
}

static const struct {
	bool (*is)(const struct trial *trial, const struct result *in_place, const struct result *displaced,
		   const struct differences *differences);
	const char *reason;
} tolerated[] = {
	{ is_early_push, "an indirect call whose operand or target raises an exception has pushed its return address" },
	{ is_stack_first, "an indirect call with neither operand nor stack raises the exception of the stack" },
	{ is_pushed_operand, "the operand of an indirect call is the word that the call pushes" },
	{ is_stale_return, "went to what the trampoline left below the stack pointer" },
};
_Static_assert(ARRAY_SIZE(tolerated) < MAX_TOLERATED, "one counter for each row");

int compare_tolerated(const struct trial *trial, const struct result *in_place,
		      const struct result *displaced, const struct differences *differences)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tolerated); i++)
		if (tolerated[i].is(trial, in_place, displaced, differences))
			return i;
	return -1;
}

const char *compare_tolerated_reason(int row)
{
	return (size_t)row < ARRAY_SIZE(tolerated) ? tolerated[row].reason : NULL;
}
