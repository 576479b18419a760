// SPDX-License-Identifier: GPL-2.0-or-later
/* text.c - disassembly, by capstone. See text.h. */
#include <capstone/capstone.h>
#include <stdio.h>

#include "text.h"

static csh handle;
static cs_insn *insn;

static bool ready(void)
{
	if (insn)
		return true;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
		return false;
	cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	insn = cs_malloc(handle);
	return insn;
}

static bool decode(const u8 *bytes, size_t n, uint64_t at)
{
	return ready() && cs_disasm_iter(handle, &bytes, &n, &at, insn);
}

size_t text_insn(const u8 *bytes, size_t n, u64 at, char *text, size_t size)
{
	if (!decode(bytes, n, at)) {
		snprintf(text, size, "(unknown)");
		return 1;
	}
	snprintf(text, size, "%s %s", insn->mnemonic, insn->op_str);
	return insn->size;
}

void text_mnemonic(const u8 *bytes, size_t n, char *text, size_t size)
{
	if (decode(bytes, n, 0))
		snprintf(text, size, "%s", insn->mnemonic);
	else if (n > 2)
		snprintf(text, size, "%02x %02x %02x", bytes[0], bytes[1], bytes[2]);
	else
		snprintf(text, size, "%02x", bytes[0]);
}
