#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: record --caller: by depth, by range, in a program, of one process, absent ones; names; in print, JSON and CSV; wrong ones
# long: 40 s
. /lab/lib.sh

# The program has fixed addresses.
ok callers 1
address() {
	printf '%s\n' "$out" | awk -v name="$1" '$1 == name { print $2 }'
}
middle=$(address middle) outer=$(address outer) main=$(address main) entered=$(address syscall)
behind() {
	printf '0x%x' "$(($1 + $2))"
}
# values DIR: the field of each getppid, one on a line; null where it is unreadable
values() {
	ktrace --json print "$1" >/tmp/json || fail "cannot print $1"
	sed -n 's/.*"name":"syscall_entry_getppid".*"name":"caller","value":\([^,}]*\).*/\1/p' /tmp/json | tr -d '"'
}
# expect_callers DIR WORDS VALUE: 20 records with this value, and nothing else
expect_callers() {
	ok ktrace -q record -o "$1" --events syscalls --caller $2 -- callers 20
	expect_eq "$2" "$(values "$1" | sort | uniq -c | tr -s ' ')" " 20 $3"
}

expect_callers /tmp/d1 "depth 1" "$middle"
expect_callers /tmp/d2 "depth 2" "$outer"
expect_callers /tmp/d3 "depth 3" "$main"
expect_callers /tmp/d63 "depth 63" null
expect_callers /tmp/in1 "in $outer-$(behind "$outer" 1)" "$outer"
expect_callers /tmp/in2 "in $(behind "$middle" -16)-$(behind "$outer" 1)" "$middle"
expect_callers /tmp/in3 "in 0x1000-0x2000" null

# Behind the instruction that enters the kernel, in syscall() of the C library; it is a part of the program.
ok ktrace -q record -o /tmp/d0 --events syscalls --caller depth 0 -- callers 20
at=$(values /tmp/d0 | sort -u)
[ "$((at))" -gt "$((entered))" ] && [ "$((at))" -lt "$((entered + 64))" ] || fail "depth 0 is $at, not in syscall() at $entered"
expect_callers /tmp/in4 "in callers" "$at"
expect_callers /tmp/in5 "in $(readlink -f "$(command -v callers)")" "$at"

# Each system call has it, and no other event; as text, as a condition, in CSV.
ok ktrace print /tmp/d1
printf '%s\n' "$out" | grep -m 2 getppid
expect_eq "without it" "$(printf '%s\n' "$out" | grep '^[a-z_]*syscall_entry_' | grep -vc '  caller=\|(read at the return)$')" 0
expect_eq "others" "$(printf '%s\n' "$out" | grep -v '^[a-z_]*syscall_entry_' | grep -c '  caller=')" 0
expect_eq "as text" "$(printf '%s\n' "$out" | grep -c "^syscall_entry_getppid .*  caller=0*${middle#0x}\$")" 20
ok ktrace print /tmp/d1 IF caller == "$middle"
expect_eq "IF" "$(printf '%s\n' "$out" | grep -c '^syscall_entry_getppid ')" 20
ok ktrace --csv print /tmp/d1
column=$(printf '%s\n' "$out" | head -n 1 | tr , '\n' | grep -nx caller | cut -d: -f1)
expect_eq "CSV" "$(printf '%s\n' "$out" | awk -F, -v at="$column" '/"syscall_entry_getppid"/ { print $at }' | sort -u)" "$middle"

# Beside other sets, and without the arguments; the memory of one process tells where a file is.
ok ktrace -q record -o /tmp/bare --events core,sched,process --no-fields syscalls --caller depth 2 -- callers 20
ok ktrace print /tmp/bare
expect_eq "without arguments" "$(printf '%s\n' "$out" | grep -c "^syscall_entry_getppid .*  caller=0*${outer#0x}")" 20
expect_eq "no arguments" "$(printf '%s\n' "$out" | grep '^syscall_entry_write ' | grep -c 'count=')" 0
ok ktrace -q record -o /tmp/named --caller depth 1 -- callers 20
ok ktrace print /tmp/named
expect_eq "a name" "$(printf '%s\n' "$out" | grep -c "^syscall_entry_getppid .*comm \"callers\".*  caller=0*${middle#0x} (callers:$middle)\$")" 20
ok ktrace report /tmp/bare --by syscall
expect_match "in a report" "$out" '^getppid +20 '
mkfifo /tmp/go
callers 20 wait </tmp/go >/dev/null &
pid=$!
exec 5>/tmp/go
wait_until 20 sh -c "grep -q callers /proc/$pid/maps"
ktrace -q record -o /tmp/mapped --events syscalls,sched,process --pid $pid --caller in callers 2>/tmp/mapped.err &
recorder=$!
wait_until 60 test -s /tmp/mapped/state
echo >&5
wait $pid
exec 5>&-
kill -INT $recorder
wait $recorder || fail "$(cat /tmp/mapped.err)"
expect_eq "in its memory" "$(values /tmp/mapped | sort | uniq -c | tr -s ' ')" " 20 $at"
expect_eq "named by the state" "$(ktrace print /tmp/mapped | grep -c "^syscall_entry_getppid .*  caller=0*${at#0x} (callers:$at)\$")" 20

# A flight recording has it, too.
ok ktrace -q record --mode flight -o /tmp/flight --events syscalls --caller depth 1 -- callers 20
expect_eq "in a snapshot" "$(values /tmp/flight | sort | uniq -c | tr -s ' ')" " 20 $middle"

for wrong in 'depth' 'depth 64' 'depth x' 'sideways' 'sideways 3' 'in 5-3' 'in 0x2-0x1' 'in nosuchfile' '--for 1s'; do
	run ktrace record -o /tmp/wrong --events syscalls --caller $wrong -- true
	[ "$status" != 0 ] && [ "$(echo "$err" | wc -l)" = 1 ] && [ ! -e /tmp/wrong ] || fail "$wrong: $status: $err"
	echo "$err"
done
run ktrace record -o /tmp/wrong --events sched --caller depth 1 -- true
expect_eq "without system calls" "$status" 2
expect_match "without system calls" "$err" "^ktrace: --caller: no system calls are recorded"
run ktrace record -o /tmp/wrong --trace 'vfs_write PID' --caller depth 1 -- true
expect_eq "only tracepoints" "$status" 2
well
