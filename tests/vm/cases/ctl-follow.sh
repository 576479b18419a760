#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: follow prints new records and clears them, sleeps while there are none, and ends in all possible ways
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
# In the calmest of these seconds: a CPU of the guest that the host stops counts that time as the follower's.
least=100
for second in 1 2 3 4 5; do
	before=$(ticks $follower)
	sleep 1
	idle=$(($(ticks $follower) - before))
	[ $idle -ge $least ] || least=$idle
done
[ $least -le 1 ] || fail "follow used at least $((least * 10)) ms of CPU time in a second in which nothing arrived"
echo "idle for a second: $((least * 10)) ms"

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
took=$(($(date +%s) - started))
[ $took -ge 2 ] && [ $took -le 60 ] || fail "2 seconds took $took"
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
ktrace follow >/tmp/one 2>/tmp/one.err &
one=$!
ktrace follow >/tmp/two 2>/tmp/two.err &
two=$!
# Until a process of the background catches SIGINT, it ignores it.
catches() {
	grep -q '^SigCgt:.*[2367abef]$' "/proc/$1/status"
}
wait_until 30 catches $one
wait_until 30 catches $two
for i in 1 2 3 4 5; do
	truth args6 20
done
all_shown() {
	[ "$(cat /tmp/one /tmp/two | grep -c '^ktruth:ktruth_args6 .*  pid [0-9]*$')" -ge 100 ]
}
wait_until 30 all_shown
kill -INT $one $two
wait $one
expect_match "status of the one" "$? $(cat /tmp/one.err)" '^0 (ktrace: another ktrace clears records, too: some are shown by both)?$'
wait $two
expect_match "status of the other" "$? $(cat /tmp/two.err)" '^0 (ktrace: another ktrace clears records, too: some are shown by both)?$'
