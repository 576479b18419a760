#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: processes with libktrace: found, switched on and off while they run, read; killed, hostile, and too many
# long: 50 s
# vm: --smp 2 --timeout 3000
. /lab/lib.sh

static_node

mkfifo /tmp/a /tmp/b /tmp/c
userevents serve </tmp/a >/tmp/a.out &
a=$!
KTRACE_SIZE=64k userevents serve </tmp/b >/tmp/b.out &
b=$!
exec 7>/tmp/a 8>/tmp/b
fd_a=7 fd_b=8
wait_until 20 grep -q ready /tmp/a.out
wait_until 20 grep -q ready /tmp/b.out

# Found; nothing is on.
ok ktrace events -p $a
expect_match "an event" "$out" "^user:truth:number +userevents \\($a\\) +i\$"
expect_match "one without arguments" "$out" "^user:truth:quit +userevents \\($a\\)\$"
ok ktrace events -v 'user:truth:num*'
expect_eq "both processes" "$(count_matches "$out" '^user:truth:number .* i +.*userevents.c:[0-9]+$')" 2
ok ktrace --json events user:number -p $b
expect_match "as JSON" "$out" "\"type\":\"user_event\".*\"address\":\"user:truth:number\",.*\"pid\":$b,.*\"recorded\":false"
ok ktrace status
expect_match "status" "$out" '^libktrace +2 processes registered'
wait_until 20 says a on '^off$'
ask a go 5
wait_until 20 answered a '^done 5 0$'

# One of them for a while: all of its events, and no others.
begin_record /tmp/one --events user:truth:number --pid $a
wait_until 20 says a on '^on$'
wait_until 20 says b on '^off$'
ok ktrace events -p $a
expect_match "listed as recorded" "$out" "\\($a\\), recorded"
ask a go 1000
ask b go 500
wait_until 20 answered a '^done 1000 1000$'
wait_until 20 answered b '^done 500 0$'
wait_until 20 says a how '^sequences$'
end_record
expect_eq "read and lost" "$events $lost" "1000 0"
wait_until 20 says a on '^off$'
ok ktrace -i /tmp/one print
expect_eq "printed" "$(count_matches "$out" "^truth:number .*  vpid $a  vtid $a  i=[0-9]+\$")" 1000
expect_eq "in order" "$(printf '%s\n' "$out" | sed -n 's/.*  i=//p' | awk '$1 != NR - 1' | head -n 1)" ""
ask a go 10
wait_until 20 answered a '^done 10 1000$'

# Again, all processes, more than a ring holds, and a child: read + lost = written, and nothing of before.
begin_record /tmp/two --events 'user:*,-user:quit'
wait_until 20 says a on '^on$'
wait_until 20 says b on '^on$'
ask b go 100000
ask a go 20
ask a fork 30
wait_until 20 answered a '^done 30 30$'
wait_until 20 answered b '^done 100000 100000$'
end_record
expect_eq "read and lost" $((events + lost)) 100050
[ "$lost" -gt 0 ] || fail "a ring of 64 KiB held 100000 events"
expect_eq "the processes and the child" "$(ls /tmp/two | wc -l)" 3
ok ktrace -i /tmp/two print
expect_eq "of a" "$(count_matches "$out" "^truth:number .*  vpid $a ")" 20
expect_eq "printed" "$(count_matches "$out" '^truth:number ')" "$events"

# A recorder that is killed: all is off.
begin_record /tmp/three --events user:number
wait_until 20 says a on '^on$'
kill -9 $recorder
wait $recorder
wait_until 20 says a on '^off$'
wait_until 20 says b on '^off$'

