#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a load well below the budget, even or in bursts, is never turned away; timers run only while something is armed
# long: 20 s
# vm: --smp 2 --module-args brake=30
. /lab/lib.sh

# timers: count the module's timers, one on each online CPU; a timer that ends during the read may be listed
# twice
timers() {
	sed -n 's/.*<\(.*\)>, kt_brake_tick .*/\1/p' /proc/timer_list | sort -u | wc -l
}

# timers_are N: wait for N timers; a timer is not in the list while its function runs
timers_are() {
	[ "$(timers)" = "$1" ]
}

timers_are 0 || fail "$(timers) timers before"
ok ktrace -q trace vfs_write PID vfs_read PID BACKTRACE
wait_until 10 timers_are 2
# A CPU that goes offline has no timer; when it comes online, it has one again.
cpu_down 1
wait_until 10 timers_are 1
cpu_up 1
wait_until 10 timers_are 2
# About 10 % of a CPU: a call, then a pause of nine times as long.
ok syscalls -p 2 -w 20 write 50000
ok syscalls -p 2 -w 200 read 5000
# A burst ends before two estimates.
for burst in 1 2 3 4 5 6 7 8 9 10; do
	ok syscalls write 1000
	usleep 50000
done
ok ktrace latency vfs_write --json -- syscalls -w 50 write 10000
expect_eq "turned away" "$(field turned_away)" 0
[ "$(field count)" -ge 10000 ] || fail "$(field count) of 10000 calls"
expect_eq "messages" "$err" ""
expect_eq "turned away" "$(counted braked)" 0
expect_match status "$(ktrace --json status)" '"brake":\{"percent":30,"cpus":0,"times":0,"tracepoints_off":0\}'
# A tracepoint that reached its limit is not armed, like a deleted one.
ok ktrace -q -e "delete *; trace vfs_write PID LIMIT 10"
ok syscalls write 20
wait_until 20 sh -c '! grep -q kt_brake_tick /proc/timer_list'
ok ktrace -q trace vfs_write PID
wait_until 10 timers_are 2
ok ktrace -q delete '*'
wait_until 10 timers_are 0
ok sites drain 60
well
