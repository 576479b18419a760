// SPDX-License-Identifier: GPL-2.0-or-later
/* code.c - section.S of this architecture, for tests: see tests/user/machine.h. */
#include "tests/user/machine.h"

const cs_arch machine_arch = CS_ARCH_ARM64;
const cs_mode machine_mode = CS_MODE_LITTLE_ENDIAN;

/*
 * No test can notice that the jump behind the `add` in `unnoticed` is missing: without it the code reads the clock in the other
 * way, and the result is right, too.
 */
const struct machine_texts machine_texts = {
	.clocks = 2,
	.read = "ldr x15, [x12]",
	.compared = "add x5, x0, #0x28",
	.unnoticed = { { "add x11, x11, x16, lsl #2", false, true } },
};
