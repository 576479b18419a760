// SPDX-License-Identifier: GPL-2.0-or-later
/* subject.c - decode the instructions under test, as the kernel does. See trial.h. */
#include "trial.h"

bool subject_decode(struct subject *subject, unsigned int count)
{
	unsigned int i, at = 0;

	for (i = 0; i < count; i++) {
		if (insn_decode(&subject->insn[i], subject->bytes + at, MAX_INSN_SIZE, INSN_MODE_KERN) < 0)
			return false;
		subject->start[i] = at;
		at += subject->insn[i].length;
	}
	subject->count = count;
	subject->len = at;
	return true;
}
