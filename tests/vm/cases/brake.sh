#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: too many tracepoints: hits are turned away, the most expensive are disarmed, all else continues, counts balance
# long: 40 s
# vm: --smp 2 --timeout 900 --module-args brake=30
. /lab/lib.sh

# brake KEY: print this value of the brake in `status`
brake() {
	ktrace --json status | sed "s/.*\"brake\":{[^}]*\"$1\":\([0-9]*\).*/\1/"
}

let_go() {
	[ "$(brake cpus)" = 0 ]
}

# off: print how many tracepoints the brake has disarmed
off() {
	ktrace list -v | grep -c '  off: brake  '
}

expect_match "before" "$(ktrace status)" '^brake  *hits are turned away where they take more than 30 % of a CPU$'
dmesg -n 1

# Trace timers, scheduler and locks, each with BACKTRACE, some with a string that faults, inside interrupts and
# locks.
sed -n 's/^\([a-z0-9_]*\)$/\1/p' /sys/kernel/tracing/available_filter_functions | sort | uniq -u |
	grep -E 'timer|tick|sched|task|lock|wake|queue|rcu|time|irq|rq|fair|entity|load|mutex|sem' | awk 'NR % 2' >/tmp/names
accepted $(cat /tmp/names) >/tmp/good
nr=$(wc -l </tmp/good)
[ "$nr" -ge 1500 ] || fail "only $nr functions of the kernel's timers, scheduler and locks can be traced"
awk '{ print $1, NR % 10 ? "" : "STR (u64)0x10000", "BACKTRACE 16" }' /tmp/good | tr '\n' ' ' >/tmp/flood
echo "trace $(cat /tmp/flood)" >/tmp/script
ktrace follow >/dev/null 2>/tmp/followed &
follower=$!
stall >/tmp/stalled &
staller=$!
base=$(sites base)
ok ktrace -q -f /tmp/script
for round in 1 2 3 4 5 6; do
	ok syscalls -p 2 write 2000
	ok forkstorm 5 2
done
wait_until 120 sh -c '[ $(ktrace list -v | grep -c "  off: brake  ") -gt 0 ]'
kill $staller
wait $staller
set -- $(cat /tmp/stalled)
echo "$nr tracepoints, $(off) of them off by the brake, which came $(brake times) times; $(counted braked) hits turned away; the longest stall: $2 ms of $1 naps"
[ "$2" -lt 5000 ] || fail "a process did not go on for $2 ms"
[ "$1" -ge 100 ] || fail "a process had only $1 naps"
[ "$(counted braked)" -gt 0 ] || fail "no hit was turned away"
ok sites sums $base
echo "$out"
expect_match status "$(ktrace status)" '^brake .* as happened [0-9]+ times?; [0-9]+ tracepoints? (is|are) off by it'
expect_match "the kernel's log" "$(dmesg)" 'ktrace: tracepoints take more than 30 % of cpu [01]: the [0-9]* dearest are off now'
expect_match list "$(ktrace --json list)" '"off_by_brake":true'
kill -INT $follower
wait $follower
expect_match "what follow says" "$(cat /tmp/followed)" '^ktrace: warning: tracepoints took more than 30 % of a CPU: [0-9,]* hits were turned away by the brake'
well

# When they are deleted, no hit is turned away any more.
ok ktrace -q delete '*'
ok sites drain 120
wait_until 60 let_go
ok ktrace clear
expect_eq "off" "$(brake tracepoints_off)" 0

# A disarmed tracepoint is armed when it is set again, and its hits are recorded.
ktrace -q trace vfs_write BACKTRACE METHOD breakpoint || fail "trace"
ok syscalls write 400000
wait_until 60 let_go
expect_eq "disarmed" "$(off)" 1
turned_away=$(counted braked)
ok ktrace trace vfs_write PID
expect_eq "disarmed when it is set again" "$(off)" 0
hits=$(sites hits)
ok syscalls write 100
[ $(($(sites hits) - hits)) -ge 100 ] || fail "of 100 hits $(($(sites hits) - hits)) were met"
expect_eq "turned away" "$(counted braked)" "$turned_away"
ok ktrace -q delete '*'

# A measurement whose hits are turned away prints no wrong figures: it reports the calls without an end.
# On an emulated machine the two CPUs take turns: each gets less than half of one CPU.
echo 5 >/sys/module/ktrace/parameters/brake
ok ktrace latency vfs_write METHOD breakpoint --json -- syscalls -p 2 write 200000
expect_match "latency" "$err" '^ktrace: warning: tracepoints took more than 5 % of a CPU'
[ "$(field turned_away)" -gt 0 ] || fail "no hit of the measurement was turned away"
sum=0
for name in count filtered over_quota overflow abandoned open braked; do
	sum=$((sum + $(field $name)))
done
expect_eq "calls that were entered" "$(field entered)" $sum
[ $((2 * $(field entered))) -lt 800000 ] || fail "all were measured"
ok ktrace latency vfs_write METHOD breakpoint -- syscalls -p 2 write 200000
expect_match "report" "$out" '^[0-9,]+ hits turned away by the brake, not included in the figures above'
expect_eq "left" "$(sites count)" 0

# Without a limit all hits are recorded.
echo 0 >/sys/module/ktrace/parameters/brake
turned_away=$(counted braked)
ok ktrace -q trace vfs_write BACKTRACE METHOD breakpoint
ok syscalls write 100000
expect_eq "turned away without a limit" "$(counted braked)" "$turned_away"
[ "$(sites hits)" -ge 100000 ] || fail "$(sites hits) of 100000 hits"
expect_match status "$(ktrace status)" '^brake  *off: the CPU time of tracepoints has no limit$'
run sh -c 'echo 101 >/sys/module/ktrace/parameters/brake'
[ "$status" != 0 ] || fail "101 % is no limit"
ok ktrace -q delete '*'
ok sites drain 60
ok rmmod ktrace
well
