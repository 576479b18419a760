#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: all events on, with breakpoints in the code that records them; events on a breakpoint's own path are refused
. /lab/lib.sh

events=/sys/kernel/tracing/events
# The events on the path of every breakpoint, if this kernel has them.
own=
for name in notifier/notifier_run rcu/rcu_dyntick rcu/rcu_watching; do
	[ ! -e $events/$name ] || own="$own $name"
done
echo "on the way:${own:- none}"
switch() {
	sh -c "echo $1 >$2/enable"
}

for name in $own; do
	run switch 1 $events/"$name"
	expect_match "$name" "$err" 'busy'
	expect_eq "$name" "$(cat $events/"$name"/enable)" 0
	run ktrace trace "event:${name#*/}"
	expect_status 1
	expect_match "$name" "$err" "^ktrace: event:${name#*/}: part of the breakpoint entry path"
done

# Breakpoints in the code that writes kernel events to their buffer, and all events on.
for function in trace_event_buffer_reserve trace_event_buffer_commit ring_buffer_lock_reserve; do
	ok ktrace -q trace $function PID METHOD breakpoint
done
ok ktrace -q trace vfs_write PID METHOD breakpoint
run switch 1 $events
[ "$own" ] || expect_status 0
ok dd if=/dev/zero of=/tmp/file bs=64 count=50
ok switch 0 $events
ok ktrace list -v
echo "$out"
echo "$out" | awk '$1 ~ /buffer/ && $3 < 50 { few = 1 } END { exit few }' || fail "few of the events were met"
ok ktrace -q delete '*'
ok rmmod ktrace

# Without the module anyone can enable these events; while one is enabled, the module does not load.
for name in $own; do
	ok switch 1 $events/"$name"
	run modprobe ktrace
	expect_status 1
	expect_match "in the log" "$(dmesg)" "ktrace: the static tracepoint ${name#*/} is on, and every breakpoint would run who listens to it: switch it off first"
	run ktrace list
	expect_status 3
	expect_eq "loaded by the controller" "$err" "ktrace: events: the static tracepoint ${name#*/} is on: the module cannot be loaded: echo 0 | sudo tee $events/$name/enable"
	ok switch 0 $events/"$name"
done
ok ktrace list
for name in $own; do
	run switch 1 $events/"$name"
	expect_match "$name" "$err" 'busy'
done
ok rmmod ktrace
