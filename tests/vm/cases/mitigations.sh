#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: CPUs whose bugs make the kernel return by thunks: jumps all the same, results at the return, exact counts
# long: 55 s
# arch: x86: elsewhere returns are what they are
# vm: --timeout 300 --disk --cpu EPYC --module-args brake=0
# vm: --timeout 300 --disk --cpu Icelake-Server --module-args brake=0
# Without the brake: each of the calls that follow each other is to be counted.
. /lab/lib.sh
modprobe ktruth
cat /sys/devices/system/cpu/vulnerabilities/retbleed /sys/devices/system/cpu/vulnerabilities/[is]* 2>/dev/null | grep -v 'Not affected'

# The CPU is one of those; with some of them only half of the returns are touched, by their addresses.
ok ktrace -q trace vfs_write%return ksys_write%return vfs_read%return ksys_read%return do_sys_open%return vfs_open%return
ok ktrace list -v
expect_match "a return" "$out" '  jmp [a-z_0-9]*return_thunk'
ok ktrace -q delete '*'

# It says what the function returns, by either method, and how long it took.
for method in breakpoint jump; do
	ok ktrace -q trace ksys_write%return METHOD $method RETVAL vfs_write%return METHOD $method RETVAL ELAPSED
	[ $method = breakpoint ] || ok sites jumps 60
	dd if=/dev/zero of=/dev/null bs=777 count=20 2>/dev/null
	ok ktrace list -v
	expect_eq "not by $method" "$(echo "$out" | awk -v m=$method 'NR > 1 && $2 != m')" ""
	[ "$(echo "$out" | wc -l)" -ge 3 ] || fail "two functions: $out"
	ok ktrace -q delete '*'
	ok ktrace printclear
	expect_eq "returned by ksys_write" "$(echo "$out" | grep -c '^ksys_write.*  retval=777$')" 20
	expect_eq "returned by vfs_write" "$(echo "$out" | grep -c '^vfs_write.*  retval=777  elapsed=[0-9.]* [mun]\?s$')" 20
done

# Most instructions can be jumps, and all of a function are reached as often as they were without thunks.
ok ktrace explain vfs_write
jumps=$(echo "$out" | grep -c ' jump ') all=$(echo "$out" | grep -c '^ *+0x')
echo "vfs_write: $jumps of $all instructions by a jump"
[ $((2 * jumps)) -ge "$all" ] || fail "$jumps jumps of $all"

# What stands in the place of returns and indirect branches is nothing to trace: the breakpoint's own way goes there.
thunks=$(awk '$2 ~ /[tT]/ && $3 ~ /_return_thunk$|untrain_ret$|_safe_ret$|^__x86_indirect_.*r15$/ { print $1 }' /proc/kallsyms)
[ "$(echo "$thunks" | wc -l)" -ge 8 ] || fail "few thunks: $thunks"
run ktrace trace $thunks
expect_status 1
expect_eq "refused" "$(echo "$err" | grep -c '^ktrace: .*: ')" "$(echo "$thunks" | wc -l)"
expect_eq "set in thunks" "$(ktrace list | wc -l)" 0

# A thousand places of functions that run all the time, set and taken away under load.
ok ktrace -q trace 'vfs_*' PID 'ksys_*' PID 'tcp_*' PID 'ext4_*' PID 'do_sys*' PID
ok ktrace list
echo "$(echo "$out" | wc -l) tracepoints"
syscalls -p 4 write 2000 &
netload tcp 50 &
forkstorm 10 4 &
wait
ok sites cycle -m auto -w 100 20
ok sites drain 60

# Calls are measured, none is lost, recursion too.
for method in breakpoint jump; do
	ok ktrace latency ktruth_run METHOD $method --json -- sh -c 'echo time run 5 5000 >/proc/ktruth'
	expect_eq "calls by $method" "$(field count)" 5000
	ok ktrace latency ktruth_nest METHOD $method --json -- sh -c 'echo time nest 20 400 >/proc/ktruth'
	expect_eq "calls inside calls by $method" "$(field count)" 2000
done
ok rmmod ktrace
well
