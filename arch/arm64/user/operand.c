// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operand.c - operands of the assembler: 5, #5, x0, w1, [x0], [sp, 24], [x0, x1, lsl 3], [x0, w1, sxtw 2].
 *
 * Vector registers, addresses that change their register, and names are not known.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "user.h"

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

static bool take_register(const char **at, const struct arch_reg **out)
{
	size_t n = strspn(*at, "abcdefghijklmnopqrstuvwxyz0123456789");
	char name[8];

	if (!n || n >= sizeof(name))
		return false;
	memcpy(name, *at, n);
	name[n] = '\0';
	*at += n;
	*out = arch_reg_by_name(&arch_native, name);
	return *out;
}

static bool take_number(const char **at, int64_t *out)
{
	bool minus;
	char *end;

	*at += **at == '#';
	minus = **at == '-';
	*at += minus;
	if (!isdigit((unsigned char)**at))
		return false;
	*out = (minus ? -1ULL : 1ULL) * strtoull(*at, &end, 0);
	*at = end;
	return true;
}

/* ", lsl 3", ", sxtw 2", ", uxtw" behind the index. */
static bool take_extension(const char **at, struct arch_operand *out)
{
	static const struct {
		const char *name;
		uint8_t bytes;
		bool is_signed;
	} kinds[] = { { "lsl", 8, false }, { "sxtx", 8, false }, { "sxtw", 4, true }, { "uxtw", 4, false } };
	int64_t shift = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = strlen(kinds[i].name);

		if (strncmp(*at, kinds[i].name, n))
			continue;
		*at = skip_blanks(*at + n);
		if (**at != ']' && !take_number(at, &shift))
			return false;
		out->index_is_signed = kinds[i].is_signed;
		out->scale = 1 << (shift & 7);
		return shift >= 0 && shift <= 4 && out->index->bytes == kinds[i].bytes;
	}
	return false;
}

static bool take_index(const char **at, struct arch_operand *out)
{
	out->scale = 1;
	if (!take_register(at, &out->index))
		return false;
	*at = skip_blanks(*at);
	if (**at != ',')
		return out->index->bytes == 8;
	*at = skip_blanks(*at + 1);
	return take_extension(at, out);
}

static bool take_memory(const char *at, struct arch_operand *out)
{
	out->kind = OPERAND_MEMORY;
	at = skip_blanks(at + 1);
	if (!take_register(&at, &out->reg) || out->reg->bytes != 8)
		return false;
	at = skip_blanks(at);
	if (*at == ',') {
		at = skip_blanks(at + 1);
		if (!(isalpha((unsigned char)*at) ? take_index(&at, out) : take_number(&at, &out->constant)))
			return false;
		at = skip_blanks(at);
	}
	return at[0] == ']' && !at[1];
}

bool arch_user_operand(const char *text, struct arch_operand *out)
{
	const char *at = text;

	*out = (struct arch_operand){ .kind = OPERAND_REGISTER };
	if (*at == '[')
		return take_memory(at, out);
	if (isalpha((unsigned char)*at))
		return take_register(&at, &out->reg) && !*at;
	out->kind = OPERAND_CONSTANT;
	return take_number(&at, &out->constant) && !*at;
}
