#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: static tracepoints of kernel and module: arguments, filters, limits, other users, all at once, removal
# long: 49 s
# vm: --smp 2
. /lab/lib.sh

tracing=/sys/kernel/tracing

# sys_enter(regs, id): the arguments follow the callback's own first argument.
ok ktrace -q trace event:sys_enter REG @arg3@ PID IF '$@half3@ == @getpid@' event:sched_process_exec ONLYCOMM busybox PID
ok ktrace list
expect_match "listed" "$out" '^event:sys_enter '
expect_match "listed" "$out" '^event:sched_process_exec  ONLYCOMM busybox PID$'
ok ktrace list -v
expect_match "method" "$out" '^event:sys_enter .* event .* static tracepoint '
ok ktrace clear
before=$(counted recorded)
n=0
while [ $n -lt 20 ]; do
	/bin/busybox true
	n=$((n + 1))
done
ok ktrace -q print
expect_eq "each exec is recorded once" "$(printf '%s\n' "$out" | grep -c '^event:sched_process_exec ')" 20
ok ktrace -q delete event:sys_enter
ok ktrace list
expect_eq "left" "$out" "event:sched_process_exec  ONLYCOMM busybox PID"

# An update replaces the options; a limit disarms, and setting it again arms it.
run ktrace trace event:sched_process_exec LIMIT 3 ONLYCOMM busybox COMM
expect_match "updated" "$err" 'Tracepoint at event:sched_process_exec already exists, updating'
ok ktrace clear
for i in 1 2 3 4 5; do
	/bin/busybox true
done
ok ktrace -q printclear
expect_eq "limit" "$(printf '%s\n' "$out" | grep -c 'comm="')" 3
wait_until 10 sh -c 'ktrace list -v | grep -q "off: limit"'
ok ktrace -q trace event:sched_process_exec LIMIT 2 ONLYCOMM busybox PID
for i in 1 2 3; do
	/bin/busybox true
done
ok ktrace -q printclear
expect_eq "armed again" "$(printf '%s\n' "$out" | grep -c ' pid ')" 2

# No such event; and options that only instructions have.
run ktrace trace event:nosuch PID
expect_status 1
expect_match "none" "$err" "no such static tracepoint"
run ktrace trace event:sched_swich PID
expect_match "misspelt" "$err" "did you mean sched_switch"
run ktrace trace event:sched_switch METHOD jump
[ "$status" -ne 0 ] || fail "METHOD jump"
run ktrace trace event:sched_switch METHOD event
expect_status 2
ok ktrace -q delete '*'

# Other users of the same event come and go, before and after ktrace.
for first in us them; do
	[ $first = us ] && ok ktrace -q trace event:sched_process_fork PID
	echo 1 >$tracing/events/sched/sched_process_fork/enable
	[ $first = them ] && ok ktrace -q trace event:sched_process_fork PID
	ok ktrace clear
	(/bin/busybox true)
	ok ktrace -q printclear
	expect_match "beside ftrace, $first first" "$out" '^event:sched_process_fork '
	[ $first = us ] && ok ktrace -q delete '*'
	echo 0 >$tracing/events/sched/sched_process_fork/enable
	[ $first = them ] && ok ktrace -q delete '*'
done
grep -q sched_process_fork $tracing/trace || fail "ftrace saw none"

# Events of a module: arguments, also those on the stack; they disappear with the module.
modprobe ktruth
event=$(sed -n 's/.* __traceiter_\(ktruth_event[_a-z]*\).*/\1/p' /proc/kallsyms | head -1)
ok ktrace -q trace "event:$event" REG @arg2@ REG @half3@ STR '$@arg4@' REG @arg5@ REG @arg6@ @last_items@
ok sh -c 'echo call event 1 >/proc/ktruth'
ok ktrace -q printclear
expect_match "arguments" "$out" \
	'@arg2@=1111222233334444  @half3@=fffffffb  .@arg4@="planted truth"  @arg5@=0{14}28  @arg6@=0{14}32  @last_shown@'
ok rmmod ktruth
ok ktrace list
expect_eq "gone with the module" "$out" ""
run ktrace trace "event:$event"
expect_status 1
modprobe ktruth
ok ktrace -q trace "event:$event" PID
ok rmmod ktruth

# All events at once under load: every loss is counted, and at the end all are gone.
run ktrace -q --yes trace 'event:*' PID CPU
ok ktrace list
[ "$(printf '%s\n' "$out" | wc -l)" -ge 500 ] || fail "only $(printf '%s\n' "$out" | wc -l)"
mixload 4 >/dev/null 2>&1 &
ok mixload 4
wait
for i in 1 2 3; do
	ok ktrace -q --yes trace 'event:sched_*' COMM
	ok ktrace -q delete '*'
	run ktrace -q --yes trace 'event:*' PID
done
ok ktrace -q delete '*'
[ "$(counted recorded)" -gt $((before + 10000)) ] || fail "hardly any record"
ok rmmod ktrace
well
