#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: calls that end by a jump to another library: measured where they return, counted where their end is not seen
# long: 30 s
# vm: --icount --append tsc=reliable --built vm/languages/libtails.so --built vm/languages/tails
. /lab/lib.sh

library=/usr/local/bin/libtails.so
# A third of the calls returns, the others jump to the library.
TIMES=1 calls_true tails away away 30 1000
expect_match "what is not followed" "$err" '2 of the 2 jumps by which calls of tails:away may end are not followed, for example at away\+0x[0-9a-f]+'
# These are reached by calls, by a jump of the program, by a jump of the library.
for count in 30 31; do
	calls_true tails program_end program_end $count
	PROGRAM=tails calls_true $library library_end library_end $count
done
