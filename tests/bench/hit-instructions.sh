#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: the cost of a write(2) of one byte, with one tracer at a time on vfs_write; a line for each:
# NAME TICKS.
set -eu

events=/sys/kernel/tracing

# The kprobe is behind ftrace's nop. Registers: the first and the third parameter, and one that functions
# preserve.
case $(uname -m) in
x86_64) place=vfs_write+0x5 first=rdi third=rdx preserved=rbx fault=event:exceptions:page_fault_user ;;
aarch64) place=vfs_write+0x8 first=x0 third=x2 preserved=x20 fault= ;;
esac

# Measure twice: the first run fills caches of the software (and of the emulator).
measure() {
	tsc 3000 >/dev/null
	echo "$1 $(tsc 3000)"
}

# Not all kernels optimise kprobes.
kprobe_event() {
	if [ -e /proc/sys/debug/kprobes-optimization ]; then
		echo "$2" >/proc/sys/debug/kprobes-optimization
	elif [ "$2" = 1 ]; then
		return
	fi
	echo "p:bench $place" >$events/kprobe_events
	echo 1 >$events/events/kprobes/bench/enable
	# The kernel optimises kprobes after a delay.
	sleep 1
	measure "$1"
	echo 0 >$events/events/kprobes/bench/enable
	echo >$events/kprobe_events
}

function_tracer() {
	echo vfs_write >$events/set_ftrace_filter
	echo function >$events/current_tracer
	measure function-tracer
	echo nop >$events/current_tracer
	echo >$events/set_ftrace_filter
}

# A jump begins as a breakpoint: wait until it is armed.
armed() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		ktrace list -v | grep -q soon || return 0
		sleep 0.5
	done
	echo "the jump does not come" >&2
	exit 1
}

with_ktrace() {
	name=$1
	shift
	ktrace -q trace "$@" >&2
	armed
	measure "$name"
	ktrace list -v >&2
	ktrace -q -e 'delete *; clear' >&2
}

# A switch of tasks takes one of several ways, by the time at which it comes: least CALL measures four times.
least() {
	for _ in 1 2 3 4; do
		tsc 3000 "$1"
	done | sort -n | head -1
}

# with_event NAME CALL OPTIONS...: a kernel event, which has no jump to wait for
with_event() {
	name=$1 call=$2
	shift 2
	ktrace -q trace "$@" >&2
	tsc 3000 "$call" >/dev/null
	echo "$name $(least "$call")"
	ktrace list -v >&2
	ktrace -q -e 'delete *; clear' >&2
}

# The first call instruction in a short function on the path of the write.
first_call() {
	for offset in $(seq 6 256); do
		place=ksys_write+$(printf %x "$offset")
		ktrace --dry-run trace "$place" 2>/dev/null | grep -Eq ' (callq?|bl) ' && echo "$place" && return
	done
	echo "no call found in ksys_write" >&2
	exit 1
}

measure base
for what in name switch fault; do
	tsc 3000 $what >/dev/null
	echo "base-$what $(least $what)"
done
kprobe_event kprobe-breakpoint 0
kprobe_event kprobe-optimised 1
function_tracer
# A hit that is counted and not recorded, before its options are evaluated: the cost that every hit has.
frozen() {
	ktrace -q freeze
	with_ktrace "$@"
	ktrace -q unfreeze
}

# Three pointers in a row, from the file of vfs_write: f_path.dentry->d_inode->i_sb, or what this kernel has
# there.
chain="*(u64*)(*(u64*)(*(u64*)(\$$first+0x18)+0x30)+0x28)"

