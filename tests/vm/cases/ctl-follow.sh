#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: follow prints new records and clears them, sleeps while there are none, and ends in all possible ways
# vm: --timeout 300
. /lab/lib.sh
ok modprobe ktruth
ok ktrace -q trace ktruth_args6 PID

# lines COUNT: wait for at least COUNT lines
lines() {
	[ "$(wc -l </tmp/follow.out)" -ge "$1" ]
}

# ticks PID: user and system time in hundredths of a second
ticks() {
	sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

ktrace follow >/tmp/follow.out 2>/tmp/follow.err &
follower=$!
truth args6 1
wait_until 30 lines 1
sleep 1
before=$(ticks $follower)
sleep 5
idle=$(($(ticks $follower) - before))
[ $idle -le 5 ] || fail "follow used $((idle * 10)) ms of CPU time while nothing arrived"
echo "idle for 5 s: $((idle * 10)) ms"

# A new record is printed at once, as a whole line.
truth args6 3
wait_until 30 lines 4
truth args6 500
wait_until 60 lines 504
kill -INT $follower
wait $follower
expect_eq "status after Ctrl-C" $? 0
expect_eq "messages" "$(cat /tmp/follow.err)" ""
expect_eq "records" "$(grep -c '^ktruth:ktruth_args6 .*  pid [0-9]*$' /tmp/follow.out)" 504
ok ktrace print
expect_eq "cleared" "$out" ""

# The time is over: all records up to the end are printed.
truth args6 2
ok ktrace follow 0.5
expect_eq "in its time" "$(count_matches "$out" '^ktruth:ktruth_args6 ')" 2
started=$(date +%s)
ok ktrace follow 2s
[ $(($(date +%s) - started)) -le 20 ] || fail "2 seconds took too long"
expect_eq "nothing" "$out" ""
ok ktrace -e 'follow 0; list'

# After Ctrl-C in follow the script continues; SIGTERM ends everything.
ktrace -e 'follow; list' >/tmp/follow.out 2>&1 &
follower=$!
truth args6 1
wait_until 30 lines 1
kill -INT $follower
wait $follower
expect_match "goes on" "$(cat /tmp/follow.out)" '^ktruth:ktruth_args6  PID$'
ktrace -e 'follow; list' >/tmp/follow.out 2>&1 &
follower=$!
truth args6 1
wait_until 30 lines 1
kill -TERM $follower
wait $follower
expect_eq "status after SIGTERM" $? 143
expect_no_match "ends" "$(cat /tmp/follow.out)" '^ktruth:ktruth_args6  PID$'

# Two follows share the records: none is lost, some may be printed by both.
ktrace follow 6 >/tmp/one 2>/tmp/one.err &
ktrace follow 6 >/tmp/two 2>/tmp/two.err &
for i in 1 2 3 4 5; do
	truth args6 20
done
wait
[ "$(cat /tmp/one /tmp/two | grep -c '^ktruth:ktruth_args6')" -ge 100 ] || fail "records are lost between two"
