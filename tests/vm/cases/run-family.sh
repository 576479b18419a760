#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: run: children, threads, daemons, fork storms, reused ids: the command's whole process tree and nothing else
# long: 75 s
# vm: --smp 2 --timeout 900
. /lab/lib.sh

# family_writes COUNT COMMAND...: the command must write COUNT times, by `family`
family_writes() {
	wanted=$1
	shift
	ok ktrace -q run 'trace vfs_write PID COMM' -- "$@"
	expect_eq "$*: records" "$(count_matches "$out" '^vfs_write .*comm="family"$')" "$wanted"
}

# Another process that does the same meanwhile.
family writes 100000000 1000 >/dev/null &
load=$!
forkstorm 100000000 4 &
storm=$!

family_writes 30 sh -c 'family writes 10; (family writes 10; sh -c "family writes 10")'
# A daemon: its parent is gone before it writes.
family_writes 20 sh -c '(setsid sh -c "sleep 0.5; family writes 20; echo >/tmp/done-1" </dev/null >/dev/null 2>&1 &) ; while ! [ -e /tmp/done-1 ]; do sleep 0.1; done'
# Threads, and a thread that executes a program and gets the process's id.
family_writes 40 family threads 4 10
family_writes 10 family exec family writes 10
# vfork, clone into another pid namespace.
family_writes 10 family vfork family writes 10
family_writes 10 family newpid family writes 10

# A storm: each child writes once.
ok ktrace -q run 'trace vfs_write PID' -- family storm 3000
expect_eq "storm" "$(count_matches "$out" '^vfs_write ')" 3000
expect_eq "storm: processes" "$(printf '%s\n' "$out" | sed 's/.* pid *//' | sort -u | wc -l)" 3000

# Process ids wrap around: ids of the tree go to other processes, and other ids come into the tree.
echo 1500 >/proc/sys/kernel/pid_max
ok ktrace -q run 'trace vfs_write PID' -- family storm 4000
expect_eq "ids used again" "$(count_matches "$out" '^vfs_write ')" 4000
family_writes 10 sh -c 'forkstorm 3000; family writes 10'
echo 4194304 >/proc/sys/kernel/pid_max

# Two measurements at once, each with its own process tree.
ktrace -q run 'trace vfs_write PID' -- sh -c 'sleep 1; family writes 33' >/tmp/first 2>&1 &
first=$!
ok ktrace -q run 'trace vfs_open PID' -- sh -c 'for i in 1 2 3; do : </etc/passwd; sleep 0.2; done'
wait $first || fail "the first: $(cat /tmp/first)"
expect_eq "the first" "$(grep -c '^vfs_write ' /tmp/first)" 33
expect_no_match "the first" "$(cat /tmp/first)" '^vfs_open'
[ "$(count_matches "$out" '^vfs_open ')" -ge 3 ] || fail "the second has nothing"

kill $load $storm
expect_eq "tracepoints left" "$(ktrace list)" ""
ok rmmod ktrace
well
