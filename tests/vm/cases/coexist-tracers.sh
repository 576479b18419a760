#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: ftrace, kprobe and kretprobe events, BPF at entry and return, CPU breakpoints and ktrace, in both orders
# long: 25 s
# vm: --smp 2
. /lab/lib.sh

function=@sys@_pread64	# no other process calls it
tracing=/sys/kernel/tracing
calls=200

# ours: so many calls give so many hits
ours() {
	before=$(sites hits)
	ok syscalls pread $calls
	expect_eq "$method $what: hits" $(($(sites hits) - before)) $calls
}

# theirs: the count of the other tracer for so many calls
theirs() {
	ok syscalls pread $calls
	expect_eq "$method $what: theirs" "$(counted)" $calls
}

kprobes() {
	echo "$1:lab $function" >>$tracing/kprobe_events && echo 1 >$tracing/events/kprobes/lab/enable
}

on() {
	case $what in
	function | function_graph)
		echo $function >$tracing/set_ftrace_filter
		echo $what >$tracing/current_tracer
		counted() { grep -c "^[^#].*$function" $tracing/trace; echo >$tracing/trace; }
		;;
	kprobe | kretprobe)
		[ $what = kprobe ] && kprobes p || kprobes r
		seen=0
		counted() { awk -v seen="$seen" '$1 == "lab" { print $2 - seen }' $tracing/kprobe_profile; }
		;;
	esac
	echo >$tracing/trace
}

off() {
	case $what in
	function | function_graph)
		echo nop >$tracing/current_tracer
		echo >$tracing/set_ftrace_filter
		;;
	kprobe | kretprobe)
		echo 0 >$tracing/events/kprobes/lab/enable
		echo '-:lab' >>$tracing/kprobe_events
		;;
	esac
}

arm() {
	ok ktrace -q trace $function PID METHOD $method
	[ $method = breakpoint ] || ok sites jumps 60
	[ $method = breakpoint ] || expect_eq "jumps" "$(sites count jump)" 1
}

# Start a new count.
again() {
	[ $what = kprobe ] || [ $what = kretprobe ] || return 0
	seen=$(awk '$1 == "lab" { print $2 }' $tracing/kprobe_profile)
}

both_orders() {
	arm
	on
	theirs
	again
	ours
	off
	ours
	on
	ok sites drain
	again
	echo >$tracing/trace
	theirs
	arm
	ours
	off
	ours
	ok sites drain
}

# hardware WHAT ADDRESS: set a breakpoint of the CPU, by perf, if the machine has one
hardware() {
	before=$(sites hits)
	run hwbreak "$2" syscalls pread $calls
	[ "$status" != 77 ] || {
		echo "$method: no breakpoint of the CPU: $err"
		return 0
	}
	expect_eq "$method breakpoint of the CPU $1" "$out" $calls
	expect_eq "$method hits under it" $(($(sites hits) - before)) $calls
}

# The counts of a BPF program at entry and return, and of a CPU breakpoint.
bpf_and_breakpoint() {
	arm
	before=$(sites hits)
	run fentry $function syscalls pread $calls
	if [ "$status" = 77 ]; then
		echo "$method: no BPF program at a function: $err"
	else
		expect_eq "$method fentry" "$out" "$calls $calls"
		expect_eq "$method hits under fentry" $(($(sites hits) - before)) $calls
	fi
	hardware "at the tracepoint" "$(ktrace --json list | sed 's/.*"addr":"0x\([0-9a-f]*\)".*/\1/')"
	hardware "in front of it" "$addr"
	ok sites drain
}

addr=$(sed -n "s/ [tT] $function\$//p" /proc/kallsyms)
rawtext save /tmp/text || fail "no text to compare"
for method in breakpoint jump; do
	for what in function function_graph kprobe kretprobe; do
		both_orders
	done
	bpf_and_breakpoint
done
text_restored
well
ok rmmod ktrace
