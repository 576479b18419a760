#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: UNFREEZE ... FREEZE around a system call, with the block layer and its interrupt in between
# vm: --disk
. /lab/lib.sh
cd /mnt || fail "no disk"

# First create the file and read what fsync needs. The callers in the file system are inlined on some kernels.
ok syscalls fsync 2
return_to ext4_sync_file syscalls fsync 1
call=${place%+0x*}

hold syscalls fsync 1
ok ktrace freeze
ok ktrace -q trace "$call" UNFREEZE PID ONLYPID "$pid" \
	submit_bio PID virtio_blk:virtblk_done PID CPU bio_endio \
	"$place" FREEZE PID ONLYPID "$pid"
ok syscalls fsync 2
ok ktrace print
expect_eq "while frozen" "$out" ""
let_go
ok syscalls fsync 2

ok ktrace print
lines=$(printf '%s\n' "$out" | wc -l)
expect_match begin "$(printf '%s\n' "$out" | head -1)" "^$call .*\( {14}\)  pid $pid +UNFREEZE\$"
expect_match end "$(printf '%s\n' "$out" | tail -1)" "^$call\+0x[0-9a-f]+ .*  pid $pid +FREEZE\$"
expect_eq "first and last only once" "$(count_matches "$out" "^$call")" 2
expect_match "block layer" "$out" '^submit_bio .*  pid '
expect_match "interrupt" "$out" '^virtio_blk:virtblk_done .*  pid [0-9]+ +cpu [0-9]+$'
expect_match "completion" "$out" '^bio_endio '
# The kernel's threads use the disk, too.
order=$(printf '%s\n' "$out" | awk -v pid="$pid" '
	BEGIN { split("submit_bio virtio_blk:virtblk_done bio_endio", wanted) }
	$1 == wanted[n + 1] && (n || $0 ~ "  pid " pid "$") { n++ }
	END { print n + 0 }')
expect_eq "in order: the process submits, the disk interrupts, and it is done" "$order" 3
ok ktrace status
expect_match status "$out" "^recording    frozen since [0-9:]{8}\\.[0-9]{9} by $call\\+0x[0-9a-f]+: 'unfreeze' restarts it\$"
# Recording is frozen: no record comes until unfreeze.
ok ktrace print
expect_eq "still" "$(printf '%s\n' "$out" | wc -l)" "$lines"
ok ktrace unfreeze
ok syscalls fsync 1
ok ktrace print
[ "$(printf '%s\n' "$out" | wc -l)" -gt "$lines" ] || fail "nothing comes after unfreeze"
