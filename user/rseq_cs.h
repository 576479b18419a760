/* SPDX-License-Identifier: MIT */
/* rseq_cs.h - for assembler: the description of a restartable sequence, which lies between NAME_start and NAME_end. */
#ifndef KTRACE_USER_RSEQ_CS_H
#define KTRACE_USER_RSEQ_CS_H

/* struct rseq_cs */
.macro SEQUENCE name
	.pushsection __rseq_cs, "aw"
	.balign	32
\name:
	.long	0, 0
	.quad	\name\()_start, \name\()_end - \name\()_start, \name\()_abort
	.popsection
	.pushsection __rseq_cs_ptr_array, "aw"
	.quad	\name
	.popsection
.endm

#endif
