#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: exactly N calls are counted; calls over quota, filtered, open or unseen are reported; nothing stays set
# long: 17 s
# vm: --smp 2
. /lab/lib.sh
modprobe ktruth

ok ktrace latency vfs_write --count 10000 --json -- dd if=/dev/zero of=/dev/null bs=1 count=10000
expect_eq count "$(field count)" 10000
ok ktrace latency vfs_write --count 100 --json -- dd if=/dev/zero of=/dev/null bs=1 count=1000
expect_eq count "$(field count)" 100

# IF is decided at the entry: the other calls are counted at their return.
ok ktrace latency ktruth_run IF '$@arg1@ == 7' --json -- sh -c 'echo time run 5 30 >/proc/ktruth; echo time run 7 20 >/proc/ktruth'
expect_eq "calls that IF let through" "$(field count)" 20
expect_eq "calls that it did not" "$(field filtered)" 30
expect_eq unpaired "$(field unpaired)" 0

# Only this command: calls of other processes do not count.
(for _ in 1 2 3 4 5 6 7 8 9 10; do echo time run 9 1000 >/proc/ktruth; done) &
ok ktrace latency ktruth_run --json -- sh -c 'echo time run 5 30 >/proc/ktruth'
expect_eq "calls of the command" "$(field count)" 30
wait

# One call after the other, from before the measurement to behind it: of the first only the return is seen, of the last
# only the entry.  A single call that lasts would have to begin in time, which a slow machine does not grant.
echo time slept 1000000 1000 >/proc/ktruth &
caller=$!
usleep 300000
run ktrace latency ktruth_slept --for 4 --json
expect_status 0
[ "$(field count)" -ge 1 ] || fail "no call was counted: $out"
expect_eq "returned without entry" "$(field unmatched)" 1
expect_eq "still open" "$(field open)" 1

# Only the return of a call: nothing is counted.
run ktrace latency ktruth_slept --for 1ms --json
if [ "$(field count)" = 0 ]; then
	expect_status 5
fi
kill -9 $caller
wait $caller

# Killed, it leaves nothing.
ktrace latency vfs_write --for 60 >/dev/null 2>&1 &
killed=$!
wait_until 20 sh -c 'ktrace list | grep -q vfs_write'
kill -9 $killed
wait_until 20 sh -c '! ktrace list | grep -q vfs_write'

# An address that is traced already can be measured, and its tracepoint stays unchanged.
ok ktrace -q trace vfs_write PID
ok ktrace latency vfs_write --count 10 --json -- dd if=/dev/zero of=/dev/null bs=1 count=10
expect_eq "beside a tracepoint" "$(field count)" 10
ok ktrace list
expect_match list "$out" '^vfs_write +PID$'
ok ktrace -e 'delete *'
well
