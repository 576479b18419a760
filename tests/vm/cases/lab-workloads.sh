#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the workloads work as documented, on disk, loopback network and as another user
# vm: --no-module --disk --smp 2
. /lab/lib.sh

expect_match "disk" "$(cat /proc/mounts)" '^/dev/vda /mnt ext4 rw'
ok dd if=/dev/zero of=/mnt/file bs=64k count=16
ok sh -c 'cd /mnt && syscalls fsync 5'

# The kernel's own count of the calls, by a static tracepoint.
cd /sys/kernel/tracing || fail "no tracefs"
echo 4096 >buffer_size_kb
echo 1 >events/syscalls/sys_enter_write/enable
ok syscalls -p 2 write 1000
echo 0 >events/syscalls/sys_enter_write/enable
# Lines are "  NAME-PID  [CPU] ...".
counts=$(awk '!/^#/ { n[$1]++ } END { for (task in n) print n[task] }' trace | sort -n | tail -2)
expect_eq "writes of two processes" "$counts" "1000
1000"

ok forkstorm 50 4
ok netload tcp 20
ok netload udp 20 1000
ok asuser nobody id -u
expect_eq "uid" "$out" 65534
run asuser nobody cat /proc/ktruth
[ "$status" != 0 ] || fail "nobody can read what is root's"
