// SPDX-License-Identifier: GPL-2.0-or-later
/* code.c - section.S of this architecture, for tests: see tests/user/machine.h. */
#include "tests/user/machine.h"

const cs_arch machine_arch = CS_ARCH_X86;
const cs_mode machine_mode = CS_MODE_64;

/* Without that `sub`, ktrace_write_parts() copies one word too many before it copies the bytes there. */
const struct machine_texts machine_texts = {
	.clocks = 1,
	.read = "movzx r9d, word ptr [r11 + 2]",
	.compared = "mov r8d, dword ptr [rdi + 4]",
	.unnoticed = { { "sub eax, 1", true, false } },
};
