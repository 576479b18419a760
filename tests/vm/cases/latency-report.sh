#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: what latency reports about filtered calls, groups and the slowest calls; the user's records stay untouched
# long: 20 s
# vm: --smp 2
. /lab/lib.sh
modprobe ktruth

# IF on the result: filtered calls have ended.
ok ktrace latency vfs_write IF 'RETVAL == 5' --json -- sh -c 'echo abcd >/dev/null; dd if=/dev/zero of=/dev/null bs=1 count=20 2>/dev/null'
expect_eq "calls with that result" "$(field count)" 1
[ "$(field filtered)" -ge 20 ] || fail "calls with other results: $(field filtered)"
expect_eq "not measured" "$(field unpaired)" 0
ok ktrace latency vfs_write IF 'RETVAL == 5' -- sh -c 'echo abcd >/dev/null; dd if=/dev/zero of=/dev/null bs=1 count=20 2>/dev/null'
expect_match "as text" "$out" '^2[0-9] calls left out by the filter$'
expect_no_match "as text" "$out" 'not measured'

# IF at the entry: calls of other processes are not opened, so none stays open.
(while [ ! -e /tmp/stop ]; do echo time run 9 100 >/proc/ktruth; done) &
ok ktrace latency ktruth_run IF '$@arg1@ == 7' --json -- sh -c 'echo time run 5 30 >/proc/ktruth; echo time run 7 20 >/proc/ktruth; usleep 300000'
touch /tmp/stop
wait
expect_eq "calls that IF let through" "$(field count)" 20
expect_eq "calls that it did not" "$(field filtered)" 30
expect_eq "not measured" "$(field unpaired)" 0

# A group for each value of a property of the task, which may be negative.
ok ktrace latency ktruth_fails --by nice --json -- sh -c 'echo call fails 10 >/proc/ktruth; renice -n -5 -p $$; echo call fails 7 >/proc/ktruth'
expect_match "by nice" "$out" '\{"key":"0","count":10,'
expect_match "by nice" "$out" '\{"key":"-5","count":7,'

# A group for each value that is returned, an error by its name, and for each return.
ok ktrace latency vfs_write --by RETVAL --json -- sh -c 'echo abcd >/dev/null; dd if=/dev/zero of=/dev/null bs=1 count=20 2>/dev/null'
expect_match "by RETVAL" "$out" '\{"key":"1","count":20,'
expect_match "by RETVAL" "$out" '\{"key":"5","count":1,'
ok ktrace latency do_sys_openat2 --by RETVAL RETVAL --top 2 -- sh -c 'for i in 1 2 3; do cat /nothing 2>/dev/null; done; true'
expect_match "errors" "$out" '^-ENOENT +3 '
expect_match "of the slowest" "$out" '^ +(.*  )?retval='
ok ktrace latency vfs_write --by 'VAR RETVAL > 1' --json -- sh -c 'echo abcd >/dev/null; dd if=/dev/zero of=/dev/null bs=1 count=20 2>/dev/null'
expect_match "by an expression" "$out" '\{"key":"0","count":20,'
ok ktrace latency ktruth_fails --by EXIT --json -- sh -c 'echo call fails 10 >/proc/ktruth'
expect_match "by EXIT" "$out" '\{"key":"return at ktruth:ktruth_fails(\+0x[0-9a-f]+)?(  [^"]*)?","count":10,'
run ktrace latency ktruth_fails ktruth_run --by EXIT
expect_status 2
run ktrace latency kfree --by RETVAL
expect_match "no value" "$err" 'the function returns nothing'

# From A to B by a key, whatever the thread; what is not paired is counted.
ok ktrace latency ktruth_run ktruth_square --key '1' --json -- sh -c 'echo time run 5 3 >/proc/ktruth; echo call square 2 >/proc/ktruth'
expect_eq "paired" "$(field count)" 2
expect_eq "begun" "$(field entered)" 3
expect_match "not paired" "$out" '"unpaired_by":\{"unmatched":0,"open":1,'
while :; do usleep 1000; done &
sleeper=$!
ok ktrace latency event:sched_waking event:sched_switch --key 'p->pid' 'next->pid' --for 1s
kill $sleeper
expect_match "wake-ups" "$out" '^latency event:sched_waking -> event:sched_switch by p->pid = next->pid'
expect_match "how" "$out" '^B ends the newest A with its key'
run ktrace latency ktruth_run ktruth_square --key '$@arg1@' --by comm
expect_status 2

# A return names the function to measure.
for name in ktruth_fails%return ktruth:ktruth_fails%return ktruth:ktruth_fails; do
	ok ktrace latency "$name" --json -- sh -c 'echo call fails 10 >/proc/ktruth'
	expect_eq "$name" "$(field count)" 10
	expect_match "$name" "$out" "\"${name%\%return}\""
done

# A group with filtered calls only is not shown.
ok ktrace latency vfs_write --by comm IF 'RETVAL == 5' -- sh -c 'echo abcd >/dev/null; dd if=/dev/zero of=/dev/null bs=1 count=20 2>/dev/null'
expect_match "group with calls" "$out" '^sh  +1 '
expect_no_match "group without" "$out" '^dd '

# The data of the slowest calls, alone and beside other data.
ok ktrace latency ktruth_fails BACKTRACE 3 --top 2 -- sh -c 'echo call fails 10 >/proc/ktruth'
expect_eq "backtraces" "$(count_matches "$out" '^ +from ktruth:call_fails\+.* < ktruth:truth_write\+')" 2
ok ktrace latency ktruth_fails PID BACKTRACE 3 --top 2 -- sh -c 'echo call fails 10 >/proc/ktruth'
expect_eq "backtraces beside" "$(count_matches "$out" '^ +from ktruth:call_fails\+')" 2
expect_eq "data beside" "$(count_matches "$out" '^ +pid [0-9]+$')" 2

# Their records are in the user's buffer, but print does not show them; no user's record is lost.
for mode in overwrite discard; do
	ok ktrace -q -e "delete *; clear; buffer $mode; trace ktruth_square CONST 5"
	truth square 3
	ok ktrace latency ktruth_fails REG @arg1@ PID --top 4 -- sh -c 'echo call square 2 >/proc/ktruth; echo call fails 10 >/proc/ktruth'
	expect_match "$mode: the slowest" "$out" "@arg1@=.*pid [0-9]+\$"
	truth square 4
	ok ktrace print
	expect_eq "$mode: printed" "$(count_matches "$out" '^ktruth:ktruth_square .*const 5$')" 9
	expect_eq "$mode: nothing else" "$(printf '%s\n' "$out" | wc -l)" 9
	ok ktrace --json print
	expect_eq "$mode: as JSON" "$(printf '%s\n' "$out" | wc -l)" 9
	ok ktrace printclear
	expect_eq "$mode: printed and cleared" "$(printf '%s\n' "$out" | wc -l)" 9
	expect_eq "$mode: lost" "$(counted lost)" 0
	expect_eq "$mode: pending" "$(counted pending)" 0
done

# If they find no room, a message says so, and the records in the buffer stay.
ok ktrace -q -e 'delete *; clear; buffer 8K; trace ktruth_square CONST 5'
for cpu in 1 2; do
	taskset $cpu sh -c 'echo call square 2000 >/proc/ktruth'
done
recorded=$(counted pending)
ok ktrace latency ktruth_fails PID --top 4 -- sh -c 'echo call fails 10 >/proc/ktruth'
expect_match "no room" "$err" 'not all of the slowest calls may be shown: [0-9]+ records found no room'
expect_eq "what filled it" "$(counted pending)" "$recorded"
well
