// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* brake_rule.c - see brake_rule.h. */
#include "core/brake_rule.h"

u64 kt_brake_spent(const struct kt_brake_state *state, const struct kt_brake_cost *cost,
		   const struct kt_brake_load *load)
{
	const u64 counted = load->hits - load->braked;
	u64 spent;

	/* Once hits were turned away their average cost is known; it includes the cost of traps. */
	if (load->braked && state->each)
		return load->spent + (counted + load->braked) * state->each;
	spent = load->spent + load->hits * cost->hit + load->traps * cost->trap + load->faults * cost->fault;
	return spent > load->excused ? spent - load->excused : 0;
}

static bool is_over(u64 spent, u64 ticks, u32 percent)
{
	return spent > ticks / 100 * percent;
}

static void turn_away(struct kt_brake_state *state, const struct kt_brake_cost *cost, const struct kt_brake_load *load,
		      u64 spent)
{
	struct kt_brake_state on = { .on = true, .each = state->each, .faults = state->faults };

	if (load->hits) {
		on.each = spent / load->hits + 1;
		on.faults = load->faults * cost->fault / load->hits;
	}
	*state = on;
}

bool kt_brake_rule(struct kt_brake_state *state, const struct kt_brake_cost *cost, const struct kt_brake_load *load,
		   u32 percent)
{
	const u64 spent = kt_brake_spent(state, cost, load);

	if (!percent) {
		*state = (struct kt_brake_state){ .on = false };
		return false;
	}
	if (!state->on) {
		state->strikes = is_over(spent, load->ticks, percent) ? state->strikes + 1 : 0;
		if (state->strikes >= KT_BRAKE_STRIKES || (state->strikes && load->early))
			turn_away(state, cost, load, spent);
		return state->on;
	}
	/* Resume at three quarters of the limit, so that a load near the limit does not alternate. */
	state->calm = is_over(spent + spent / 3, load->ticks, percent) ? 0 : state->calm + 1;
	if (state->calm >= KT_BRAKE_CALM)
		*state = (struct kt_brake_state){ .on = false };
	return state->on;
}

u32 kt_brake_cut(const struct kt_brake_classes *classes, u64 most)
{
	u64 left = 0;
	u32 i;

	for (i = 0; i < KT_BRAKE_CLASSES; i++) {
		left += classes->sum[i];
		if (left > most)
			return i;
	}
	return KT_BRAKE_CLASSES;
}
