#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest. `commands`: what commands cost, of ktrace and of others, where the guest counts instructions. A line for each:
#
#	took NAME INSTRUCTIONS		of the whole machine, from the command's begin to its end; - if it does not run here
#
# `job`: record a job. /tmp/ktrace.tar is the recording, /tmp/perf.data that of perf.
set -u

tracing=/sys/kernel/tracing

# row NAME COMMAND...
row() {
	name=$1
	shift
	if took /tmp/ticks "$@" >/tmp/said 2>&1; then
		echo "took $name $(cat /tmp/ticks)"
	else
		sed "s/^/$name: /" /tmp/said >&2
		echo "took $name -"
	fi
}

# script NAME: a program from the standard input
script() {
	{
		echo '#!/bin/sh'
		cat
	} >"/tmp/$1"
	chmod +x "/tmp/$1"
}

script kprobe <<END
echo 'p:bench vfs_write' >>$tracing/kprobe_events && echo 1 >$tracing/events/kprobes/bench/enable
END

# It attaches the program, and ends when /bin/true has run.
script bpftrace <<'END'
exec /peers/lib/ld-linux-*.so.* --library-path /peers/lib /peers/bpftrace -c /bin/true -e "$1"
END

script job <<'END'
{
	for _ in 1 2 3 4 5 6 7 8; do
		find /usr /lib /etc
		tar cf - /lib | gzip -1
	done
} >/dev/null 2>&1
exit 0
END

mount -t tracefs none $tracing 2>/dev/null
mkdir -p /traces
mount -t tmpfs -o size=60% traces /traces
tar xf /tmp/recorders.tar -C / && rm /tmp/recorders.tar

if [ "$1" = job ]; then
	ktrace -q record --events all -o /traces/ktrace -- /tmp/job >&2 || exit
	tar cf /tmp/ktrace.tar -C /traces ktrace || exit
	perf record -a -q -B -N -m 1024 -o /tmp/perf.data -e 'sched:*' -e 'raw_syscalls:*' -e 'irq:*' /tmp/job >&2 || : >/tmp/perf.data
	exit
fi

row first-trace ktrace -q trace vfs_write PID
row first-args ktrace -q trace vfs_write ARGS
row version ktrace --version
row trace ktrace -q trace vfs_read PID
row args ktrace -q trace vfs_read ARGS
row status ktrace status
row list ktrace list
row explain ktrace explain vfs_read
row record ktrace -q record -o /traces/nothing -- true
row open ktrace -i /traces/nothing status
row kprobe-echo /tmp/kprobe
row perf-probe perf probe --quiet --add vfs_fsync
row bpftrace-kprobe /tmp/bpftrace 'kprobe:vfs_read { @ = count(); }'
row bpftrace-kfunc /tmp/bpftrace 'kfunc:vfs_read { @ = count(); }'
row trace-cmd trace-cmd record -q -o /traces/trace.dat -e sched:sched_switch true
