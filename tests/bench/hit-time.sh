#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: a kprobe event and ktrace on similar functions at the same time. A line for each method: METHOD,
# nanoseconds of a hit of the kprobe event, the same for ktrace, and their ratio in thousandths.
set -eu

event=/sys/kernel/tracing/events/kprobes/bench/enable
optimise=/proc/sys/debug/kprobes-optimization	# not in all kernels
case $(uname -m) in
x86_64) calls=__x64_sys ;;
aarch64) calls=__arm64_sys ;;
esac

# Behind ftrace's nop, as ktrace does.
place=$(ktrace --json --dry-run trace ${calls}_geteuid | sed -n 's/.*"addr":"\([^"]*\)".*/\1/p')
echo "p:bench $place" >/sys/kernel/tracing/kprobe_events

# Both methods with jumps begin as breakpoints: wait until they are jumps.
armed() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sleep 1
		ktrace list -v | grep -q soon && continue
		[ "$1" = jump ] || return 0
		grep -q "$(printf '%s' "$place" | sed 's/^0x//') .*\[OPTIMIZED\]" /sys/kernel/debug/kprobes/list && return 0
	done
	echo "the jump does not come" >&2
	exit 1
}

# compare METHOD OPTIMISED: run one comparison
compare() {
	[ ! -e $optimise ] || echo "$2" >$optimise
	echo 1 >$event
	ktrace -q trace ${calls}_getgid PID METHOD "$1" >&2
	armed "$1"
	hitratio 200 >/dev/null
	echo "$1 $(hitratio 3001)"
	ktrace list -v >&2
	ktrace -q -e 'delete *; clear' >&2
	echo 0 >$event
}

mount -t debugfs none /sys/kernel/debug 2>/dev/null || true
compare breakpoint 0
[ ! -e $optimise ] || compare jump 1
