#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: BACKTRACE finds the callers that the kernel's own stack traces have: system calls, faults, interrupts; beside kretprobes; after rmmod
# arch: x86: only there is kept what the kernel's unwinder has found
# vm: --smp 1 --module-args brake=0
. /lab/lib.sh

tracefs=/sys/kernel/tracing
grep -q stacktrace $tracefs/README 2>/dev/null && [ -e $tracefs/kprobe_events ] || skip "this kernel has no kprobe events with stack traces"
echo 1 >$tracefs/options/sym-offset
echo 16384 >$tracefs/buffer_size_kb

work() {
	dd if=/dev/zero of=/tmp/file bs=4k count=60
	dd if=/tmp/file of=/dev/null bs=1 count=2000
	dd if=/tmp/file of=/dev/null bs=1M
	rm /tmp/file
} 2>/dev/null

# theirs FUNCTION: each stack that the kernel has written, once
theirs() {
	awk -v at="$1+" '
		function end() { if (inside == 2) print stack; inside = 0; stack = "" }
		/<stack trace>/ { end(); inside = 1; next }
		!/^ => / { end(); next }
		inside == 2 { sub(/([+]0x0)?\/.*/, ""); stack = stack (stack ? " < " : "") $2 }
		inside == 1 && index($2, at) == 1 { inside = 2 }
		END { end() }' $tracefs/trace | sort -u
}

# ours: the same of the last print, whose lines end with < where a stack goes on
ours() {
	echo "$out" | awk '/^ *from / { inside = 1; sub(/^ *from /, "") } inside { sub(/^ */, ""); printf "%s", $0; inside = / < ?$/; if (!inside) print "" }' | sort -u
}

# compare FUNCTION: the hits of dd, by ktrace and by the kernel
compare() {
	echo >$tracefs/trace
	echo "p:bt $1" >$tracefs/kprobe_events || fail "kprobe at $1"
	echo 'stacktrace if COMM == "dd"' >$tracefs/events/kprobes/bt/trigger
	ok ktrace -q trace "$1" COUNT BY BACKTRACE 40 ONLYCOMM dd
	ok sites jumps 60
	work
	ok ktrace print
	ours >/tmp/ours
	ok ktrace -q -e 'delete *; clear'
	echo '!stacktrace' >$tracefs/events/kprobes/bt/trigger
	theirs "$1" >/tmp/theirs
	echo >$tracefs/kprobe_events
	echo "$1: $(wc -l </tmp/ours) stacks, $(awk '{ if (NF > most) most = NF } END { print (most + 1) / 2 }' /tmp/ours) callers at most"
	# Addresses with two names.
	sed -i 's/__x86_indirect_thunk_[a-z0-9]*/thunk/g;s/asm_call_irq_on_stack/asm_call_on_stack/g' /tmp/theirs /tmp/ours
	diff /tmp/theirs /tmp/ours >/tmp/diff || fail "$1: they differ: $(grep "^[+-][^+-]" /tmp/diff | head -6)"
	cat /tmp/ours >>/tmp/all
}

traced=0
for name in vfs_write handle_mm_fault mutex_lock dput __alloc_pages __alloc_pages_noprof __alloc_frozen_pages_noprof try_to_wake_up \
	security_file_permission ktime_get_update_offsets_now update_process_times kmem_cache_alloc kmem_cache_alloc_noprof \
	__cond_resched; do
	grep -q "^$name$" $tracefs/available_filter_functions || continue
	compare "$name"
	traced=$((traced + 1))
done
[ $traced -ge 7 ] || fail "few functions: $traced"
[ "$(sort -u /tmp/all | wc -l)" -ge 40 ] || fail "few stacks"
grep -q -E 'asm_exc_page_fault\+0x[0-9a-f]*$' /tmp/all || fail "no exception of a program"
grep -q -E 'asm_exc_page_fault\+0x[0-9a-f]* < ' /tmp/all || fail "no exception in the kernel"

# A kretprobe has replaced the address of a caller: in a walk that is known already.
echo 'r:caller ksys_write' >>$tracefs/kprobe_events
grep -q 'ksys_write+0x[0-9a-f]* < do_syscall_64' /tmp/all || fail "not known"
echo 1 >$tracefs/events/kprobes/caller/enable
ok ktrace -q trace vfs_write COUNT BY BACKTRACE ONLYCOMM dd
ok sites jumps 60
work
ok ktrace print
echo "$out"
echo 0 >$tracefs/events/kprobes/caller/enable
work
ok ktrace print
echo >$tracefs/kprobe_events
expect_match "without the kretprobe" "$out" 'ksys_write\+0x[0-9a-f]* < do_syscall_64\+0x[0-9a-f]* < entry_SYSCALL'
ok ktrace -q -e 'delete *; clear'

# A module: where its text was, there is other text later.
nested() {
	ok ktrace -q trace ktruth_nest COUNT BY BACKTRACE 24
	ok sites jumps 60
	echo "alone nest 10 20" >/proc/ktruth
	echo "alone nest 10 20" >/proc/ktruth
	ok ktrace print
	echo "$out"
	expect_eq "depths" "$(echo "$out" | grep -c '^ *40$')" 5
	expect_eq "the deepest" "$(ours | sed 's/[a-z:]*ktruth_nest+[0-9a-fx]*/N/g' | awk '{ n = gsub(/N < /, ""); if (n > most) most = n } END { print most }')" 4
	ok ktrace -q -e 'delete *; clear'
}
for _ in 1 2 3; do
	ok modprobe ktruth
	nested
	ok rmmod ktruth
done
