#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: SUM, AVG, HIST of ELAPSED by generated code and by C: calls in each other, calls that sleep, freeze, clear
# vm: --icount --append tsc=reliable
. /lab/lib.sh
ok modprobe ktruth

# counts: how often each row of the last run() was counted
counts() {
	grep '^aggregate.*=' /tmp/out | cut -d, -f5 | tr '\n' ' '
}

# The code adds less time to the calls, and to those that enclose them.
sums=
for with in "" "METHOD plain"; do
	ok ktrace -q trace ktruth_nest%return SUM ELAPSED BY PID $with ktruth_square%return AVG ELAPSED BY COMM $with
	ok sites jumps 60
	ok ktrace list -v
	expect_eq "code $with" "$(echo "$out" | grep -c '  [0-9]* B  ')" "$([ "$with" ] && echo 0 || echo 2)"
	echo "alone nest 200 20" >/proc/ktruth
	echo "call square 30" >/proc/ktruth
	ok ktrace --csv print
	expect_eq "rows $with" "$(counts)" "100 30 "
	sums="$sums $(sed -n 's/^aggregate.*pid=[0-9]*",100,\([0-9]*\),.*/\1/p' /tmp/out)"
	ok ktrace -q -e 'delete *; clear'
done
truth=$((20 * 15 * 401))
echo "sums of 100 calls in each other: truth $truth, shown$sums"
echo "$sums" | awk -v truth=$truth '{ exit $1 < truth || $1 > truth + @nested@ || $2 < $1 || $2 > truth + 200000 }' || fail "times of calls in each other"

# Calls that sleep: others begin and end on this CPU meanwhile.
ok ktrace -q trace ktruth_slept%return HIST ELAPSED BY PID
ok sites jumps 60
for _ in 1 2 3 4; do
	echo "time slept 3000 20" >/proc/ktruth &
done
wait
ok ktrace --json print
expect_eq "sleepers" "$(grep -o '"count":20,' /tmp/out | wc -l) $(grep -o '"unreadable":0' /tmp/out)" '4 "unreadable":0'

# A call that ends while recording is frozen ends, and is not counted; a table that has been emptied takes the key again.
ok ktrace -q -e 'delete *; clear'
ok ktrace -q trace ktruth_square%return SUM ELAPSED BY COMM
ok sites jumps 60
for do in freeze unfreeze clear; do
	ok ktrace -q $do
	echo "call square 30" >/proc/ktruth
done
ok ktrace --csv print
expect_eq "after a clear" "$(counts)" "30 "
expect_match "nothing was unreadable" "$out" ',"",,,,,0,0,0$'
ok ktrace -q freeze
echo "call square 30" >/proc/ktruth
ok ktrace --csv print
expect_eq "frozen" "$(counts)" "30 "
