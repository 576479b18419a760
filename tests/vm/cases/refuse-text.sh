#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: text that must not be patched is refused for its true reason; the next good address is traced, met and restored
# vm: --smp 2 --disk --timeout 400
. /lab/lib.sh

# refused ADDRESS NAME MESSAGE: one line that says why
refused() {
	run ktrace trace "$1" PID
	expect_status 1
	expect_eq "lines for $1" "$(printf '%s\n' "$err" | wc -l)" 1
	expect_match "refusal of $1" "$err" "^ktrace: $2: $3"
}

load() {
	mixload -d /mnt 2 >/dev/null && forkstorm 20 && netload tcp 50 && syscalls -p 2 write 200 >/dev/null || fail "the load"
}

# Inside functions, found by asking the module: refusal (of enum kt_refusal), functions that begin so, reason.
while read -r refusal functions message; do
	place=$(ktdev find "$refusal" "$functions") || fail "nothing in $functions* is refused as $refusal"
	set -- $place
	refused "$2" "$1(\+0x[0-9a-f]+)?" "$message"
	echo "refused: $err"
	near=$(printf '%s\n' "$err" | sed -n 's/.*: the nearest good address is //p')
	[ -z "$near" ] || ok ktrace --dry-run trace "$near"
	goods="$goods $3 PID"
done <<EOT
7 vfs_write in the middle of an instruction
12 netif_ a jump label: the kernel patches this place itself
13 schedule a static call: the kernel patches this place itself
15 vfs_ a BUG\(\) or WARN\(\) instruction
16 strncpy it may fault and has an exception-table entry
EOT

# The controller goes behind ftrace's nop by itself; the module refuses it.
ok ktdev find 11 vfs_write

# Whole functions and what is none.
while read -r name message; do
	refused "$name" "$name" "$message"
	echo "refused: $err"
done <<EOT
do_int3 on the kernel's list of what must never be probed
asm_exc_page_fault on the kernel's list of what must never be probed
kprobe_int3_handler on the kernel's list of what must never be probed
__x86_return_thunk on the kernel's list of what must never be probed
default_idle in the idle loop, where RCU does not watch
__SCT__cond_resched a static call: the kernel patches this place itself
__rcu_read_lock every breakpoint runs it on its way to ktrace
rcu_read_unlock_special every breakpoint runs it on its way to ktrace
cr4_init it runs where a breakpoint cannot be handled
ftrace_caller it runs where a breakpoint cannot be handled
start_kernel init code, gone since the kernel started
jiffies data, not code
EOT

# A module's text, once it is gone.
ok modprobe ktruth
gone=0x$(sed -n 's/^\([0-9a-f]*\) . ktruth_five\t.*/\1/p' /proc/kallsyms)
ok rmmod ktruth
refused "$gone" "[^ ]+" "(data, not code|not kernel code)"
refused 0xffffffffffffff00 "[^ ]+" "(data, not code|not kernel code)"
refused 0x8000000000000000 0x8000000000000000 "not kernel code"

# All the good neighbours at once, under load, then gone.
ok ktrace trace $goods
load
ok ktrace list -v
echo "$out"
ok ktrace delete '*'
load
expect_eq "left" "$(ktdev count | sed 's/ slots.*//')" "sites=0"
