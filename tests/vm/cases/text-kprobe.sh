#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the original instructions under kprobes of others, by breakpoint and by jump, and all returns around them
# long: 15 s
# arch: x86: only there does the kernel optimise kprobes to jumps
# vm: --smp 2
. /lab/lib.sh

tracing=/sys/kernel/tracing
optimisation=/proc/sys/debug/kprobes-optimization
function=ksys_write

kprobe() {
	echo "p:lab $1" >>$tracing/kprobe_events && echo 1 >$tracing/events/kprobes/lab/enable
}

no_kprobe() {
	echo 0 >$tracing/events/kprobes/lab/enable
	echo '-:lab' >>$tracing/kprobe_events
}

optimised() {
	grep -q "$function.*OPTIMIZED" /sys/kernel/debug/kprobes/list
}

# found FILE HOW: instructions, then returns, must be as without the kprobe
found() {
	ok ktrace -n -e "explain $function; trace $function%return"
	sed -nE -e 's/  # .*//' -e 's/^ +(\+0x[0-9a-f]+) +[^ ]+ +/\1 /p' -e '/dry run/s/  .*//p' /tmp/out >"$1"
	[ "$1" = /tmp/first ] || diff /tmp/first "$1" >&2 || fail "$place: something else under a kprobe by a $2"
}

found /tmp/first
returns=$(grep "^$function" /tmp/first)
jumps=0
breakpoints=0
for place in $(places $function | sed -n '2,${p;n}' | grep -vxF "$returns"); do
	echo 1 >$optimisation
	kprobe "$place" 2>/dev/null || continue
	for wait in 1 2 3 4 5 6; do
		optimised || usleep 250000
	done
	if optimised; then
		found /tmp/now jump
		expect_match "$place" "$out" "another tool's breakpoint"
		jumps=$((jumps + 1))
		echo 0 >$optimisation
		! optimised || fail "$place: still optimised"
	fi
	found /tmp/now breakpoint
	expect_match "$place" "$out" "another tool's breakpoint"
	breakpoints=$((breakpoints + 1))
	no_kprobe
	[ $jumps -lt 2 ] || [ $breakpoints -lt 3 ] || break
done
[ $jumps -ge 1 ] && [ $breakpoints -ge 1 ] || fail "$jumps kprobes by a jump, $breakpoints by a breakpoint"

# A kprobe on a return itself: the message names it, and nothing is set.
place=$(printf '%s\n' "$returns" | head -n 1)
if kprobe "$place"; then
	run ktrace trace $function%return
	expect_status 1
	expect_match "refusal" "$err" "$(printf '%s' "$place" | sed 's/+/./'): another tool's breakpoint"
	no_kprobe
fi
well
ok rmmod ktrace
