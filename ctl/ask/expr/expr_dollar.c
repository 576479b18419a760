// SPDX-License-Identifier: GPL-2.0-or-later
/* expr_dollar.c - names with a $: registers, properties of the task, arguments of a system call.  See expr_int.h. */
#include <string.h>
#include <strings.h>

#include "ctl/ask/expr/expr_int.h"
#include "ctl/base/device/property.h"
#include "ctl/base/suggestion.h"

bool dollar_is_name(struct resolver *r, const struct expr *e)
{
	if (strcmp(e->name, "comm"))
		return false;
	FAIL(r, e, "the name of the task is %s", strcmp(r->what, "BY") ? "current->comm here, or use ONLYCOMM" : "COMM here");
	return true;
}

static bool no_register(struct resolver *r, struct expr *e)
{
	struct suggestions similar = { .word = e->name };
	char buf[128];

	if (dollar_is_name(r, e))
		return false;
	for (const struct arch_reg *reg = r->arch->regs; reg->name; reg++)
		suggestion_offer(&similar, reg->name);
	for (size_t i = 0; i < nr_properties; i++)
		if (property_is_variable(&properties[i]))
			suggestion_offer(&similar, properties[i].name);
	return FAIL(r, e, "there is no register or property $%s: %s", e->name,
		    suggestion_say(similar.names, similar.n, "'help expressions' lists them", buf, sizeof(buf)));
}

#define SYSARG	"sysarg"

/* $sysarg0 to $sysarg5 */
static bool name_sysarg(struct expr *e)
{
	const char *digit = e->name + strlen(SYSARG);

	if (strncmp(e->name, SYSARG, strlen(SYSARG)) || *digit < '0' || *digit >= '0' + KT_SYSCALL_ARGS || digit[1])
		return false;
	e->kind = EXPR_SYSARG;
	e->value = *digit - '0';
	e->type = (struct expr_type){ .bytes = 8 };
	return true;
}

bool dollar_resolve(struct resolver *r, struct expr *e)
{
	const struct property *property = property_named(e->name);

	if (property && property_is_variable(property)) {
		e->kind = EXPR_CUR;
		e->cur = property->number;
		e->type = (struct expr_type){ .bytes = 4, .is_signed = property->is_signed };
		return true;
	}
	if (name_sysarg(e))
		return true;
	e->reg = arch_reg_by_name(r->arch, e->name);
	if (!e->reg)
		return no_register(r, e);
	e->kind = EXPR_REG;
	e->type = (struct expr_type){ .bytes = e->reg->bytes };
	return true;
}

bool dollar_is_missing(struct resolver *r, const struct expr *e)
{
	const struct property *property = NULL;

	for (size_t i = 0; i < nr_properties && !property; i++)
		if (property_is_variable(&properties[i]) && !strcasecmp(properties[i].name, e->name))
			property = &properties[i];
	if (arch_reg_by_name(r->arch, e->name))
		FAIL(r, e, "there is no symbol '%s': the register is $%s", e->name, e->name);
	else if (property)
		FAIL(r, e, "there is no symbol '%s': the property of the task is $%s", e->name, property->name);
	else
		return false;
	return true;
}
