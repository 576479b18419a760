#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: the instructions of one call of a function in a program, traced in several ways. A line for each: NAME
# INSTRUCTIONS.
set -u

peer() {
	name=$1
	shift
	"$(echo /peers/lib/ld-linux-*.so.*)" --library-path /peers/lib "/peers/$name" "$@"
}

program=usertruth
say() {
	echo "$1 $($program ticks 300)"
}

# with NAME OPTION...: with a tracepoint of ktrace
with() {
	name=$1
	shift
	ktrace -q trace $program:user_square "$@" || exit
	say "$name"
	ktrace -q delete '*'
}

say base
with ktrace-pid PID
with ktrace-args PID VAR n VAR node
with ktrace-memory PID VAR node-\>id VAR node-\>name
with ktrace-if IF 'n > 1000' PID
# The same function in a program with unwind tables: one caller, and all four up to _start.
program=usertruth-pie
say base-tables
with ktrace-hit PID BACKTRACE 1
with ktrace-caller PID BACKTRACE 2
with ktrace-callers PID BACKTRACE 16
program=usertruth
[ -e /peers/bpftrace ] || exit 0
peer bpftrace -e 'uprobe:/usr/local/bin/usertruth:user_square { @ = count(); }' >/tmp/bpf 2>&1 &
i=0
until grep -qs Attach /tmp/bpf || [ $i -ge 600 ]; do
	i=$((i + 1))
	usleep 100000
done
sleep 1
grep -qs Attach /tmp/bpf && say bpftrace-count
kill -INT $!
wait
exit 0
