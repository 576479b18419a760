#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: the instructions of one call of a function in a program, traced in several ways. A line for each: NAME
# INSTRUCTIONS.
set -u

# It attaches the program before it starts the command, and writes beside what that prints.
bpftrace() {
	"$(echo /peers/lib/ld-linux-*.so.*)" --library-path /peers/lib /peers/bpftrace -c '/usr/local/bin/usertruth ticks 300' -e "$1"
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
bpftrace 'uprobe:/usr/local/bin/usertruth:user_square { @ = count(); }' >/tmp/said 2>&1
sed 's/^/bpftrace: /' /tmp/said >&2
echo "bpftrace-count $(grep -xE '[0-9]+' /tmp/said | tail -n 1)"
