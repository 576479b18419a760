#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a CPU on which the kernel counts the depth of calls (retbleed=stuff): generated code, latency, counts, calls and returns by jumps
# long: 60 s
# arch: x86: only there does the kernel count calls
# vm: --disk --cpu Skylake-Server --append retbleed=stuff
. /lab/lib.sh

bug=/sys/devices/system/cpu/vulnerabilities/retbleed
grep -q Stuffing $bug || skip "this kernel does not count calls: $(cat $bug)"
modprobe ktruth

# Calls go through thunks that count them, returns through one that counts back.
ok ktrace -q trace vfs_write PID vfs_write%return PID ksys_write VAR '*(u64*)(*(u64*)($rsp))' ksys_write%return RETVAL
ok sites jumps 60
ok ktrace list -v
echo "$out"
expect_match "a return" "$out" '  jmp [a-z_0-9]*return_thunk'
expect_eq "jumps with code" "$(echo "$out" | grep -c '^[kv].* jump .* [0-9]* B ')" 4
before=$(ktrace list -v | awk '$1 == "vfs_write" { print $3 }')
dd if=/dev/zero of=/dev/null bs=777 count=2000 2>/dev/null
ok ktrace print
expect_eq "returned by ksys_write" "$(echo "$out" | grep -c '^ksys_write.*  retval=777$')" 2000
[ "$(ktrace list -v | awk '$1 == "vfs_write" { print $3 }')" -ge $((before + 2000)) ] || fail "few hits"
ok ktrace -q -e 'delete *; clear'

# Each of a known number of calls is counted, and measured.
ok ktrace -q trace ktruth_run COUNT ktruth_nest COUNT BY PID
ok sites jumps 60
echo time run 5 5000 >/proc/ktruth
echo time nest 5 1000 >/proc/ktruth
ok ktrace list -v
expect_eq "hits" "$(echo "$out" | awk '/ktruth_/ { print $1, $3 }' | sort)" "ktruth:ktruth_nest 5000
ktruth:ktruth_run 5000"
ok ktrace -q -e 'delete *; clear'
for method in breakpoint plain jump; do
	ok ktrace latency ktruth_run METHOD $method --json -- sh -c 'echo time run 5 5000 >/proc/ktruth'
	expect_eq "calls, $method" "$(field count)" 5000
	ok ktrace latency ktruth_nest METHOD $method --json -- sh -c 'echo time nest 5 1000 >/proc/ktruth'
	expect_eq "recursive calls, $method" "$(field count)" 5000
done
ok ktrace latency ksys_write --json -- dd if=/dev/zero of=/dev/null bs=777 count=2000
[ "$(field count)" -ge 2000 ] || fail "calls of ksys_write: $(field count)"

# A thousand instructions of busy functions, calls and returns among them, set and removed under load.
ok ktrace -q trace 'vfs_*' PID 'ksys_*' PID 'tcp_*' PID 'ext4_*' PID 'do_sys*' PID
syscalls -p 4 write 2000 &
netload tcp 50 &
forkstorm 10 4 &
wait
ok sites cycle -m auto -w 100 20
ok sites drain 60
well
