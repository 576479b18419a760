/* SPDX-License-Identifier: MIT */
/* sequences.h - are there restartable sequences in section.S of this folder? */
#ifndef KTRACE_USER_SEQUENCES_H
#define KTRACE_USER_SEQUENCES_H

#define KTU_HAS_SEQUENCES	1

#endif
