// SPDX-License-Identifier: GPL-2.0-or-later
/* exclude.c - see exclude.h. Opcodes: Intel SDM volume 2, appendix A. */
#include <string.h>

#include <linux/kernel.h>

#include "class.h"
#include "exclude.h"
#include "operand.h"
#include "pattern.h"

struct row {
	struct pattern pattern;
	const char *why;
};

#define TIME		"reads the time: never twice the same"
#define RANDOM		"reads a random number or the CPU's number"
#define WAITS		"waits"
#define KEYS		"may take the harness's own memory away (protection keys)"
#define HISTORY		"what it writes depends on what was saved and loaded before"
#define AT_TIMES	"invalid behind lock: some CPUs raise the exception at times only"
#define UMIP		"carried out by the kernel, not by the CPU, for user space"

/* The first row does not depend on the instruction alone. */
#define SPLIT_LOCK	0

static const struct row excluded[] = {
	[SPLIT_LOCK] = { { NR_MAPS }, .why = "locked access across cache lines, which is slowed down on purpose" },
	{ { MAP_0F, 0x31, 0x31 }, TIME " (rdtsc)" },
	{ { MAP_0F, 0x01, 0x01, MODRM(0xf9) }, TIME " (rdtscp)" },
	{ { MAP_0F, 0xc7, 0xc7, .form = FORM_REGISTER, MODRM_REG(6) }, RANDOM " (rdrand)" },
	{ { MAP_0F, 0xc7, 0xc7, .form = FORM_REGISTER, MODRM_REG(7) }, RANDOM " (rdseed, rdpid)" },
	{ { MAP_0F, 0xa2, 0xa2 }, "carried out by the hypervisor, if there is one, and slowly (cpuid)" },
	{ { MAP_0F, 0xae, 0xae, .form = FORM_REGISTER, MODRM_REG(6), .prefix = 0x66 }, WAITS " (tpause)" },
	{ { MAP_0F, 0xae, 0xae, .form = FORM_REGISTER, MODRM_REG(6), .prefix = 0xf2 }, WAITS " (umwait)" },
	{ { MAP_0F, 0x01, 0x01, MODRM(0xef) }, KEYS " (wrpkru)" },
	{ { MAP_0F, 0xae, 0xae, .form = FORM_MEMORY, MODRM_REG(5) }, KEYS " (xrstor)" },
	{ { MAP_0F, 0xae, 0xae, .form = FORM_MEMORY, MODRM_REG(6) }, HISTORY " (xsaveopt)" },
	{ { MAP_0F, 0x00, 0x00, MODRM_REG(4), .prefix = 0xf0 }, AT_TIMES " (verr)" },
	{ { MAP_0F, 0x00, 0x00, MODRM_REG(5), .prefix = 0xf0 }, AT_TIMES " (verw)" },
	{ { MAP_0F, 0x00, 0x00, MODRM_REG(0) }, UMIP " (sldt)" },
	{ { MAP_0F, 0x00, 0x00, MODRM_REG(1) }, UMIP " (str)" },
	{ { MAP_0F, 0x01, 0x01, .form = FORM_MEMORY, MODRM_REG(0) }, UMIP " (sgdt)" },
	{ { MAP_0F, 0x01, 0x01, .form = FORM_MEMORY, MODRM_REG(1) }, UMIP " (sidt)" },
	{ { MAP_0F, 0x01, 0x01, MODRM_REG(4) }, UMIP " (smsw)" },
};
_Static_assert(ARRAY_SIZE(excluded) < MAX_EXCLUDED, "one counter for each row");

#define TRAP		"raises an exception by itself, whose handler looks at where it stands"
#define MODE		"leaves for other code by itself"
#define SHADOW		"holds back interrupts for the next instruction"
#define TRANSACTION	"comes back to where it stands from anywhere in the transaction"

static const struct row never[] = {
	{ { MAP_ONE, 0xcc, 0xce }, TRAP },
	{ { MAP_ONE, 0xf1, 0xf1 }, TRAP },
	{ { MAP_0F, 0x0b, 0x0b }, TRAP },
	{ { MAP_0F, 0xb9, 0xb9 }, TRAP },
	{ { MAP_0F, 0xff, 0xff }, TRAP },
	{ { MAP_ONE, 0x9a, 0x9a }, MODE },
	{ { MAP_ONE, 0xca, 0xcb }, MODE },
	{ { MAP_ONE, 0xcf, 0xcf }, MODE },
	{ { MAP_ONE, 0xea, 0xea }, MODE },
	{ { MAP_ONE, 0xff, 0xff, MODRM_REG(3) }, MODE },
	{ { MAP_ONE, 0xff, 0xff, MODRM_REG(5) }, MODE },
	{ { MAP_0F, 0x05, 0x05 }, MODE },
	{ { MAP_0F, 0x07, 0x07 }, MODE },
	{ { MAP_0F, 0x34, 0x35 }, MODE },
	{ { MAP_0F, 0x37, 0x37 }, MODE },
	{ { MAP_0F, 0xaa, 0xaa }, MODE },
	{ { MAP_0F, 0x01, 0x01, .form = FORM_REGISTER, MODRM_REG(0) }, MODE },	/* vmcall .. */
	{ { MAP_0F, 0x01, 0x01, .form = FORM_REGISTER, MODRM_REG(3) }, MODE },	/* vmrun .. */
	{ { MAP_0F, 0x01, 0x01, MODRM(0xf8) }, MODE },				/* swapgs */
	{ { MAP_ONE, 0xf4, 0xf4 }, "its wake-up looks at where it stands" },
	{ { MAP_ONE, 0x8e, 0x8e, MODRM_REG(2) }, SHADOW },
	{ { MAP_0F, 0xb2, 0xb2 }, SHADOW },
	{ { MAP_ONE, 0xc6, 0xc7, MODRM_REG(7) }, TRANSACTION },
};

static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

static int find(const struct row *rows, size_t n, const struct insn *insn)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (pattern_matches(&rows[i].pattern, insn))
			return i;
	return -1;
}

int exclude_find(const struct trial *trial)
{
	unsigned int i;
	int row;

	for (i = 0; i < trial->subject.count; i++) {
		if (operand_splits_lock(trial, i))
			return SPLIT_LOCK;
		row = find(excluded, ARRAY_SIZE(excluded), &trial->subject.insn[i]);
		if (row >= 0)
			return row;
	}
	return -1;
}

const char *exclude_reason(int row)
{
	return (size_t)row < ARRAY_SIZE(excluded) ? excluded[row].why : NULL;
}

/* Padding behind a return is never executed: breakpoints, up to the last one. */
const char *exclude_never(const struct trial *trial)
{
	const struct subject *subject = &trial->subject;
	bool returned = false;
	unsigned int i;
	int row;

	for (i = 0; i < subject->count; i++) {
		if (returned && subject->bytes[subject->start[i]] == 0xcc)
			continue;
		returned = insn_class(&subject->insn[i]) == CLASS_RET;
		row = find(never, ARRAY_SIZE(never), &subject->insn[i]);
		if (row >= 0)
			return never[row].why;
		if (subject->insn[i].length == sizeof(endbr64) &&
		    !memcmp(subject->bytes + subject->start[i], endbr64, sizeof(endbr64)))
			return "indirect branches land there";
	}
	return NULL;
}
