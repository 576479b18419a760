/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unit.h - cmocka, and the headers that it needs before it. */
#ifndef KTRACE_UNIT_H
#define KTRACE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define assert_contains(text, part) \
	do { \
		if (!strstr(text, part)) \
			fail_msg("'%s' is not in '%s'", part, text); \
	} while (0)

#define assert_one_line(text) assert_null(strchr(text, '\n'))

#endif
