// SPDX-License-Identifier: GPL-2.0-only
/* user_fault.c - fault.c once more: an object belongs to one module. */
#include "fault.c"
