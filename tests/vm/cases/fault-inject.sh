#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: let every allocation and copy of the modules fail once, on every path: clean errors, nothing half set, no leak
# long: 85 s
# vm: --smp 2
. /lab/lib.sh

module=/lib/modules/$(uname -r)/updates/ktrace_fault.ko
[ -e "$module" ] || skip "no ktrace_fault.ko: make fault-module"
ok rmmod ktrace

# Load until nothing fails any more; the module can do without some allocations.
switch=/sys/module/ktrace_fault/parameters/fail_nth
for nth in $(seq 1 100); do
	if insmod "$module" fail_nth=$nth 2>/dev/null; then
		[ "$(cat $switch)" = 0 ] || break
		rmmod ktrace_fault
	fi
	[ ! -e /dev/ktrace ] || fail "a device without a module"
done
[ "$nth" -ge 6 ] && [ "$nth" -lt 100 ] || fail "loading: $nth attempts"
expect_no_match "left by a module that did not come up" "$(dmesg)" 'ktrace fault: [1-9-][0-9]* allocations left'
echo 0 >$switch
echo "load: $((nth - 1)) failures"

rawtext save /tmp/text
modprobe ktruth
# The first area of slots of each kind stays once it exists.
ok ktrace -q trace ktruth_args6 PID
ok sites jumps 60
ok ktrace -q delete ktruth_args6
ok sites drain 60
# Functions without calls: nothing is recorded, so no descriptor may stay.
ok ktrace -q trace ktruth_args6 PID METHOD breakpoint ktruth_square CONST 1 METHOD breakpoint \
	ktruth_recurse ALLREGS METHOD breakpoint ktruth_chain REG @arg1@ METHOD breakpoint
run faults
echo "$out"
[ "$status" = 0 ] || fail "$err"
ok sites drain 60
text_restored

# A call that is tried again, since the caller's memory was not there for the answer: of no hit that a CPU counted may
# the tracepoint know nothing. The fault itself hits: it notes its place by snprintf().
for nth in $(seq 1 60); do
	base=$(sites base)
	sh -c "echo $nth >$switch; exec ktrace -q trace snprintf PID" 2>/dev/null || true
	left=$(cat $switch)
	ok sites sums $base
	ok sites delete
	[ "$left" = 0 ] || break
done
[ "$nth" -ge 10 ] && [ "$nth" -lt 60 ] || fail "trace snprintf: $nth attempts"
ok sites drain 60
echo "counts: exact behind $((nth - 1)) failures"

# Unload with jumps set: nothing in it can fail, in the caller (1) or in kernel threads (-1).
for nth in 1 -1; do
	[ -e $switch ] || ok insmod "$module"
	ok ktrace -q trace vfs_write PID ktruth_args6 PID
	ok sites jumps 60
	ok syscalls write 100
	ok sh -c "echo $nth >$switch; exec rmmod ktrace_fault"
	expect_match "left by the module" "$(dmesg | tail -3)" 'ktrace fault: 0 allocations left'
	ok syscalls write 100
	ok rmmod ktruth
	ok modprobe ktruth
done

# ktrace_user.ko. Its nodes have two numbers to be made with, and the second attempt succeeds.
user=/lib/modules/$(uname -r)/updates/ktrace_user_fault.ko
switch=/sys/module/ktrace_user_fault/parameters/fail_nth
for nth in $(seq 1 20); do
	if insmod "$user" fail_nth="$nth" 2>/dev/null; then
		[ "$(cat $switch)" = 0 ] || break
		[ -e /dev/ktrace-user ] || fail "no node with another number"
		rmmod ktrace_user_fault
	fi
	[ ! -e /dev/ktrace-user ] && [ ! -e /dev/ktrace-user-control ] || fail "a node without a module"
done
[ "$nth" -ge 4 ] && [ "$nth" -lt 20 ] || fail "loading ktrace_user: $nth attempts"
echo 0 >$switch
echo "load ktrace_user: $((nth - 1)) failures"
ok userfaults
echo "$out"
ok rmmod ktrace_user_fault
expect_no_match "left by ktrace_user" "$(dmesg)" 'ktrace fault: [1-9-][0-9]* allocations left'
well
