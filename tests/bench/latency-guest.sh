#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: a million writes of a byte to /dev/null, measured by one tool at a time. A line for each tool:
# NAME CALLS LEAST MEAN MEASURED LOST. LEAST and MEAN are the times of a write as the program sees them; LOST is
# the number that the tool reports, or "-".
set -u

calls=${1:-1000000}
fewer=${2:-100000}	# calls, for tools that pass each call to a reader
tracing=/sys/kernel/tracing

peer() {
	name=$1
	shift
	"$(echo /peers/lib/ld-linux-*.so.*)" --library-path /peers/lib "/peers/$name" "$@"
}

# The workload that a tool runs. Its output is separate from that of the tool.
cat >/tmp/work <<'END'
#!/bin/sh
exec tsc "$1" all >/tmp/ticks
END
chmod +x /tmp/work

say() {
	echo "$1 $2 $(cat /tmp/ticks) ${3:-0} $4"
}

field() {
	sed -n "s/.*\"$1\":\([0-9]*\),.*/\1/p" /tmp/answer
}

of_ktrace() {
	say "$1" "$calls" "$(field count)" "$(($(field lost) + $(field unpaired)))"
}

ktrace_child() {
	ktrace latency vfs_write METHOD jump --json -- /tmp/work "$calls" >/tmp/answer || exit
	of_ktrace ktrace-child
}

# latency_of_all NAME FUNCTION [OPTION...]: measure without a command
latency_of_all() {
	name=$1
	shift
	ktrace latency "$@" --json --for 3600s >/tmp/answer &
	sleep 3
	/tmp/work "$calls"
	kill -INT $!
	wait $!
	of_ktrace "$name"
}

# The sum of the rows of bpftrace's histogram.
bpftrace_hist() {
	peer bpftrace -c "/usr/local/bin/tsc $calls all" -e 'kprobe:vfs_write { @start[tid] = nsecs; }
		kretprobe:vfs_write /@start[tid]/ { @took = hist(nsecs - @start[tid]); delete(@start[tid]); }' \
		>/tmp/answer 2>&1
	cat /tmp/answer >&2
	grep -E '^[0-9]+ [0-9]+$' /tmp/answer >/tmp/ticks
	say bpftrace "$calls" "$(awk -F'[])]' '/\|/ { sum += $2 } END { print sum + 0 }' /tmp/answer)" -
}

# function_graph writes text for each call; a reader reads it meanwhile.
function_graph() {
	echo vfs_write >$tracing/set_ftrace_filter
	echo function_graph >$tracing/current_tracer
	cat $tracing/trace_pipe >/tmp/answer &
	# Trace only this process: the reader's own writes would produce more text.
	sh -c "echo \$\$ >$tracing/set_ftrace_pid && exec /tmp/work $fewer"
	sleep 2
	lost=$(awk '/^overrun|^dropped/ { sum += $NF } END { print sum }' $tracing/per_cpu/cpu0/stats)
	kill $!
	wait $!
	say function-graph "$fewer" "$(grep -c 'vfs_write();' /tmp/answer)" "$lost"
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_pid
	echo >$tracing/set_ftrace_filter
}

# perf has its own histogram of the times of the same tracer.
perf_ftrace() {
	peer perf ftrace latency -T vfs_write -- /tmp/work "$fewer" >/tmp/answer 2>/tmp/said
	cat /tmp/said /tmp/answer >&2
	say perf-ftrace "$fewer" "$(awk -F'|' '/us|ms|  s/ { sum += $2 } END { print sum + 0 }' /tmp/answer)" -
}

# perf trace knows no functions: it measures the whole system call.
perf_trace() {
	peer perf trace -s -e write -- /tmp/work "$fewer" >/tmp/answer 2>&1
	cat /tmp/answer >&2
	lost=$(sed -n 's/.*LOST \([0-9]*\) events.*/\1/p' /tmp/answer | awk '{ sum += $1 } END { print sum + 0 }')
	say perf-trace "$fewer" "$(awk '$1 == "write" { sum += $2 } END { print sum + 0 }' /tmp/answer)" "$lost"
}

# Run once before: this fills caches of the software and of the emulator.
tsc 3000 >/dev/null
/tmp/work "$calls"
say base "$calls" "$calls" -
ktrace_child
latency_of_all ktrace-all vfs_write METHOD jump
latency_of_all ktrace-tail __x64_sys_write
bpftrace_hist
function_graph
perf_ftrace
perf_trace
