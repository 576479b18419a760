#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: recorders that are killed or find no room: what is on disk has no gap, and the rest is counted
# long: 70 s
# vm: --smp 2 --timeout 900
. /lab/lib.sh

kill_recorders 5 @arg1@
kill_recorders 2 @arg1@ --compress

# A full disk: what happened is in the trace, or it is said how much is not.
mkdir /tmp/small
mount -t tmpfs -o size=300k none /tmp/small
run ktrace record -o /tmp/small/trace --trace "ktruth_run PID" --buffer 64K -- sh -c 'for _ in 1 2 3 4 5 6 7 8; do echo time run 7 10000 >/proc/ktruth; usleep 100000; done'
echo "$err"
expect_eq "its status" "$status" 1
expect_match "a full disk" "$err" '/tmp/small/trace: No space left on device: the trace ends here'
said=$(printf '%s\n' "$err" | sed -n 's/^ktrace: \([0-9,]*\) events that came later are lost$/\1/p' | tr -d ,)
look_at /tmp/small/trace
[ "$in_trace" -gt 5000 ] || fail "only $in_trace records"
[ $((in_trace + lost + ${said:-0})) -le 80000 ] && [ "${said:-0}" -gt 0 ] || fail "in the trace $in_trace, lost $lost, later ${said:-nothing}"
umount /tmp/small

well
rmmod ktruth
ok rmmod ktrace