with_ktrace ktrace-breakpoint vfs_write PID METHOD breakpoint
with_ktrace ktrace-call "$(first_call)" PID METHOD breakpoint
with_ktrace ktrace-jump vfs_write PID METHOD jump
frozen jump-bare vfs_write METHOD jump
with_ktrace jump-empty vfs_write METHOD jump
with_ktrace jump-reg vfs_write REG $first METHOD jump
with_ktrace jump-reg-preserved vfs_write REG $preserved METHOD jump
with_ktrace jump-allregs vfs_write ALLREGS METHOD jump
with_ktrace jump-if vfs_write 'IF' "\$$third == 12345" PID METHOD jump
with_ktrace jump-if-memory vfs_write 'IF' "*(u32*)(\$$first+0x40) == 12345" PID METHOD jump
with_ktrace jump-onlypid vfs_write ONLYPID 12345 PID METHOD jump
with_ktrace jump-chain vfs_write VAR "$chain" METHOD jump
with_ktrace jump-chain-pid vfs_write VAR "$chain" PID METHOD jump
frozen breakpoint-bare vfs_write METHOD breakpoint
with_ktrace breakpoint-reg vfs_write REG $first METHOD breakpoint
with_ktrace breakpoint-allregs vfs_write ALLREGS METHOD breakpoint
with_ktrace breakpoint-if vfs_write 'IF' "\$$third == 12345" PID METHOD breakpoint
with_ktrace breakpoint-if-memory vfs_write 'IF' "*(u32*)(\$$first+0x40) == 12345" PID METHOD breakpoint
with_ktrace breakpoint-chain vfs_write VAR "$chain" METHOD breakpoint
with_ktrace count vfs_write COUNT METHOD jump
with_ktrace count-pid vfs_write COUNT BY PID METHOD jump
with_ktrace count-comm vfs_write COUNT BY COMM METHOD jump
with_ktrace hist vfs_write HIST "\$$third" METHOD jump
with_ktrace sum vfs_write SUM "\$$third" BY PID METHOD jump
with_ktrace count-backtrace vfs_write COUNT BY BACKTRACE METHOD jump
with_ktrace both-hist vfs_write%return HIST ELAPSED METHOD jump

# Kernel events.  The seven fields are those of LTTng and tracefs.
switch=event:sched:sched_switch
fields='prev->comm prev->pid prev->prio prev_state next->comm next->pid next->prio'
seven=$(for field in $fields; do printf 'VAR %s ' "$field"; done)
with_event event-empty switch $switch
with_event event-pid switch $switch PID
# shellcheck disable=SC2086
with_event event-seven switch $switch $seven
with_event event-if switch $switch 'IF' 'next->pid == 1234567' PID
with_event event-count switch $switch COUNT
ktrace -q freeze
with_event event-bare switch $switch
ktrace -q unfreeze
[ -z "$fault" ] || with_event event-three fault "$fault" VAR address VAR error_code PID

ktrace latency vfs_write METHOD jump -- \
	sh -c 'sites jumps 60 >/dev/null; tsc 3000 >/dev/null; echo "both-latency $(tsc 3000)" >/tmp/both' >&2
cat /tmp/both

# recorded NAME CALL OPTIONS: in a recording with rings of its own.  CALL: write, or name for access(2) of a name.
recorded() {
	name=$1 call=$2
	shift 2
	ktrace -q record -o "/tmp/$name" "$@" -- \
		sh -c 'sites jumps 60 >/dev/null; tsc 3000 $1 >/dev/null
		       echo "$0 $(for _ in 1 2 3 4; do tsc 3000 $1; done | sort -n | head -1)"' "$name" "$call"
	rm -r "/tmp/$name"
}

recorded record-calls write --events syscalls
recorded record-place write --events syscalls --caller depth 0
recorded record-caller write --events syscalls --caller depth 1
recorded record-range write --events syscalls --caller in 0x1-0x1000000000000
recorded record-name name --events syscalls
recorded record-switch switch --events sched_kthread_stop --trace "$switch $seven"
recorded record-jump write --events ipc --trace "vfs_write VAR \$$third VAR *(u64*)(\$$first+0x18)"

# Last, because LTTng's modules stay.
[ ! -e /tmp/bench-peers ] || sh /tmp/bench-peers
