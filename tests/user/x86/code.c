// SPDX-License-Identifier: GPL-2.0-or-later
/* code.c - section.S of this architecture, for tests: see tests/user/machine.h. */
#include "tests/user/machine.h"

const cs_arch machine_arch = CS_ARCH_X86;
const cs_mode machine_mode = CS_MODE_64;

/* One word may be copied as several are. */
const struct machine_texts machine_texts = {
	.clocks = 1,
	.read = "movzx r9d, word ptr [r11 + 2]", .store = "add dword ptr [r11], eax",
	.compared = "mov r8d, dword ptr [rdi + 4]", .last_store = "mov qword ptr [rcx], rax",
	.unnoticed = { { "cmp r8d, 1", true, true } },
};
