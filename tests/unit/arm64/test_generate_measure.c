// SPDX-License-Identifier: GPL-2.0-or-later
/* test_generate_measure.c - the test of that name, with the code of arm64.  QEMU's user-mode emulation runs it. */
#define EMULATED
#include "tests/unit/test_generate_measure.c"
