#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: everything at once for SOAK seconds: recordings, follow, run, latency, programs, CPUs, modules, other tracers; counts exact, memory flat
# rare: SOAK seconds, and two minutes (`make check-soak`, `make soak HOURS=8`)
# vm: --smp 2 --mem 2G --timeout 20000 --modprobe dummy
. /lab/lib.sh

SOAK=${SOAK:-300}
tracing=/sys/kernel/tracing
# Each time that modules have changed, follow reads the kernel's symbols again, 10 MB, and keeps up to eight tables of before.
FOLLOW_MOST=163840	# KiB
function=@sys@_pread64

# again NAME COMMAND...: repeat it until the time is over; the first failure of each is kept
again() {
	name=$1 times=0
	shift
	while [ ! -e /tmp/stop ]; do
		if ! "$@" >"/tmp/out.$name" 2>"/tmp/err.$name"; then
			[ -e "/tmp/failed.$name" ] || { echo "$*"; tail -5 "/tmp/out.$name" "/tmp/err.$name"; } >"/tmp/failed.$name"
		fi
		times=$((times + 1))
		echo $times >"/tmp/times.$name"
	done
}

recording() {
	rm -rf /tmp/recording
	ktrace record -o /tmp/recording -- sh -c 'ls -lR /sys/devices; forkstorm 3 2' && ktrace report /tmp/recording
}
flying() {
	rm -rf /tmp/flight
	ktrace record --mode flight -o /tmp/flight -- forkstorm 5 2
}
running() {
	ktrace run 'trace vfs_read COUNT BY COMM' 'trace vfs_open HIST $@arg1@' -- ls -lR /sys/class
}
measuring() {
	ktrace latency vfs_write --for 1 && ktrace latency path_openat --by comm -- ls -R /sys/bus
}
program() {
	ktrace run 'trace usertruth:user_square ARGS' 'trace usertruth:user_text%return ELAPSED RETVAL' -- usertruth 20
}
updating() {
	ktrace trace vfs_open PID COMM && ktrace trace vfs_open ALLREGS && ktrace trace do_exit BACKTRACE METHOD breakpoint &&
		ktrace delete vfs_open do_exit
}
looking() {
	ktrace list -v && ktrace status && ktrace where 1 && ktrace explain vfs_read
}
processors() {
	cpu_down 1 && sleep 1 && cpu_up 1 && sleep 2
}
modules() {
	modprobe ktruth && ktrace trace ktruth_args6 PID && echo call args6 20 >/proc/ktruth && rmmod ktruth && rmmod dummy && modprobe dummy
}
tracers() {
	echo 'p:soak vfs_read' >>$tracing/kprobe_events && echo 1 >$tracing/events/kprobes/soak/enable &&
		echo vfs_write >$tracing/set_ftrace_filter && echo function >$tracing/current_tracer && $bpf sleep 1
	echo nop >$tracing/current_tracer && echo >$tracing/set_ftrace_filter && echo >$tracing/trace &&
		echo 0 >$tracing/events/kprobes/soak/enable && echo '-:soak' >>$tracing/kprobe_events
}
# Calls of which the number is known.
ours() {
	syscalls pread 500 && calls=$((calls + 500)) && echo "$calls" >/tmp/calls
}
calls=0

jobs="recording flying running measuring program updating looking processors modules tracers ours"

# kept: KiB of kernel memory
kept() {
	awk '/^(SUnreclaim|Percpu|VmallocUsed):/ { sum += $2 } END { print sum }' /proc/meminfo
}
# of PID NAME: a figure of /proc/PID/status, in KiB
of() {
	awk -v name="$2:" '$1 == name { print $2 }' "/proc/$1/status"
}
row() {
	printf '%6d s  kernel %7d KiB  follow %6d KiB' $(($(date +%s) - began)) "$(kept)" "$(of $follower VmRSS)"
	for name in $jobs; do
		printf '  %s %d' "$name" "$(cat "/tmp/times.$name")"
	done
	echo
}

modprobe dummy
# A BPF program at the entry of a function, where the kernel has that.
fentry vfs_read true >/dev/null 2>&1 && bpf="fentry vfs_read" || bpf=
rawtext save /tmp/text || fail "no text to compare"
ok ktrace -q trace $function COUNT BY COMM
syscalls -w 500 write 100000000 &
load=$!
ktrace follow >/dev/null 2>/tmp/err.follow &
follower=$!
began=$(date +%s)
for name in $jobs; do
	echo 0 >"/tmp/times.$name"
	again "$name" "$name" &
done

# A third of the time is for what is kept of the first use: symbols, areas for slots, the stacks of depots.
while [ $(($(date +%s) - began)) -lt $((SOAK / 3)) ]; do
	sleep 5
done
row
kernel=$(kept) resident=$(of $follower VmRSS)
while [ $(($(date +%s) - began)) -lt "$SOAK" ]; do
	sleep $((SOAK / 10 > 120 ? 120 : SOAK / 10))
	row
done
touch /tmp/stop
kill $load
last=$(of $follower VmRSS)
kill -INT $follower
wait

for name in $jobs; do
	[ ! -e "/tmp/failed.$name" ] || fail "$name: $(cat "/tmp/failed.$name")"
	[ "$(cat "/tmp/times.$name")" -gt 0 ] || fail "$name was not done once"
done
ok ktrace --csv print
expect_eq "calls of $function" "$(printf '%s\n' "$out" | grep "^aggregate,\"$function\"" | sed -n 's/.*"comm=""*syscalls""*",\([0-9]*\),.*/\1/p')" "$(cat /tmp/calls)"
ok ktrace delete '*'
ok sites drain 60
base=$(sites base)
ok ktrace -q trace vfs_write PID
ok syscalls write 1000
ok sites sums $base
ok ktrace -e 'delete *; clear'
ok sites drain 60
text_restored
echo "kernel memory $kernel KiB after a third, $(kept) KiB at the end; follow had $resident KiB, then $last KiB"
[ $(($(kept) - kernel)) -lt 16384 ] || fail "$(($(kept) - kernel)) KiB are not given back"
[ "$last" -lt $FOLLOW_MOST ] || fail "follow has $last KiB"
well
