#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a thousand times set and removed where tasks are preempted, interrupted and put to sleep; then the module goes
# vm: --smp 2 --one-thread --timeout 400 --append preempt=full
. /lab/lib.sh

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

grep -q '(full)' /sys/kernel/debug/sched/preempt || echo full >/sys/kernel/debug/sched/preempt
modprobe ktruth
names=$(accepted schedule preempt_schedule_irq preempt_schedule_common mutex_lock mutex_unlock __mutex_lock_slowpath pipe_read pipe_write \
	do_wait wait_consider_task handle_mm_fault __handle_mm_fault do_nanosleep hrtimer_nanosleep futex_wait \
	schedule_timeout vfs_read vfs_write ktruth_args6 ktruth_kinds ktruth_five ktruth_recurse ktruth_sleeper)
# In the middle of functions, too: behind calls that sleep, and where nothing but a breakpoint can be.
inside=$(accepted $(for name in pipe_read do_nanosleep schedule mutex_lock ktruth_kinds; do
	for at in $(seq 1 160); do printf '%s+0x%x\n' $name $at; done
done))
ok ktrace -q trace vfs_open
ok sites jumps 60
ok sites drain
rawtext save /tmp/text || fail "no text to compare"
preempt 400 &
disturber=$!
again truths &
again pipes &
again forkstorm 4 2 &
again syscalls nanosleep 20 &

echo "trace $(echo $names $inside)" >/tmp/script
ok ktrace -q -f /tmp/script
ok sites cycle -w 40 400
echo "$out"
ok sites drain 60
echo "trace $(echo $names)" >/tmp/script
ok ktrace -q -f /tmp/script
ok sites cycle -w 60 590
echo "$out"
ok sites cycle -j 10
echo "$out"
touch /tmp/stop
# With them set, and tasks in their slots.
ok rmmod ktrace
kill $disturber
wait
[ ! -e /tmp/failed ] || fail "went wrong: $(cat /tmp/failed)"
expect_no_match "results" "$(cat /proc/ktruth)" 'wrong [1-9]'
run rawtext compare /tmp/text
expect_eq "text that is not restored" "$out" ""
well
