/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial.h - one case: instructions, their addresses, and the state in which they are executed. */
#ifndef FIDELITY_TRIAL_H
#define FIDELITY_TRIAL_H

#include "class.h"
#include "rng.h"
#include "state.h"

#define SUBJECT_INSNS	8
#define SUBJECT_BYTES	(SUBJECT_INSNS * MAX_INSN_SIZE)

/* The instructions under test: whole ones, without gaps. */
struct subject {
	u8 bytes[SUBJECT_BYTES + MAX_INSN_SIZE];
	u8 len, count;
	u8 start[SUBJECT_INSNS];
	struct insn insn[SUBJECT_INSNS];
};

/* Decode `count` instructions from bytes on; returns false if they are not that many. */
bool subject_decode(struct subject *subject, unsigned int count);

enum source { SOURCE_DIRECTED, SOURCE_KERNEL, SOURCE_GENERATED, NR_SOURCES };

struct directed;
struct method;

struct trial {
	u64 number;
	struct rng rng;
	enum source source;			/* the origin of the instruction */
	const struct directed *directed;	/* NULL: random */
	struct subject subject;
	const struct method *method;
	enum class class;			/* of the last instruction */
	u64 at, slot;				/* addresses: in place, displaced */
	u64 target;				/* of a direct branch; 0: none */
	struct state state;
	const u8 *vectors;
};

static inline const struct insn *trial_last(const struct trial *trial)
{
	return &trial->subject.insn[trial->subject.count - 1];
}

/* The address behind instruction `which`, or behind all of them. */
static inline u64 trial_next(const struct trial *trial, unsigned int which)
{
	return trial->at + trial->subject.start[which] + trial->subject.insn[which].length;
}

static inline u64 trial_behind(const struct trial *trial)
{
	return trial->at + trial->subject.len;
}

#endif
