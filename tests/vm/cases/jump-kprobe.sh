#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: kprobes with jumps and breakpoints of ktrace, at the same and neighbouring instructions, in both orders
# long: 31 s
# vm: --smp 2
. /lab/lib.sh

events=/sys/kernel/tracing
all=$(places vfs_write | head -n 8)
place=$(echo "$all" | head -n 1)
third=$(echo "$all" | sed -n 3p)

is() {
	[ "$(ktrace list -v | awk -F '  +' -v name="$2" '$1 == name { print $2 }')" = "$1" ]
}

kprobe() {
	echo "p:lab $1" >>$events/kprobe_events && echo 1 >$events/events/kprobes/lab/enable
}

no_kprobe() {
	echo 0 >$events/events/kprobes/lab/enable
	echo '-:lab' >>$events/kprobe_events
}

works() {
	ok syscalls write 2000
	expect_no_match "kernel log" "$(dmesg)" 'BUG|WARNING|Oops'
}

# A kprobe on top of a jump: both work, and the jump stays until the kprobe is removed.
ok ktrace trace vfs_write PID METHOD jump
wait_until 20 is jump vfs_write
kprobe "$place" || fail "no kprobe on a jump"
works
run ktrace delete vfs_write
expect_status 1
expect_match "refusal" "$err" 'a kprobe sits on a tracepoint'
run ktrace delete '*'
expect_status 1
is jump vfs_write || fail "the jump went"
works
no_kprobe
works
ok ktrace delete vfs_write
works

# The kprobe first, at the same address: refused, whether armed or not, optimised or not.
kprobe "$place"
sleep 1
run ktrace trace vfs_write PID
expect_status 1
expect_match "refusal" "$err" "another tool's breakpoint"
echo 0 >$events/events/kprobes/lab/enable
run ktrace trace vfs_write PID
expect_status 1
echo '-:lab' >>$events/kprobe_events
ok ktrace trace vfs_write PID METHOD breakpoint
works

# On a breakpoint of ktrace no kprobe can be set.
kprobe "$place" 2>/dev/null && fail "a kprobe on a breakpoint of ktrace"
echo '-:lab' >>$events/kprobe_events 2>/dev/null
works
ok ktrace delete '*'

# All instructions of a function that can be traced, among them the one with the kprobe, in both orders.
kprobe "$third" || fail "no kprobe at $third"
for one in $all; do
	run ktrace trace "$one" PID
done
sleep 1
works
no_kprobe
for one in $all; do
	run ktrace trace "$one" PID
done
works
kprobe vfs_write+0x1c 2>/dev/null && works && no_kprobe
ok ktrace delete '*'
works
ok rmmod ktrace
works
