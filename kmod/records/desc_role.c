// SPDX-License-Identifier: GPL-2.0-only
/* desc_role.c - the role of a descriptor in a measurement.  See desc.h, and struct kt_role. */
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/measure/measurement.h"
#include "kmod/records/desc.h"
#include "core/capture.h"
#include "regs_arch.h"

static bool role_valid(const struct kt_role *role)
{
	const u32 what = role->what & (KT_ROLE_BEGIN | KT_ROLE_STEP | KT_ROLE_END);

	if (role->size != sizeof(*role) || role->what & ~KT_ROLE_FLAGS || role->group >= KT_MAX_GROUPS ||
	    role->body >= KT_MAX_BODIES || role->to > KT_TO_NOBODY || role->reserved || role->saved > KT_MAX_SAVED || role->by > KT_MAX_KEY || role->by % 4 || role->by_at % 4)
		return false;
	if (role->what & KT_ROLE_HIDDEN && (what != KT_ROLE_BEGIN || !(role->what & KT_ROLE_SILENT)))
		return false;
	if (role->what & KT_ROLE_JUMPS && what != KT_ROLE_BEGIN)
		return false;
	return what == KT_ROLE_BEGIN || what == KT_ROLE_STEP || what == KT_ROLE_END ||
	       what == (KT_ROLE_STEP | KT_ROLE_END);
}

/* A step of a tail call does nothing else. */
static bool follows_fits(const struct kt_measurement *measurement, const struct kt_role *role)
{
	const u32 what = role->what & (KT_ROLE_BEGIN | KT_ROLE_STEP | KT_ROLE_END | KT_ROLE_FOLLOWS);

	if (!measurement->process || measurement->lines)
		return !(role->what & KT_ROLE_FOLLOWS) && !role->body;
	return !(role->what & KT_ROLE_FOLLOWS) ||
	       (!role->saved && (what == (KT_ROLE_STEP | KT_ROLE_LEAVES) || what == (KT_ROLE_STEP | KT_ROLE_STAYS) ||
				 what == (KT_ROLE_STEP | KT_ROLE_ARRIVES)));
}

/* All but the begin are steps of lines; elsewhere a step must save or follow a tail call, and a call can pass it. */
static bool step_fits(const struct kt_measurement *measurement, const struct kt_role *role)
{
	const bool saves = role->what & KT_ROLE_STEP && !(role->what & KT_ROLE_END) && role->saved && !measurement->across;

	if (!follows_fits(measurement, role))
		return false;
	if (role->what & KT_ROLE_FOLLOWS)
		return true;
	return role->what & KT_ROLE_BEGIN || !measurement->lines == !(role->what & KT_ROLE_STEP) || (!measurement->lines && saves);
}

/* Are the calls of the measurement where the descriptor is: in programs, or in the kernel? */
static bool site_fits(const struct kt_desc *desc, const struct kt_role *role)
{
	const struct kt_measurement *measurement = desc->measurement;

	if (measurement->process)
		return desc->confined && !(role->what & KT_ROLE_THREAD);
	return !(role->what & KT_ROLE_GOROUTINE) && role->bias >= -KT_MAX_BIAS && role->bias <= KT_MAX_BIAS &&
	       (!desc->confined || role->what & KT_ROLE_THREAD || measurement->across);
}

/* May the descriptor have this role?  It must not use anything that the table of the measurement does not have. */
static bool role_fits(const struct kt_desc *desc, const struct kt_role *role)
{
	const struct kt_measurement *measurement = desc->measurement;
	const u32 room = measurement->saved;

	if (!site_fits(desc, role))
		return false;
	if ((role->saved && desc->program->bytes > room) || (role->what & KT_ROLE_TOP && !measurement->top))
		return false;
	if (role->by && (measurement->lines || !measurement->nr_groups || measurement->across || role->by + role->by_at > room))
		return false;
	if (!step_fits(measurement, role) || (measurement->lines && role->group >= (measurement->nr_lines ?: measurement->nr_groups)))
		return false;
	return desc->program->saved <= room;
}

static bool key_take(struct kt_desc *desc, const struct kt_role *role)
{
	int offset = kt_reg_offset(role->reg);

	desc->key_bias = role->bias;
	desc->key_is_sp = offset == kt_reg_offset(KT_REG_SP) && !desc->measurement->process;
	if (offset < 0)
		return false;
	desc->key_reg = offset;
	if (!(role->what & KT_ROLE_THREAD) && !desc->key_is_sp)
		desc->all_regs |= !kt_reg_is_scratch(offset);
	return true;
}

/* Does a hit only begin or end the call of its stack pointer?  There are no filters, groups and teams, and nothing is saved. */
static bool is_usual(const struct kt_desc *desc)
{
	const struct kt_measurement *measurement = desc->measurement;

	return !measurement->across && !measurement->lines && !measurement->intervals.saved && !measurement->team && !desc->by &&
	       !(desc->flags & KT_DESC_FILTERED) && desc->key_is_sp &&
	       !(desc->role & (KT_ROLE_SLOW_PATH | KT_ROLE_TOP | KT_ROLE_THREAD));
}

/* The path of its hits in the measurement.  Only this function decides it, and KT_IOC_LIST reports it. */
static u8 path_of(const struct kt_desc *desc)
{
	if (!is_usual(desc) || !(desc->role & KT_ROLE_SILENT))
		return KT_PATH_SLOW;
	return desc->role & KT_ROLE_BEGIN ? KT_PATH_FAST_BEGIN : KT_PATH_FAST_END;
}

bool kt_desc_counts_calls(const struct kt_desc *desc)
{
	return desc->aggregate && desc->measurement && is_usual(desc) && desc->role & KT_ROLE_END &&
	       !(desc->role & (KT_ROLE_TALLY | KT_ROLE_SILENT));
}

int kt_desc_role(struct kt_desc *desc, u64 user, const struct kt_client *client, u8 *refusal)
{
	struct kt_role role;

	*refusal = KT_REFUSE_ROLE;
	/* The path of a measured hit counts in kt_prompt_rings. */
	if (desc->flags & KT_DESC_RECORDING)
		return -EINVAL;
	if (copy_from_user(&role, u64_to_user_ptr(user), sizeof(role)))
		return -EFAULT;
	if (!role_valid(&role))
		return -EINVAL;
	desc->measurement = kt_measurement_get(role.measure, client);
	if (!desc->measurement || !role_fits(desc, &role) || !key_take(desc, &role))
		return -EINVAL;
	desc->role = role.what;
	desc->group = role.group;
	desc->saved = role.saved;
	desc->by = role.by;
	desc->by_at = role.by_at;
	desc->body = role.body;
	desc->to = role.to;
	desc->uses_call = desc->program->uses_call;
	/*
	 * Look up the call before the filter runs: if the filter reads what the opening saved, or if a hit that the
	 * filter refuses has to close its call.  Otherwise that call would stay in the table.
	 */
	desc->filter_uses_call = desc->program->filter &&
				 (desc->program->filter_saved || desc->measurement->shared ||
				  (role.what & KT_ROLE_END && role.what & KT_ROLE_MARK));
	desc->flags |= KT_DESC_MEASURED;
	desc->path = path_of(desc);
	/* All hits on the slow path save all registers, so one calibration is valid for all of them. */
	desc->all_regs |= desc->path == KT_PATH_SLOW;
	*refusal = KT_REFUSE_NONE;
	return 0;
}
