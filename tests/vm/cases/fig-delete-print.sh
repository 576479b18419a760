#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: records can be printed after their tracepoints were deleted, and after others took their place
. /lab/lib.sh

# The printed records without the last digit of the time: a later print knows the time better.
printed() {
	printf '%s\n' "$out" | sed 's/ [0-9:]*\.[0-9]*  / /'
}

final_clock
ok modprobe ktruth
ok ktrace -q trace ktruth_args6 REG @arg1@ CONST 6 ktruth_square REG @half1@
truth args6 2
truth square 2
ok ktrace print
before=$(printed)
expect_eq records "$(printf '%s\n' "$out" | wc -l)" 4
ok ktrace delete ktruth_args6 ktruth:ktruth_square
expect_eq "delete says nothing" "$out$err" ""
ok ktrace list
expect_eq list "$out" ""
truth args6 2
ok ktrace print
expect_eq "after deletion" "$(printed)" "$before"
for i in 1 2 3 4 5; do
	ok ktrace -q trace ktruth_args6 CONST $i
	ok ktrace delete '*'
done
ok ktrace print
expect_eq "after others" "$(printed)" "$before"

# An address without tracepoint cannot be deleted; then nothing is deleted.
ok ktrace -q trace ktruth_args6 ktruth_square
run ktrace delete ktruth_args6 ktruth_chain
expect_status 1
expect_eq message "$err" "ktrace: no tracepoint at ktruth:ktruth_chain, nothing deleted: 'list' shows them"
ok ktrace list
expect_eq list "$(printf '%s\n' "$out" | wc -l)" 2
ok ktrace clear
ok ktrace print
expect_eq "cleared" "$out" ""
