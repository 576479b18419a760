/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* text_end.h - what follows the bytes of a string that kt_load_text() has loaded. */
#ifndef KTRACE_TEXT_END_H
#define KTRACE_TEXT_END_H

enum kt_text_end {
	/* Assembler code knows these numbers. */
	KT_TEXT_ENDS = 0,	/* its 0 */
	KT_TEXT_GOES_ON = 1,	/* not known: kt_load() finds out */
	KT_TEXT_UNREADABLE = 2,	/* a byte that cannot be read; if it is the first one, KT_NO_TEXT was loaded in its place */
};

#endif
