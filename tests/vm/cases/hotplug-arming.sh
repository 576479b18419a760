#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: CPUs go offline and online while hundreds of tracepoints are set, hit, removed: exact sums, text restored
# long: 30 s
# vm: --smp 3
. /lab/lib.sh

# Repeat until /tmp/stop exists.
again() {
	while [ ! -e /tmp/stop ]; do
		"$@" || touch /tmp/failed
	done >/dev/null 2>&1
}

plug() {
	for cpu in 1 2; do
		cpu_down $cpu
		cpu_up $cpu
	done
}

sed -n 's/^\([a-z0-9_]*\)$/\1/p' /sys/kernel/tracing/available_filter_functions |
	grep -E '^(vfs|cpu|smp|sched|tick|hrtimer|wake|kthread|workqueue|rcu|timer|do)_' | sort | uniq -u | head -400 >/tmp/names
echo "trace $(accepted $(cat /tmp/names) | head -300 | tr '\n' ' ')" >/tmp/script
ok ktrace -q trace vfs_write
ok sites jumps 60
ok sites drain
rawtext save /tmp/text || fail "no text to compare"
base=$(sites base)
ok ktrace -q -f /tmp/script
again plug &
again syscalls write 100 &
again forkstorm 5 2 &
sleep 6
ok sites cycle -w 300 15
ok sites cycle -j 2
touch /tmp/stop
wait
[ ! -e /tmp/failed ] || fail "the load or a CPU failed"
expect_eq "CPUs" "$(cat /sys/devices/system/cpu/online)" 0-2
ok sites drain 60
base=$(sites base)
ok ktrace -q -f /tmp/script
plug
ok syscalls write 1000
ok sites sums $base
echo "$out"
ok sites drain 60
text_restored
well
ok rmmod ktrace