# Two recorders; a process that is executed anew, and remains chosen; one that is killed: its events are there.
begin_record /tmp/four --events user:number --pid $b
wait_until 20 says b on '^on$'
run ktrace record -o /tmp/five --events user:number --pid $b --for 1s
expect_status 1
expect_match "recorded already" "$err" "process $b is not recorded: another ktrace records it"
ask b go 7
wait_until 20 answered b '^done 7 100007$'
ask b exec
wait_until 20 says b on '^on$'
[ -e "/tmp/four/userevents.$b.rings" ] || fail "a process that has ended is not written meanwhile: $(ls /tmp/four)"
ask b go 4
wait_until 20 answered b '^done 4 4$'
end_record
expect_eq "before and after it was executed" "$events $lost" "11 0"
expect_eq "the process, twice" "$(cd /tmp/four && echo *)" "userevents.$b-2.rings userevents.$b.rings"
begin_record /tmp/six --events user:number --pid $b
wait_until 20 says b on '^on$'
ask b go 9
wait_until 20 answered b '^done 9 13$'
kill -9 $b
end_record
expect_eq "of a killed process" "$events $lost" "9 0"
ok ktrace -i /tmp/six print
expect_eq "printed" "$(count_matches "$out" '^truth:number .*  i=[0-8]$')" 9

# Bad input: one line, and nothing is set.
refused() {
	run ktrace record -o /tmp/none "$@"
	expect_status "$want"
	expect_match "$*" "$err" "$sentence"
	[ "$(printf '%s\n' "$err" | wc -l)" = 1 ] || fail "more than one line: $err"
	[ ! -e /tmp/none ] || fail "a directory is left"
}
want=1
sentence="has no event that matches 'user:nosuch'" refused --events user:nosuch --pid $a
sentence="process 1 has no event" refused --events 'user:*' --pid 1
sentence="no process has an event" refused --events user:nosuch --for 10ms
want=2
sentence="events of the kernel and of processes" refused --events 'sched,user:*'
sentence="goes only with" refused --events 'user:*' --buffer 1M
wait_until 20 says a on '^off$'

# Quotas and permissions: the process runs on; the kernel log and status tell it.
echo 1 >/sys/module/ktrace_user/parameters/user_processes
userevents serve </tmp/c >/tmp/c.out 2>/tmp/c.err &
c=$!
exec 9>/tmp/c
fd_c=9
wait_until 20 answered c '^ready$'
expect_eq "said by the process" "$(cat /tmp/c.err)" ""
run ktrace events user:number -p $c
expect_status 1
expect_match "not registered" "$err" "process $c has not registered"
expect_match "why" "$(dmesg)" "the tracepoints of process $c, user 0, cannot be registered: the module parameter user_processes allows 1 for each user"
ok ktrace status
expect_match "refused" "$out" '^libktrace +1 process registered, .*1 refused'
ask c go 3
wait_until 20 answered c '^done 3 0$'
echo 1024 >/sys/module/ktrace_user/parameters/user_processes
kill $c
ok asuser nobody sh -c 'userevents serve </dev/null 2>&1'
expect_eq "without permission" "$out" ready

# Processes that register anything, beside readers.
(while :; do ktrace events 'user:*'; ktrace record -o /tmp/some --events 'user:*' --for 50ms; ktrace -i /tmp/some print; rm -rf /tmp/some; done >/dev/null 2>/tmp/readers) &
readers=$!
chmod 666 /dev/ktrace-user
ok asuser nobody userevents hostile "${SEED:-7}" "${HOSTILE:-120}"
kill $readers
wait $readers
expect_no_match "the readers" "$(cat /tmp/readers)" 'Segmentation|Bus error|Aborted'
wait_until 20 sh -c 'ktrace status | grep -q "^libktrace *1 process registered"'
wait_until 20 says a on '^off$'

# no_pins: no page of a process is pinned
no_pins() {
	cat /proc/sys/vm/stat_refresh
	awk '/^nr_foll_pin_acquired/ { n += $2 } /^nr_foll_pin_released/ { n -= $2 } END { exit n != 0 }' /proc/vmstat
}

# The module goes, but not while its node is open: so does what it knew, and the process runs on.
! no_pins || fail "a tracepoint has no pinned page"
run sh -c 'exec 6<>/dev/ktrace-user; rmmod ktrace_user'
expect_status 1
says a on '^off$' || fail "a is on"
ok rmmod ktrace_user
wait_until 20 no_pins
ask a go 4
wait_until 20 answered a '^done 4 1020$'
ok modprobe ktrace_user
ok ktrace status
expect_no_match "another load" "$out" '^libktrace'
