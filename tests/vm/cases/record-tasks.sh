#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: recordings of some tasks: by ids, user, group, name, cgroup, with their children; changes count at once
# long: 116 s
# vm: --smp 2 --timeout 900
. /lab/lib.sh

# calls DIR: the calls of getppid(2) in it
calls() {
	ktrace --json -i "$1" print | grep -c '"name":"syscall_entry_getppid"'
}
# recorded WHAT COUNT OPTION... -- COMMAND...
n=0
recorded() {
	what=$1 wanted=$2 n=$((n + 1))
	shift 2
	ok ktrace record -o "/tmp/r$n" --events syscalls "$@"
	expect_eq "$what" "$(calls "/tmp/r$n")" "$wanted"
}
# start OPTION...: a recording in the background, which has begun
start() {
	n=$((n + 1))
	ktrace record -o "/tmp/r$n" --events syscalls "$@" 2>"/tmp/r$n.err" &
	recorder=$!
	wait_until 30 sh -c 'ktrace status | grep -q "^recordings .*[1-9]"'
	sleep 0.5
}
# stopped WHAT COUNT: it has so many calls
stopped() {
	kill -INT $recorder
	wait $recorder || fail "$1: $(cat "/tmp/r$n.err")"
	expect_eq "$1" "$(calls "/tmp/r$n")" "$2"
}
# turn TASK...: a task that makes 100 calls for each line
mkfifo /tmp/turn
begin_turn() {
	taskmix turn 100 </tmp/turn >/tmp/turn.pid &
	turn=$!
	exec 5>/tmp/turn
	wait_until 20 test -s /tmp/turn.pid
}

recorded "all" 300 -- taskmix calls 300
recorded "by name" 40 --comm oddname -- sh -c 'taskmix calls 300; taskmix calls 40 oddname'
recorded "by two names" 90 --comm oddname --comm other -- sh -c 'taskmix calls 300; taskmix calls 40 oddname; taskmix calls 50 other'
recorded "a user" 70 --uid 1234 -- sh -c 'taskmix calls 300; asuser 1234 taskmix calls 70'
recorded "by his name" 70 --uid nobody -- sh -c 'taskmix calls 300; asuser nobody taskmix calls 70'
recorded "a group" 70 --gid 1234 -- sh -c 'taskmix calls 300; asuser 1234 taskmix calls 70'
recorded "a user and a name" 20 --uid 1234 --comm oddname -- sh -c 'taskmix calls 9 oddname; asuser 1234 taskmix calls 70; asuser 1234 taskmix calls 20 oddname'
# The shell asks for its parent once, too.
recorded "the command" 61 --children -- sh -c 'taskmix calls 20; (taskmix calls 40 &); sleep 0.5'
recorded "becomes another user" 100 --uid 1234 -- taskmix setuid 1234 100
recorded "was that user" 100 --uid 0 -- taskmix setuid 1234 100

# A task and its future children; the same without them.
begin_turn
start --pid $turn
echo >&5
sleep 0.5
taskmix calls 50
stopped "a process" 100
start --tid $turn
echo >&5
wait $turn
exec 5>&-
stopped "a thread" 100

sh -c 'echo $$ >/tmp/parent; while ! [ -e /tmp/go ]; do sleep 0.1; done; taskmix calls 30; taskmix fork 20; sleep 1' &
parent=$!
wait_until 20 test -s /tmp/parent
start --pid "$(cat /tmp/parent)" --children
touch /tmp/go
taskmix calls 50
wait $parent
stopped "with children" 50
# Descendants that are there already.
sh -c 'echo $$ >/tmp/parent2; sh -c "sh -c \"while ! [ -e /tmp/go2 ]; do sleep 0.1; done; taskmix calls 30; true\"; true"; true' &
outer=$!
wait_until 20 test -s /tmp/parent2
sleep 1
start --pid "$(cat /tmp/parent2)" --children
touch /tmp/go2
wait $outer
stopped "grandchildren of before" 30

# Another task, on another CPU, moves a running one.
mkfifo /tmp/move
taskmix setpgid 100 </tmp/move >/tmp/move.pid &
mover=$!
exec 6>/tmp/move
wait_until 20 test -s /tmp/move.pid
child=$(cat /tmp/move.pid)
start --pgrp "$(ps -o pgid= -p "$child" 2>/dev/null || awk '{ print $5 }' "/proc/$child/stat")" --comm taskmix
echo >&6
wait $mover
exec 6>&-
stopped "leaves its group" 100

begin_turn
start --session "$(awk '{ print $6 }' /proc/$turn/stat)" --comm taskmix
echo >&5
sleep 0.5
setsid taskmix calls 40
stopped "a session" 100

if grep -q cgroup2 /proc/filesystems; then
	mkdir -p /sys/fs/cgroup
	mountpoint -q /sys/fs/cgroup 2>/dev/null || mount -t cgroup2 none /sys/fs/cgroup
	mkdir -p /sys/fs/cgroup/box/inner
	start --cgroup box
	echo $turn >/sys/fs/cgroup/box/inner/cgroup.procs
	echo >&5
	wait $turn
	taskmix calls 30
	stopped "moves into a cgroup" 100
	run ktrace record -o /tmp/none --cgroup nowhere --for 0.1
	expect_match "no such cgroup" "$err" '^ktrace: --cgroup nowhere: No such file'
	run ktrace record -o /tmp/none --cgroup /tmp --for 0.1
	expect_match "no cgroup" "$err" 'not a cgroup of version 2'
fi
exec 5>&-

# One clear line each, and nothing left.
for wrong in '--pid 0' '--pid x' '--uid nosuchuser' '--comm this-name-is-too-long' '--pid 4194303' '--pgrp 4194303' '--session 4194303' '--children'; do
	run ktrace record -o /tmp/wrong --events syscalls $wrong --for 0.1
	[ "$status" != 0 ] && [ "$(echo "$err" | wc -l)" = 1 ] && [ ! -e /tmp/wrong ] || fail "$wrong: $status: $err"
	echo "$err"
done
wait_until 20 sh -c '[ -z "$(ktdev recordings)" ]'

# The report knows these tasks, and says that it knows no others.
taskmix calls 100000000 &
load=$!
ok ktrace record -o /tmp/part --comm oddname -- taskmix calls 2000 oddname
run ktrace report /tmp/part
kill $load
echo "$out$err"
expect_match "the note" "$out$err" 'only --comm oddname was recorded: all other time is not known'
expect_no_match "no idle time" "$out" 'whole system.* idle'
ok ktrace --json report /tmp/part --by process
expect_match "its calls" "$out" 'oddname'
expect_no_match "others" "$out" '"name":"ktrace"'
well
