#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: callers in the user's program, by depth, by range, by file, as a list; absent ones; of a process; in a recording
# long: 25 s
. /lab/lib.sh

# The program has fixed addresses.
ok callers 1
address() {
	printf '%s\n' "$out" | awk -v name="$1" '$1 == name { print $2 }'
}
middle=$(address middle) outer=$(address outer) main=$(address main)
behind() {
	printf '0x%x' "$(($1 + $2))"
}

ok ktrace -q trace syscall:getppid ONLYCOMM callers USTACK 4 CALLER depth 1 CALLER depth 2 \
	CALLER in "$outer-$(behind "$outer" 1)" CALLER in "0x1-0x2" CALLER depth 63
callers 50 >/dev/null
ok ktrace --json print
echo "$out" | head -3
printf '%s\n' "$out" | grep '"type":"record"' >/tmp/records
expect_eq "records" "$(wc -l </tmp/records)" 50
ok ktrace print
line=$(printf '%s\n' "$out" | grep -m 1 syscall:getppid)
strip() {
	echo "$1" | sed 's/^0x0*//'
}
expect_match "by depth" "$line" "caller=0*$(strip "$middle")  caller=0*$(strip "$outer")  caller=0*$(strip "$outer")  caller=[?]  caller=[?]"
expect_eq "the list" "$(printf '%s\n' "$out" | grep -c "$(strip "$main")")" 50
ok ktrace -q -e 'delete *' -e clear

# In the text of a file of one process.
mkfifo /tmp/go
callers 20 wait </tmp/go >/dev/null &
pid=$!
exec 5>/tmp/go
wait_until 20 sh -c "grep -q callers /proc/$pid/maps"
ok ktrace -q trace syscall:getppid ONLYTGID $pid CALLER in callers PID
ok ktrace -q trace event:sys_exit ONLYTGID $pid CALLER in "$(readlink -f /proc/$pid/exe)" IF 'ret > 0'
echo >&5
wait $pid
exec 5>&-
ok ktrace print
expect_eq "in a file" "$(printf '%s\n' "$out" | grep 'syscall:getppid' | grep -vc 'caller=?')" 20
ok ktrace -q -e 'delete *' -e clear

# It is at the same place in every process.
ok ktrace -q trace syscall:getppid ONLYCOMM callers CALLER in callers
callers 5 >/dev/null
ok ktrace print
expect_eq "in a program" "$(printf '%s\n' "$out" | grep 'syscall:getppid' | grep -vc 'caller=?')" 5
ok ktrace -q -e 'delete *' -e clear

# Not of kernel threads; in a recording.
ok ktrace -q trace event:sched_switch USTACK 2 CALLER depth 0 COMM IF 'next->pid'
sleep 1
ok ktrace print
printf '%s\n' "$out" | grep 'comm="kworker' | head -2
[ "$(printf '%s\n' "$out" | grep 'comm="kworker' | grep -vc 'caller=?')" = 0 ] || fail "a kernel thread has a program"
ok ktrace -q -e 'delete *' -e clear
ok ktrace record -o /tmp/rec --trace 'syscall:getppid ONLYCOMM callers CALLER depth 1' -- callers 10
expect_eq "recorded" "$(ktrace -i /tmp/rec print | grep -c "$(strip "$middle")")" 10

for wrong in 'CALLER' 'CALLER depth' 'CALLER depth 64' 'CALLER depth x' 'CALLER in 0x2-0x1' 'CALLER in libc.so.6' 'CALLER at 5' \
	'ONLYTGID 1 CALLER in nosuchlib.so'; do
	run ktrace trace syscall:getppid $wrong
	[ "$status" != 0 ] && [ "$(echo "$err" | wc -l)" = 1 ] || fail "$wrong: $status: $err"
	echo "$err"
done
well
