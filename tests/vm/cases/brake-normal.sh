#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a load well below the budget, in bursts and evenly, is never turned away; the timers run only while something is armed
# long: 20 s
# vm: --smp 2 --timeout 400
. /lab/lib.sh

# timers: ours, one on each CPU that has one; one that ends while the list is read is listed twice
timers() {
	sed -n 's/.*<\(.*\)>, kt_brake_tick .*/\1/p' /proc/timer_list | sort -u | wc -l
}

# timers_are N: while one is at work it is not in that list
timers_are() {
	[ "$(timers)" = "$1" ]
}

timers_are 0 || fail "$(timers) timers before"
ok ktrace -q trace vfs_write PID vfs_read PID BACKTRACE
wait_until 10 timers_are 2
# A CPU that goes takes its own along, and has one again when it comes back.
echo 0 >/sys/devices/system/cpu/cpu1/online
wait_until 10 timers_are 1
echo 1 >/sys/devices/system/cpu/cpu1/online
wait_until 10 timers_are 2
# About 10 %: a call, then a pause of nine times as long.
ok syscalls -p 2 -w 20 write 50000
ok syscalls -p 2 -w 200 read 5000
# A burst is over before two ticks.
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
# What is off by its limit is armed no more than what is deleted.
ok ktrace -q -e "delete *; trace vfs_write PID LIMIT 10"
ok syscalls write 20
wait_until 20 sh -c '! grep -q kt_brake_tick /proc/timer_list'
ok ktrace -q trace vfs_write PID
wait_until 10 timers_are 2
ok ktrace -q delete '*'
wait_until 10 timers_are 0
ok sites drain 60
well
