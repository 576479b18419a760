#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest of hit-instructions.sh, after it: the cost of the same write(2) with bpftrace and with LTTng on the same
# function. A line for each: NAME TICKS, or NAME and a dash if it does not run on this kernel.
set -u

# row NAME COMMAND...: the command writes into /tmp/said; tsc writes a line there with nothing but the number.
row() {
	name=$1
	shift
	if "$@" >/tmp/said 2>&1; then
		ticks=$(grep -xE '[0-9]+' /tmp/said | tail -1)
	else
		ticks=
	fi
	sed "s/^/$name: /" /tmp/said >&2
	echo "$name ${ticks:--}"
}

# bpftrace attaches the program before it starts tsc. As much again fills caches of the software.
bpftrace() {
	"$(echo /peers/lib/ld-linux-*.so.*)" --library-path /peers/lib /peers/bpftrace -c '/usr/local/bin/tsc 6000' -e "$1"
}

# lttng_event COMMAND OPTION...: an event of LTTng; the command changes the channel first. Nobody reads meanwhile: the
# buffers have room for all events.
lttng_event() {
	mkdir -p /tmp/lttng
	lttng create bench --output=/tmp/lttng && lttng enable-channel -k ch --subbuf-size=1M --num-subbuf=4 && $1 || return
	shift
	lttng enable-event -k -c ch "$@" && lttng start || return
	# The kernel optimises kprobes after a delay.
	sleep 1
	tsc 3000 >/dev/null && tsc 3000
	status=$?
	lttng destroy bench
	return $status
}

row bpf-empty bpftrace 'kfunc:vfs_write { }'
row bpf-count bpftrace 'kfunc:vfs_write { @ = count(); }'
row bpf-count-pid bpftrace 'kfunc:vfs_write { @[pid] = count(); }'
row bpf-both bpftrace 'kfunc:vfs_write { @start[tid] = nsecs; }
	kretfunc:vfs_write /@start[tid]/ { @ = hist(nsecs - @start[tid]); delete(@start[tid]); }'

[ -e /tmp/recorders.tar ] || exit 0
tar xf /tmp/recorders.tar -C / && rm /tmp/recorders.tar && mkdir -p /var/run && lttng-sessiond --daemonize >&2 || exit
row lttng-kprobe lttng_event 'lttng add-context -k -c ch -t pid' bench --probe=vfs_write+0x5
row lttng-calls lttng_event true --syscall write
# What is left of them must not cost anything.
row base-end tsc 3000
