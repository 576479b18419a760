#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: tracepoints where a preemptible kernel schedules: the hits of a task that has to go do not schedule, and end
# long: 55 s
# vm: --smp 2
. /lab/lib.sh

names="preempt_schedule_irq preempt_schedule_notrace"
for name in $names; do
	grep -q " $name\$" /proc/kallsyms || skip "this kernel is not preemptible: it has no $name"
done

# hits NAME: print how often it was reached
hits() {
	ktrace list -v | awk -v name="$1" '$1 == name { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9,]+$/) { gsub(",", "", $i); print $i; exit } }'
}

# preempted METHOD: run more tasks than CPUs, with tracepoints of this method
preempted() {
	ktrace -q -e "delete *; clear"
	for name in $names vfs_read; do
		ok ktrace -q trace "$name" METHOD "$1"
	done
	busy=
	for i in 1 2 3; do
		while :; do :; done &
		busy="$busy $!"
	done
	ok dd if=/dev/zero of=/dev/null bs=1 count=30000
	sleep 2
	# The ids are separate words.
	# shellcheck disable=SC2086
	kill $busy
	wait
	[ "$(hits vfs_read)" -ge 30000 ] || fail "$1: vfs_read was reached $(hits vfs_read) times"
	echo "$1: a task had to go in $(hits preempt_schedule_irq) interrupts"
	well
}

preempted jump
[ "$(hits preempt_schedule_irq)" -gt 0 ] || skip "this kernel does not preempt what it does for a task"
preempted breakpoint
