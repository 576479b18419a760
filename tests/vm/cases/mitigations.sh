#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: CPUs whose bugs make the kernel return by thunks: jumps work, results at the return, exact counts
# long: 55 s
# arch: x86: only there do returns go through thunks
# vm: --disk --cpu EPYC
# vm: --disk --cpu Icelake-Server
# No brake: the calls come without a pause, and each must be counted.
. /lab/lib.sh
modprobe ktruth
cat /sys/devices/system/cpu/vulnerabilities/retbleed /sys/devices/system/cpu/vulnerabilities/[is]* 2>/dev/null | grep -v 'Not affected'

# This CPU is one of them. On some, only half of the returns are affected, depending on their address.
ok ktrace -q trace vfs_write%return ksys_write%return vfs_read%return ksys_read%return do_sys_open%return vfs_open%return
ok ktrace list -v
expect_match "a return" "$out" '  jmp [a-z_0-9]*return_thunk'
ok ktrace -q delete '*'

# Both methods show the return value and the duration.
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

# Most instructions can have jumps, and all instructions of a function are hit as often as without thunks.
ok ktrace explain vfs_write
jumps=$(echo "$out" | grep -c ' jump ') all=$(echo "$out" | grep -c '^ *+0x')
echo "vfs_write: $jumps of $all instructions by a jump"
[ $((2 * jumps)) -ge "$all" ] || fail "$jumps jumps of $all"

# Thunks that replace returns and indirect branches are refused: the breakpoint's own path uses them.
thunks=$(awk '$2 ~ /[tT]/ && $3 ~ /_return_thunk$|untrain_ret$|_safe_ret$|^__x86_indirect_.*r15$/ { print $1 }' /proc/kallsyms)
[ "$(echo "$thunks" | wc -l)" -ge 8 ] || fail "few thunks: $thunks"
run ktrace trace $thunks
expect_status 1
expect_eq "refused" "$(echo "$err" | grep -c '^ktrace: .*: ')" "$(echo "$thunks" | wc -l)"
expect_eq "set in thunks" "$(ktrace list | wc -l)" 0

# A thousand instructions of busy functions, set and removed under load.
ok ktrace -q trace 'vfs_*' PID 'ksys_*' PID 'tcp_*' PID 'ext4_*' PID 'do_sys*' PID
ok ktrace list
echo "$(echo "$out" | wc -l) tracepoints"
syscalls -p 4 write 2000 &
netload tcp 50 &
forkstorm 10 4 &
wait
ok sites cycle -m auto -w 100 20
ok sites drain 60

# Calls are measured, also recursive ones; none is lost.
for method in breakpoint jump; do
	ok ktrace latency ktruth_run METHOD $method --json -- sh -c 'echo time run 5 5000 >/proc/ktruth'
	expect_eq "calls by $method" "$(field count)" 5000
	ok ktrace latency ktruth_nest METHOD $method --json -- sh -c 'echo time nest 20 400 >/proc/ktruth'
	expect_eq "calls inside calls by $method" "$(field count)" 2000
done
ok rmmod ktrace
well
