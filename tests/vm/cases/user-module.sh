#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: ktrace_user.ko alone: a program's first open loads it, and so does a recording; each module goes without the other
# vm: --smp 2
. /lab/lib.sh

loaded() {
	[ -e "/sys/module/$1" ]
}

# start LETTER: a program with libktrace; fd 7 or 8 is where it reads
start() {
	mkfifo "/tmp/$1"
	userevents serve <"/tmp/$1" >"/tmp/$1.out" 2>"/tmp/$1.err" &
}

# The size of the module that everybody has, and of this one.
awk '/^ktrace/ { print $1, $2 }' /proc/modules

# Nothing needs the module: it is not loaded.
loaded ktrace || fail "the lab has not loaded ktrace.ko"
static_node
ok ktrace status
expect_no_match "status" "$out" '^libktrace'
ok ktrace list
ok ktrace events sched
run asuser nobody sh -c 'userevents serve </dev/null 2>&1'
expect_eq "may not open the node" "$out" ready
! loaded ktrace_user || fail "ktrace_user is loaded without need"

# ktrace.ko goes. A program begins, and loads ktrace_user.ko; it is recorded.
ok rmmod ktrace
start a
a=$!
exec 7>/tmp/a
fd_a=7
wait_until 20 answered a '^ready$'
loaded ktrace_user || fail "a program has not loaded ktrace_user"
ok ktrace events 'user:*'
expect_match "found" "$out" "^user:truth:number +userevents \\($a\\)"
begin_record /tmp/one --events 'user:*'
wait_until 20 says a on '^on$'
ask a go 1000
wait_until 20 answered a '^done 1000 1000$'
end_record
expect_eq "read and lost" "$events $lost" "1000 0"
ok ktrace -i /tmp/one print
expect_eq "printed" "$(count_matches "$out" "^truth:number .*  vpid $a ")" 1000
! loaded ktrace || fail "events of processes need ktrace.ko"

# ktrace.ko is loaded beside it, traces, and goes again: the process stays registered.
ok ktrace -q trace vfs_write PID
loaded ktrace || fail "ktrace.ko is not loaded"
ok ktrace status
expect_match "status" "$out" '^libktrace +1 process registered'
ok rmmod ktrace
ok ktrace events 'user:*'
expect_match "found" "$out" "\\($a\\)"

# ktrace_user.ko cannot go while a recording is on. Then it goes with its registrations; ktrace.ko works on.
ok ktrace -q trace vfs_write PID
begin_record /tmp/two --events 'user:*'
wait_until 20 says a on '^on$'
run rmmod ktrace_user
expect_status 1
end_record
ok rmmod ktrace_user
wait_until 20 says a on '^off$'
ask a go 5
wait_until 20 answered a '^done 5 1000$'
ok ktrace status
expect_no_match "status" "$out" '^libktrace'
ok ktrace list
expect_eq "the tracepoint" "$out" "vfs_write  PID"
! loaded ktrace_user || fail "a status loads ktrace_user"
ok ktrace delete '*'

# A program of somebody whom the node allows loads it, too.
chmod 666 /dev/ktrace-user
run asuser nobody sh -c 'userevents serve </dev/null 2>&1'
expect_eq "may open the node" "$out" ready
loaded ktrace_user || fail "a program of a user has not loaded ktrace_user"
ok rmmod ktrace_user

# A recording loads it: a program that begins afterwards is recorded. The one of before is not registered.
rm -f /dev/ktrace-user
echo /bin/false >/proc/sys/kernel/modprobe
begin_record /tmp/three --events 'user:*'
wait_until 20 loaded ktrace_user
wait_until 20 [ -e /dev/ktrace-user ]
start b
b=$!
exec 8>/tmp/b
fd_b=8
wait_until 20 says b on '^on$'
ask b go 10
wait_until 20 answered b '^done 10 10$'
says a on '^off$' || fail "a is registered with a module that was loaded after it began"
end_record
expect_eq "read and lost" "$events $lost" "10 0"
ok ktrace events -p $b
expect_match "of the process" "$out" "^user:truth:number +userevents \\($b\\)"

# Nobody but root controls.
expect_eq "mode" "$(stat -c %a /dev/ktrace-user-control)" 600
run asuser nobody ktrace events 'user:*'
expect_status 3
expect_eq "no permission" "$err" "ktrace: rights: no CAP_SYS_ADMIN: sudo ktrace"
chmod 666 /dev/ktrace-user-control
run asuser nobody ktrace events 'user:*'
expect_status 3
expect_eq "no capability" "$err" "ktrace: rights: no CAP_SYS_ADMIN: sudo ktrace"

# It is not there: one line, and all else works.
ok rmmod ktrace_user
run asuser nobody ktrace events 'user:*'
expect_status 3
expect_eq "no root" "$err" "ktrace: rights: no CAP_SYS_ADMIN: sudo ktrace"
ko=$(find /lib/modules -name ktrace_user.ko)
mv "$ko" /tmp/ktrace_user.ko
for command in "events user:*" "record -o /tmp/none --events user:*"; do
	# The pattern must not become names of files.
	set -f
	# shellcheck disable=SC2086
	run ktrace $command
	set +f
	expect_status 3
	expect_match "$command" "$err" '^ktrace: the module ktrace_user cannot be loaded: .*: see dmesg$'
	expect_eq "lines of $command" "$(printf '%s\n' "$err" | wc -l)" 1
done
[ ! -e /tmp/none ] || fail "a directory is left"
static_node
ok sh -c 'userevents serve </dev/null 2>&1'
expect_eq "a program" "$out" ready
ok ktrace status
ok ktrace record -o /tmp/four --events sched --for 100ms
