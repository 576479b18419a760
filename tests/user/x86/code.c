// SPDX-License-Identifier: GPL-2.0-or-later
/* code.c - section.S of this architecture, for tests: see tests/user/machine.h. */
#include "tests/user/machine.h"

const cs_arch machine_arch = CS_ARCH_X86;
const cs_mode machine_mode = CS_MODE_64;

/*
 * No ring is missing in this scene, so nobody misses the test of its address.  Every event has arguments, and those of an
 * even number of words may copy the first word twice.
 */
const struct machine_texts machine_texts = {
	.clocks = 1,
	.read = "mov r11, qword ptr [r10]", .store = "mov qword ptr [r10], rdx",
	.compared = "mov r8d, dword ptr [rdi + 4]", .last_store = "mov qword ptr [rcx], rax",
	.unnoticed = { { "test r10, r10", true, true }, { "cmp r9d, -1", false, true } },
};
