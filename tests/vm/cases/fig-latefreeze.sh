#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: LATEFREEZE n: its record and n more, then none; later hits do not restart the count; UNFREEZE cancels it
. /lab/lib.sh

ok modprobe ktruth
ok ktrace -q trace ktruth_args6 LATEFREEZE 4 ktruth_square CONST 1 ktruth_target UNFREEZE
truth square 3
truth args6 1
ok ktrace status
expect_match "pending" "$out" '^recording    on, freezes after 4 more records$'
truth square 10
ok ktrace print
expect_eq "order" "$(printf '%s\n' "$out" | sed 's/ .*//' | uniq -c | tr -s ' \n' ' ')" " 3 ktruth:ktruth_square 1 ktruth:ktruth_args6 4 ktruth:ktruth_square "
expect_match "flag" "$out" '^ktruth:ktruth_args6 .*\)  LATEFREEZE 4$'
ok ktrace status
expect_match "frozen" "$out" '^recording    frozen'
expect_eq "met while frozen" "$(counted frozen)" 6

# UNFREEZE restarts recording and cancels a pending LATEFREEZE.
ok ktrace clear
truth indirect 1
truth args6 1
truth indirect 1
truth square 10
ok ktrace printclear
expect_eq "cancelled by UNFREEZE" "$(printf '%s\n' "$out" | sed 's/.*ktruth_\([a-z0-9]*\).*/\1/' | uniq -c | tr -s ' \n' ' ')" " 1 target 1 args6 1 target 10 square "
truth args6 1
ok ktrace unfreeze
truth square 10
ok ktrace print
expect_eq "cancelled by unfreeze" "$(printf '%s\n' "$out" | wc -l)" 11

# Alone: its first hit starts the count, and its next hits are among the n.
by_square="^recording    frozen since [0-9:]{8}\\.[0-9]{9} by ktruth:ktruth_square: 'unfreeze' restarts it$"
ok ktrace -q -e 'delete *; clear; trace ktruth_square LATEFREEZE 3'
truth square 10
ok ktrace status
expect_match "alone, frozen" "$out" "$by_square"
ok ktrace print
expect_eq "alone" "$(printf '%s\n' "$out" | wc -l)" 4

# Two of them: the count of the first one runs.
ok ktrace -q -e 'delete *; clear; unfreeze; trace ktruth_square LATEFREEZE 5 ktruth_target LATEFREEZE 100'
truth square 1
truth indirect 2
ok ktrace status
expect_match "two, pending" "$out" '^recording    on, freezes after 3 more records$'
truth square 10
ok ktrace print
expect_eq "two" "$(printf '%s\n' "$out" | wc -l)" 6
expect_match "the first one froze" "$(ktrace status)" "$by_square"
expect_match "JSON" "$(ktrace --json status)" '"frozen":true,"frozen_time_ns":"[0-9]{19}","frozen_by":"ktruth:ktruth_square"'
ok ktrace -q -e 'delete *; clear'
expect_match "deleted" "$(ktrace status)" 'by (ktruth:ktruth_square|a tracepoint that was deleted): '

# With UNFREEZE each hit restarts the count.
ok ktrace -q -e 'delete *; clear; trace ktruth_square UNFREEZE LATEFREEZE 3 ktruth_target'
truth square 10
ok ktrace status
expect_match "anew" "$out" '^recording    on, freezes after 3 more records$'
truth indirect 10
ok ktrace print
expect_eq "anew, then frozen" "$(printf '%s\n' "$out" | wc -l)" 13
# The last hit was one of ktruth_target, which freezes nothing.
expect_match "who froze" "$(ktrace status)" "$by_square"
