#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: unload and load a traced module, under load, with a kprobe on a tracepoint, while ktrace is unloaded
# long: 25 s
# vm: --smp 2
. /lab/lib.sh

events=/sys/kernel/tracing

# truths: call every planted function and check its result
truths() {
	for name in args6 kinds five recurse indirect square chain; do
		echo "call $name 20" >/proc/ktruth || fail "$name gave a wrong result"
	done
}

arm() {
	ok ktrace -q trace ktruth_args6 "$@" ktruth_square "$@" ktruth_recurse "$@" ktruth_kinds "$@" vfs_write "$@"
}

# kprobe NAME: set a kprobe at the address of the only tracepoint, which is in ktruth_args6
kprobe() {
	offset=$(($(ktrace --json list | sed 's/.*"addr":"\(0x[0-9a-f]*\)".*/\1/') -
		0x$(awk '$3 == "ktruth_args6" { print $1 }' /proc/kallsyms)))
	echo "p:$1 ktruth:ktruth_args6+$offset" >>$events/kprobe_events && echo 1 >$events/events/kprobes/$1/enable ||
		fail "no kprobe at ktruth_args6+$offset"
}

modprobe ktruth
for round in 1 2 3; do
	for method in breakpoint auto; do
		options=PID
		[ $method = auto ] || options="PID METHOD $method"
		arm $options
		[ $method = breakpoint ] || ok sites jumps 60
		truths
		[ "$(sites hits)" -ge 180 ] || fail "only $(sites hits) hits"
		ok rmmod ktruth
		expect_eq "tracepoints left" "$(ktrace list | awk '{ print $1 }')" vfs_write
		ok modprobe ktruth
		truths
		ok sites drain 60
	done
done
expect_match "log" "$(dmesg)" 'ktrace: module ktruth is going: 4 tracepoints in it are removed'

# Unload while tracepoints are set and removed, and the functions are called.
(while [ ! -e /tmp/stop ]; do
	[ -e /proc/ktruth ] && for name in args6 kinds five; do
		echo "call $name 5" >/proc/ktruth
	done
done 2>/dev/null) &
(while [ ! -e /tmp/stop ]; do
	ktrace -q trace ktruth_args6 PID ktruth_kinds PID ktruth_five PID >/dev/null 2>&1
	ktrace -q delete '*' 2>/dev/null
done) &
for i in 1 2 3 4 5 6; do
	sleep 1
	until rmmod ktruth 2>/dev/null; do usleep 10000; done
	modprobe ktruth
done
touch /tmp/stop
wait
expect_no_match "results" "$(dmesg)" 'ktruth: .* instead of'
truths
ok sites drain 60
well

# A kprobe on a jump, in a module that is unloaded.
ok ktrace -q trace ktruth_args6 PID
ok sites jumps 60
kprobe lab
truths
if rmmod ktruth 2>/dev/null; then
	expect_eq "tracepoints left" "$(ktrace list)" ""
fi
echo 0 >$events/events/kprobes/lab/enable
echo '-:lab' >>$events/kprobe_events
ok sites drain 60
[ ! -e /proc/ktruth ] || ok rmmod ktruth

# ktrace itself waits for a kprobe on one of its jumps, also if the kprobe goes with its module.
modprobe ktruth
ok ktrace -q trace ktruth_args6 PID
ok sites jumps 60
kprobe lab2
rmmod ktrace &
sleep 2
expect_match "module that waits" "$(cat /proc/modules)" '^ktrace '
truths
echo 0 >$events/events/kprobes/lab2/enable
ok rmmod ktruth
wait_until 20 eval '! grep -q ^ktrace /proc/modules'
wait
well
