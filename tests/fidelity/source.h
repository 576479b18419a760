/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.h - where a trial's instructions come from. */
#ifndef FIDELITY_SOURCE_H
#define FIDELITY_SOURCE_H

#include "corpus.h"
#include "displace.h"

struct sources {
	const struct corpus_record *corpus;	/* NULL: none */
	size_t corpus_nr;
	const struct method *method;		/* NULL: each in its turn */
};

/* The first so many trials are the directed ones, each instruction in several states. */
u64 source_nr_directed(void);

/* Method and instructions of the trial of that number; false: what was generated is no instruction. */
bool source_choose(const struct sources *sources, struct trial *trial);

#endif
