// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operand.c - operands of the assembler in AT&T syntax: $5, %eax, -4(%rbp), 8(%rax,%rbx,4), name+4(%rip), name.
 *
 * Segments, vector registers, and addresses relative to rip without a name are not known.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "user.h"

#define RIP	16	/* DWARF number */

static bool take_register(const char **at, const struct arch_reg **out)
{
	char name[8];
	size_t n;

	if (**at != '%')
		return false;
	n = 1 + strspn(*at + 1, "abcdefghijklmnopqrstuvwxyz0123456789");
	if (n >= sizeof(name))
		return false;
	memcpy(name, *at, n);
	name[n] = '\0';
	*at += n;
	*out = arch_reg_by_name(&arch_native, name);
	return *out;
}

static bool begins_name(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '.';
}

static size_t name_length(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || (at[n] && strchr("_.$@", at[n])))
		n++;
	return n;
}

/* One name at most, and numbers, with signs between them. */
static bool take_sum(const char **at, struct arch_operand *out)
{
	bool is_first = true;

	for (; **at && **at != '('; is_first = false) {
		bool minus = **at == '-';
		char *end;

		if (minus || **at == '+')
			(*at)++;
		else if (!is_first)
			return false;
		if (begins_name(**at)) {
			if (minus || out->symbol)
				return false;
			out->symbol = *at;
			out->symbol_len = name_length(*at);
			*at += out->symbol_len;
			continue;
		}
		if (!isdigit((unsigned char)**at))
			return false;
		out->constant = out->constant + (minus ? -1ULL : 1ULL) * strtoull(*at, &end, 0);
		*at = end;
	}
	return true;
}

static bool is_scale(char c)
{
	return c == '1' || c == '2' || c == '4' || c == '8';
}

/* "(BASE)", "(BASE,INDEX)", "(BASE,INDEX,SCALE)", with or without BASE. */
static bool take_address(const char *at, struct arch_operand *out)
{
	at++;
	if (*at == '%' && !take_register(&at, &out->reg))
		return false;
	if (*at == ',') {
		at++;
		out->scale = 1;
		if (!take_register(&at, &out->index))
			return false;
		if (at[0] == ',' && is_scale(at[1])) {
			out->scale = at[1] - '0';
			at += 2;
		}
	}
	return at[0] == ')' && !at[1] && (out->reg || out->index);
}

static bool has_whole_registers(const struct arch_operand *out)
{
	return (!out->reg || out->reg->bytes == 8) && (!out->index || out->index->bytes == 8);
}

static bool take_memory(const char *at, struct arch_operand *out)
{
	out->kind = OPERAND_MEMORY;
	if (!take_sum(&at, out) || (*at == '(' && !take_address(at, out)) || !has_whole_registers(out))
		return false;
	if (!out->reg || out->reg->dwarf != RIP)
		return true;
	/* The assembler adds what makes it the address of the name. */
	out->reg = NULL;
	return out->symbol && !out->index;
}

bool arch_user_operand(const char *text, struct arch_operand *out)
{
	const char *at = text;

	*out = (struct arch_operand){ .kind = OPERAND_REGISTER };
	if (*at == '%')
		return take_register(&at, &out->reg) && !*at && out->reg->dwarf != RIP;
	if (*at != '$')
		return *at && take_memory(at, out);
	out->kind = OPERAND_CONSTANT;
	at++;
	return *at && take_sum(&at, out) && !*at;
}
