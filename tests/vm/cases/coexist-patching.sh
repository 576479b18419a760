#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: jump labels, static calls, ftrace and modules patch text near tracepoints that are set, suspended, removed
# long: 50 s
# vm: --smp 2 --modprobe dummy --modprobe loop
. /lab/lib.sh

tracing=/sys/kernel/tracing

again() {
	while [ ! -e /tmp/stop ]; do
		"$@"
	done >/dev/null 2>&1
}

flips() {
	for value in 1 0; do
		echo $value >/proc/sys/kernel/sched_schedstats
		echo $value >$tracing/events/sched/enable
		echo $value >$tracing/events/syscalls/sys_enter_write/enable
	done
}

static_calls() {
	for model in none voluntary full; do
		echo $model >/sys/kernel/debug/sched/preempt
	done
}

tracers() {
	echo 'vfs_*' >$tracing/set_ftrace_filter
	echo function >$tracing/current_tracer
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
}

modules() {
	rmmod dummy
	rmmod loop
	modprobe loop
	modprobe dummy
}

suspends() {
	ktrace -q freeze
	ktrace -q unfreeze
}

patched="try_to_wake_up __schedule enqueue_task_fair dequeue_task_fair vfs_read vfs_write ksys_write wake_up_new_task"
every=$(accepted $(for name in $patched; do
	echo $name
	inside $name 3 | head -80
done))
[ "$(echo $every | wc -w)" -ge 50 ] || fail "only $every"
ok ktrace -q trace vfs_open
ok sites jumps 60
ok sites drain
# The kernel does some things only once, for example at the first connection: let it do them before the text is
# saved.
ok mixload 1
sleep 2
flips
static_calls
echo voluntary >/sys/kernel/debug/sched/preempt
rawtext save /tmp/text || fail "no text to compare"

for set in "$every" "$(accepted $patched)"; do
	rm -f /tmp/stop
	ok ktrace -q trace $(echo $set)
	for loop in flips static_calls tracers modules suspends; do
		again $loop &
	done
	again mixload 1 &
	ok sites cycle -w 200 25
	ok sites cycle -j 2
	echo "$out"
	touch /tmp/stop
	wait
	ok sites drain 60
	well
done

echo nop >$tracing/current_tracer
echo >$tracing/set_ftrace_filter
echo 0 >$tracing/events/enable
echo 0 >/proc/sys/kernel/sched_schedstats
echo voluntary >/sys/kernel/debug/sched/preempt
text_restored
ok rmmod ktrace
well
