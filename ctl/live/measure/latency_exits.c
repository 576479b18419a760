// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latency_exits.c - the calls of a function by the exit that they take.
 *
 * A call leaves by the last exit that it has reached: a return, a tail call, or a conditional jump to another function.  If
 * all exits are returns, each of them closes calls, and its address is the key.  Else all calls end at the return to the caller,
 * and tracepoints at the exits save their address with the call.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/function_lines.h"
#include "ctl/base/memory.h"
#include "ctl/live/measure/latency_int.h"
#include "ctl/live/session/session_target.h"

/* Calls that a filter turns down are not open here: the key is all that is needed. */
static bool plan_exit(const struct target *target, struct latency *l, uint64_t addr, struct error *err)
{
	AUTO_FREE char *address = mem_printf("0x%" PRIx64, addr);
	struct use key = { option_find("REG"), arch_reg_name(&arch_native, arch_native.dwarf_pc), NULL };
	const struct request request = { .address = address, .uses = &key, .nr_uses = 1 };

	return plan_request(target, &request, &l->live.plans, err);
}

bool latency_exits_plan(struct session *s, struct latency *l, struct error *err)
{
	const struct target target = session_target(s);
	struct address address;

	if (!address_parse(target.tab, l->function, ADDRESS_CODE, &address, err))
		return false;
	if (!address.bare)
		return error_set(err, STATUS_USAGE, "--by EXIT: %s is not a function: name one", l->function);
	if (!exits_list(&target, address.sym, &l->exits, err))
		return false;
	scans_take(&l->live.plans.scans, &l->exits.scans);
	for (size_t i = 0; l->exits.leaves && i < l->exits.n; i++)
		if (!plan_exit(&target, l, l->exits.v[i].addr, err))
			return false;
	return true;
}

static char *say(const struct target *target, const struct function_exit *exit)
{
	char line[256], to[256] = "a function that a register names";
	AUTO_PROBE_POINT struct probe_point point;

	probe_point_at(target, exit->addr, exit->piece, &point);
	function_line_at(target, exit->addr, line, sizeof(line));
	if (exit->target)
		symtab_describe(target->tab, exit->target, to, sizeof(to));
	return mem_printf("%s%s at %s%s%s", exit->is_return ? "return" : "tail call of ", exit->is_return ? "" : to, point.name,
			  *line ? "  " : "", line);
}

/* No exit: the address where the call began. */
static const struct function_exit *exit_at(const struct latency *l, uint64_t addr)
{
	for (size_t i = 0; i < l->exits.n; i++)
		if (l->exits.v[i].addr == addr)
			return &l->exits.v[i];
	return NULL;
}

void latency_exits_name(struct session *s, struct latency *l)
{
	const struct target target = session_target(s);

	for (size_t i = 0; i < l->m.nr_groups; i++) {
		struct group *group = &l->m.groups[i];
		const struct function_exit *exit = exit_at(l, group->value);

		free(group->key);
		group->key = exit ? say(&target, exit) : mem_strdup("(not known)");
	}
}
