#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: two latencies, ELAPSED, a run and a plain tracepoint at one return, set and deleted in all orders: exact counts
# long: 35 s
# vm: --smp 2
# No brake: each consumer must get all of the frequent hits.
# arch: x86: the program uses the DWARF number of the stack pointer on x86
. /lab/lib.sh
ok modprobe ktruth

ok ktrace trace ktruth_run PID
ok ktrace trace ktruth_run%return PID
expect_eq "one return" "$(ktrace list | wc -l)" 2

# Another process calls the function all the time, too.
(while :; do echo time run 40 500 >/proc/ktruth; done) &
load=$!
ok consumers 120
echo "$out"
kill $load
expect_eq "nothing is left" "$(ktrace list | wc -l)" 0

ok ktrace clear

# As a user does: a tracepoint from the prompt, and a measurement of the same function, which leaves it
# unchanged.
ok ktrace trace ktruth_run%return PID
ok ktrace trace ktruth_run PID
ok ktrace latency ktruth_run --json -- sh -c 'echo time run 5 30 >/proc/ktruth'
expect_eq "calls of the command" "$(field count)" 30
ok ktrace list
expect_match "list" "$out" '^ktruth:ktruth_run +PID$'
ok ktrace --json print
expect_eq "records of both" "$(grep -c '"type":"record"' /tmp/out)" 60
# The same user sets it again: it is updated.
ok ktrace trace ktruth_run COMM
expect_match "updated" "$err" 'already exists, updating'
expect_eq "two are set" "$(ktrace list | wc -l)" 2
ok ktrace delete '*'

# As many clients as one address can have; one more is refused, and the others continue to count.
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	ktrace run 'trace ktruth_spin PID' -- sh -c 'read -r go </tmp/go' >/tmp/run.$i 2>&1 &
done
mkfifo /tmp/go
wait_until 120 sh -c '[ "$(ktrace list | wc -l)" = 16 ]'
run ktrace trace ktruth_spin PID
expect_status 1
expect_match "crowded" "$err" 'the address has the maximum number of tracepoints'
killall ktrace
wait
wait_until 60 sh -c '[ "$(ktrace list | wc -l)" = 0 ]'
well
