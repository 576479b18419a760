#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: the state of a system with many processes and open files, as ktrace and LTTng write it. Lines:
#
#	time WHO INSTRUCTIONS		from the start mark to the end mark, where the guest can tell
#	lost WHO EVENTS
#	forks N ALONE BESIDE DUMP	instructions of N forks, of both at once, and of the dump alone
#	held WHO KIND CALLER SECTIONS SUM LONGEST	locks (see held.c)
#	walk FUNCTION				a function of ktrace's module
#	cut WHO					the tracer lost functions
#
# /tmp/ktrace.tar and /tmp/lttng.tar are the traces, /tmp/truth is what /proc shows before and after: lines
# `task PID`, `file PID FD` and `map PID START`.
set -u

processes=$1 files=$2
tracing=/sys/kernel/tracing

say() {
	echo "bench: $*, at $(took now)" >&2
}

# All that /proc shows of the processes that stay.
look() {
	for process in $many $(cat "/proc/$many/task/$many/children"); do
		echo "task $process"
		ls "/proc/$process/fd" | sed "s/^/file $process /"
		sed "s/^\([0-9a-f]*\)-.*/map $process \1/; /vsyscall/d" "/proc/$process/maps" | grep -v ffffffffff600000
	done
}

# ------------------------------------------------------------------------- the dumps

by_ktrace() {
	ktrace record -o /traces/ktrace --events core -- true 2>/tmp/said || return
	cat /tmp/said >&2
	lost=$(sed -n 's/.* events in .*, \([0-9,]*\|none\) lost.*/\1/p' /tmp/said | sed 's/none/0/;s/,//g')
	echo "lost ktrace ${lost:-?}"
}

by_lttng() {
	lttng create dump --output=/traces/lttng && lttng enable-channel -k ch --subbuf-size=32M --num-subbuf=8 &&
		lttng enable-event -k -c ch 'lttng_statedump_*,sched_switch' && lttng start &&
		lttng stop >/tmp/said 2>&1 || { cat /tmp/said; return 1; }
	lttng list dump -c ch >/tmp/said
	lost=$(sed -n 's/.*Discarded events: *\([0-9]*\).*/\1/p' /tmp/said | awk '{ sum += $1 } END { print sum + 0 }')
	lttng destroy dump
}

# ------------------------------------------------------------------------- the forks

instructions() {
	took /tmp/ticks "$@" >/dev/null || exit
	cat /tmp/ticks
}

cat >/tmp/both <<'END_BOTH'
#!/bin/sh
statedev time &
forkstorm $1 1
wait
END_BOTH

forks() {
	echo "forks $1 $(instructions forkstorm "$1" 1) $(instructions sh /tmp/both "$1") $(instructions statedev time)"
}

# ------------------------------------------------------------------------- the locks

# Trace the functions that take and release locks, in the tasks of /tmp/tasks.
trace_locks() {
	echo nop >$tracing/current_tracer
	echo x86-tsc >$tracing/trace_clock
	echo 1400000 >$tracing/buffer_size_kb || return
	echo >$tracing/set_ftrace_filter
	for function in $(held functions); do
		echo "$function" >>$tracing/set_ftrace_filter || echo "bench: $function cannot be traced" >&2
	done
	cat /tmp/tasks >$tracing/set_ftrace_pid
	echo function >$tracing/current_tracer
	echo >$tracing/trace
}

# print_locks WHO [between EVENT]
print_locks() {
	who=$1
	shift
	echo 0 >$tracing/tracing_on
	[ "$(awk '/^overrun/ { print $2 }' $tracing/per_cpu/cpu0/stats)" = 0 ] || echo "cut $who"
	held "$@" <$tracing/trace | sed "s/^/held $who /"
	echo nop >$tracing/current_tracer
	echo 1 >$tracing/tracing_on
	echo >$tracing/set_ftrace_pid
	echo >$tracing/trace
	echo 1000 >$tracing/buffer_size_kb
}

locks_of_ktrace() {
	sed -n 's/.* [tT] \([^ ]*\)	\[ktrace\]$/walk \1/p' /proc/kallsyms | sort -u
	sh -c 'echo $$ >/tmp/tasks; touch /tmp/waits; while [ -e /tmp/waits ]; do :; done; exec statedev time' >&2 &
	until [ -e /tmp/waits ]; do :; done
	trace_locks || return
	rm /tmp/waits
	wait $!
	print_locks ktrace
}

locks_of_lttng() {
	ls "/proc/$(pidof lttng-sessiond | awk '{ print $1 }')/task" >/tmp/tasks
	ls "/proc/$(pidof lttng-sessiond | awk '{ print $NF }')/task" >>/tmp/tasks
	trace_locks || return
	echo 'p:dump lttng_statedump_start' >$tracing/kprobe_events
	echo 'r:dump_end lttng_statedump_start' >>$tracing/kprobe_events
	echo 1 >$tracing/events/kprobes/enable
	by_lttng >&2
	echo 0 >$tracing/events/kprobes/enable
	print_locks lttng between dump
}

mount -t tracefs none $tracing 2>/dev/null
mkdir -p /traces /var/run
mount -t tmpfs -o size=60% traces /traces
tar xf /tmp/recorders.tar -C / && rm /tmp/recorders.tar
for n in 50 500 5000; do
	forks $n
done
statework "$processes" "$files" >/tmp/ready &
many=$!
touch /tmp/ready
until grep -q ready /tmp/ready; do usleep 100000; done
say "the processes are there"
lttng-sessiond --daemonize >&2 || exit
look >/tmp/before
by_ktrace || exit
say "ktrace has written its trace"
by_lttng >&2 || exit
echo "lost lttng $lost"
look >/tmp/after
awk 'NR == FNR { seen[$0]; next } $0 in seen' /tmp/before /tmp/after >/tmp/truth
rm /tmp/before /tmp/after
tar cf /tmp/ktrace.tar -C /traces ktrace && tar cf /tmp/lttng.tar -C /traces lttng && rm -rf /traces/* || exit
say "the traces are packed"
forks 500
locks_of_ktrace || exit
say "the locks of ktrace"
locks_of_lttng
say "the end"
