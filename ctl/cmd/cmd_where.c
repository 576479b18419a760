// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_where.c - where in the kernel a thread waits. */
#include "ctl/base/number.h"
#include "ctl/cmd/command.h"
#include "ctl/show/look/where.h"

bool cmd_where(struct session *s, const struct words *words, struct error *err)
{
	uint64_t pid;

	if (number_count(words->v[1], &pid) != NUMBER_OK || !pid || pid > INT32_MAX)
		return error_set(err, STATUS_USAGE, "where %s: not the id of a thread: where 4127", words->v[1]);
	return session_begin_symbols(s, err) && where_show(s, pid, err);
}
