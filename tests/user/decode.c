// SPDX-License-Identifier: GPL-2.0-or-later
/* decode.c - find the instructions of section.S.  See machine.h. */
#include "machine.h"

#include <stdio.h>

#include "tests/unit/unit.h"

#define CACHE	4096
#define LONGEST	15	/* instruction of any architecture */

uint64_t machine_skipped;
bool machine_forgets_order;

const cs_insn *machine_decode(uint64_t ip)
{
	static cs_insn *cache[CACHE];
	static csh handle;
	cs_insn **slot = &cache[ip % CACHE];

	if (!handle) {
		assert_int_equal(cs_open(machine_arch, machine_mode, &handle), CS_ERR_OK);
		cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	}
	if (*slot && (*slot)->address == ip)
		return *slot;
	if (*slot)
		cs_free(*slot, 1);
	if (cs_disasm(handle, (const uint8_t *)ip, LONGEST, ip, 1, slot) != 1)
		fail_msg("no instruction at %lx", (unsigned long)ip);
	return *slot;
}

uint64_t machine_next(uint64_t ip)
{
	return ip + machine_decode(ip)->size;
}

uint64_t machine_find(uint64_t from, uint64_t to, const char *text)
{
	char own[256];

	for (uint64_t ip = from; ip < to; ip = machine_next(ip)) {
		const cs_insn *insn = machine_decode(ip);

		snprintf(own, sizeof(own), "%s%s%s", insn->mnemonic, *insn->op_str ? " " : "", insn->op_str);
		if (!strcmp(own, text))
			return ip;
	}
	return 0;
}
