#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: set and remove again and again, where tasks are preempted, interrupted and asleep; then the module is unloaded
# long: 50 s
# vm: --smp 2 --append preempt=full
# No brake: tracepoints must stay armed, however often they are hit.
#
# CYCLES=N (`make check-robust`: 1000)
. /lab/lib.sh

CYCLES=${CYCLES:-25}
tracing=/sys/kernel/tracing

again() {
	while [ ! -e /tmp/stop ]; do
		"$@" || echo "$*" >>/tmp/failed
	done >/dev/null 2>&1
}

truths() {
	for name in args6 kinds five recurse indirect register square sleeper; do
		echo "call $name 5" >/proc/ktruth || return 1
	done
}

pipes() {
	dd if=/dev/zero bs=512 count=200 2>/dev/null | dd of=/dev/null bs=300 2>/dev/null
}

# The address where a preempted task was interrupted is on the stack of preempt_schedule_irq(): is it in a slot?
slots_watch() {
	areas=$(sed -n 's/^\(0x[0-9a-f]*\)-\(0x[0-9a-f]*\) .* kt_area_map.*/\1 \2/p' /proc/vmallocinfo)
	[ "$(echo "$areas" | wc -l)" = 2 ] || fail "not one area of slots and one of trampolines: $areas"
	words=$(for n in $(seq 8 40); do echo "s$n=\$stack$n"; done)
	filter=$(for n in $(seq 8 40); do echo "$areas" | awk -v n=$n '{ print "|| (s" n " >= " $1 " && s" n " < " $2 ")" }'; done)
	echo "p:lab preempt_schedule_irq" $words >>$tracing/kprobe_events || return
	echo ${filter#|| } >$tracing/events/kprobes/lab/filter
	echo 1 >$tracing/events/kprobes/lab/enable
}

slots_seen() {
	echo "preempted in a slot or trampoline: $(grep -c ' lab: ' $tracing/trace) times"
	echo 0 >$tracing/events/kprobes/lab/enable
	echo '-:lab' >>$tracing/kprobe_events
}

preempt=/sys/kernel/debug/sched/preempt
[ ! -e $preempt ] || grep -q '(full)' $preempt || echo full >$preempt
modprobe ktruth
names=$(accepted schedule preempt_schedule_irq preempt_schedule_common mutex_lock mutex_unlock __mutex_lock_slowpath pipe_read pipe_write \
	do_wait wait_consider_task handle_mm_fault __handle_mm_fault do_nanosleep hrtimer_nanosleep futex_wait \
	schedule_timeout vfs_read vfs_write ktruth_args6 ktruth_kinds ktruth_five ktruth_recurse ktruth_sleeper)
# Also inside functions: behind calls that sleep, and at instructions that only a breakpoint can trace.
inside=$(accepted $(for name in pipe_read do_nanosleep schedule mutex_lock ktruth_kinds; do
	inside $name | head -160
done))
[ "$(echo $inside | wc -w)" -ge 50 ] || fail "only $inside"
all=$(accepted $names $inside)	# a function's name is one of the addresses in it
ok ktrace -q trace vfs_open
ok sites jumps 60
ok sites drain
ok rmmod ktrace
rawtext save /tmp/text || fail "no text to compare"
ok modprobe ktrace brake=0
# The first area of each kind stays. Machine code for hits would have an area of its own: METHOD plain has none.
ok ktrace -q trace vfs_open METHOD plain
ok sites jumps 60
ok sites drain
slots_watch
preempt 400 &
disturber=$!
again truths &
again pipes &
again forkstorm 4 2 &
again syscalls nanosleep 20 &

echo "trace $(echo $all)" >/tmp/script
ok ktrace -q -f /tmp/script
ok sites cycle -w 40 $((CYCLES * 2 / 5))
echo "$out"
ok sites drain 60
echo "trace $(echo $names)" >/tmp/script
ok ktrace -q -f /tmp/script
ok sites cycle -w 60 $((CYCLES * 3 / 5))
echo "$out"
ok sites cycle -j 5
echo "$out"
touch /tmp/stop
# Unload with tracepoints set, and tasks in their slots.
ok rmmod ktrace
kill $disturber
wait
slots_seen
[ ! -e /tmp/failed ] || fail "went wrong: $(cat /tmp/failed)"
expect_no_match "results" "$(cat /proc/ktruth)" 'wrong [1-9]'
text_restored
well
