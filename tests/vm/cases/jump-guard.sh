#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a later kprobe is not optimised over a branch target that ktrace has displaced
# vm: --smp 2
# arch: x86: only there does the kernel optimise kprobes to jumps
. /lab/lib.sh

events=/sys/kernel/tracing

optimised() {
	grep -q "$1.*OPTIMIZED" /sys/kernel/debug/kprobes/list
}

modprobe ktruth
mount -t debugfs none /sys/kernel/debug 2>/dev/null
# ktruth_spin: mov; 1: sub; jnz 1b. A jump over mov and sub would have the start of the loop inside.
ok ktrace trace ktruth_spin+7 PID METHOD breakpoint
echo kprobe ktruth_spin >/proc/ktruth || fail "no kprobe at ktruth_spin"
echo "p:other $(places vfs_write | head -n 1)" >>$events/kprobe_events
echo 1 >$events/events/kprobes/other/enable
wait_until 20 optimised vfs_write
optimised ktruth_spin && fail "optimised over the target of a displaced branch"
truth spin 3
expect_match "ktruth" "$(cat /proc/ktruth)" '^call spin expected 500 called 3 wrong 0$'
echo kprobe >/proc/ktruth || fail "the kprobe stays"
ok ktrace delete '*'
truth spin 3
expect_match "ktruth" "$(cat /proc/ktruth)" '^call spin expected 500 called 6 wrong 0$'

# The same under a jump, which replaces the branch and the return behind it.
run ktrace trace ktruth_spin+7 PID METHOD jump
if [ "$status" -eq 0 ]; then
	wait_until 20 sh -c 'ktrace list -v | grep -q "  jump  "'
	echo 0 >$events/events/kprobes/other/enable
	echo kprobe ktruth_spin >/proc/ktruth || fail "no kprobe at ktruth_spin"
	echo 1 >$events/events/kprobes/other/enable
	wait_until 20 optimised vfs_write
	optimised ktruth_spin && fail "optimised over the target of a branch under a jump"
	truth spin 3
	expect_match "ktruth" "$(cat /proc/ktruth)" '^call spin expected 500 called 9 wrong 0$'
	echo kprobe >/proc/ktruth || fail "the kprobe stays"
	ok ktrace delete '*'
	truth spin 3
	expect_match "ktruth" "$(cat /proc/ktruth)" '^call spin expected 500 called 12 wrong 0$'
else
	expect_match "refusal" "$err" 'the requested method is not possible there'
fi

# The guard's own instruction is refused. If the guard is at the function's first instruction, before the one
# that a tracepoint at the function patches, both work.
ok ktdev find 3 arch_prepare_optimized_kprobe
guard=$(printf '%s\n' "$out" | awk '{ print substr($2, 3) }')
start=$(awk '$3 == "arch_prepare_optimized_kprobe" { print $1 }' /proc/kallsyms)
run ktrace trace arch_prepare_optimized_kprobe PID
if [ "$guard" = "$start" ]; then
	expect_status 0
else
	expect_status 1
	expect_match "refusal" "$err" 'the ktrace module itself'
fi
ok ktrace trace ktruth_spin+7 PID METHOD breakpoint
echo kprobe ktruth_spin >/proc/ktruth || fail "no kprobe at ktruth_spin"
echo 0 >$events/events/kprobes/other/enable
echo 1 >$events/events/kprobes/other/enable
wait_until 20 optimised vfs_write
optimised ktruth_spin && fail "optimised over the target of a displaced branch"
echo kprobe >/proc/ktruth || fail "the kprobe stays"
ok ktrace delete '*'
ok rmmod ktrace
