#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: rings and tables as large as they can be had leave memory for others; the kernel kills nobody; all is given back
# long: 40 s
# vm: --smp 2
. /lab/lib.sh

# available: KiB that the kernel can give without swapping
available() {
	awk '/^MemAvailable:/ { print $2 }' /proc/meminfo
}

# left WHAT: what must stay for others, but for the little that they take themselves
left() {
	[ "$(available)" -ge $((least - 16384)) ] || fail "$1: $(available) KiB are left, where $least are expected"
}

# refused: the last run() was refused because of memory
refused() {
	expect_status 1
	expect_match "refusal" "$err" 'not enough memory'
}

# What ktrace keeps of symbols and types is in memory, too: let it be there before.
ok ktrace -q trace vfs_read COUNT BY '$@arg1@'
run ktrace latency vfs_read --by pid -- true
ok ktrace -q delete '*'

least=$(awk '/^MemTotal:/ { print int($2 / 16) }' /proc/meminfo)
before=$(available)

# Rings: twice as large until they are refused.  While they are exchanged there are both, old and new ones.
size=1
while run ktrace buffer ${size}M && [ "$status" = 0 ]; do
	left "buffer ${size}M"
	size=$((2 * size))
done
refused
[ "$size" -ge 64 ] || fail "buffer ${size}M is refused, with $before KiB available"

# Tables beside them, the largest that there are, until one is refused; then small ones, until one is refused, too.
# tables KEYS FUNCTION...: trace them until a table is refused
tables() {
	keys=$1
	shift
	for function; do
		run ktrace -q trace "$function" COUNT BY '$@arg1@' KEYS "$keys"
		[ "$status" = 0 ] || break
		left "$function with $keys keys"
	done
	refused
}

tables 1000000 vfs_read vfs_write vfs_open vfs_fsync vfs_getattr vfs_statfs vfs_unlink vfs_mkdir vfs_rmdir vfs_rename vfs_link
tables 100000 ksys_read ksys_write filp_open filp_close path_openat do_exit wake_up_process schedule_timeout
run ktrace latency vfs_read --by pid -- true
# Whichever of its allocations is the first that fails.
[ "$status" = 0 ] || expect_match "latency" "$err" 'not enough memory|out of memory'

# What has been set works, and other programs do.
head -c 20000000 /dev/zero | tail -c 15000000 | wc -c >/tmp/size
expect_eq "a program of 15 MB" "$(cat /tmp/size)" 15000000
dmesg | grep -i -E 'out of memory|oom-kill' >&2 && fail "the kernel killed a program in order to get memory"

ok ktrace -q delete '*'
ok ktrace buffer 1M
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ "$(available)" -lt $((before - 32768)) ] || break
	sleep 1
done
[ "$(available)" -ge $((before - 32768)) ] || fail "$before KiB before, $(available) KiB afterwards"
