#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a recorder is stopped for a minute, and its disk is full meanwhile: events happened = in the trace + counted as lost
# long: 100 s
# vm: --smp 2 --timeout 900
# STOPPED=N: how many seconds.
. /lab/lib.sh

STOPPED=${STOPPED:-60}
modprobe ktruth
ok ktrace status

# calls CPU COUNT: calls of ktruth_run, which nobody else makes
calls() {
	taskset $((1 << $1)) sh -c "echo time run 7 $2 >/proc/ktruth"
	happened=$((happened + $2))
}

# start DIR BUFFER: a recording in the background, which has begun
start() {
	happened=0
	ktrace record -o "$1" --trace 'ktruth_run PID' --buffer "$2" 2>/tmp/err.record &
	recorder=$!
	wait_until 30 test -s "$1/metadata"
	calls 0 1000
	calls 1 1000
}

none_left() {
	wait_until 20 sh -c '[ -z "$(ktdev recordings)" ]'
	wait_until 20 sh -c 'ktdev count | grep -q "sites=0 "'
}

start /tmp/stopped 256K
kill -STOP $recorder
for second in $(seq "$STOPPED"); do
	calls $((second % 2)) 2500
	sleep 1
done
kill -CONT $recorder
wait_until 60 sh -c 'ktdev recordings | grep -q .'
usleep 500000
calls 0 3000
calls 1 3000
kill -INT $recorder
wait $recorder || fail "$(cat /tmp/err.record)"
cat /tmp/err.record
look_at /tmp/stopped
echo "stopped for $STOPPED s: $happened events, in the trace $in_trace, lost $lost"
expect_eq "in the trace + lost" $((in_trace + lost)) "$happened"
[ "$lost" -gt 0 ] && [ "$in_trace" -gt 8000 ] || fail "in the trace $in_trace, lost $lost"
for cpu in 0 1; do
	at_end=$(awk -v cpu=$cpu '$1 == cpu { n++ } END { print n + 0 }' /tmp/numbers)
	[ "$at_end" -ge 4000 ] || fail "CPU $cpu: the events before and after are not all there: $at_end"
done
none_left

# The buffer has more than fits on the disk: the rest is told. The trace ends with a whole packet.
mkdir /tmp/small
mount -t tmpfs -o size=300k none /tmp/small
start /tmp/small/trace 512K
kill -STOP $recorder
calls 0 80000
calls 1 80000
kill -CONT $recorder
status=0
wait $recorder || status=$?
cat /tmp/err.record
expect_eq "status" "$status" 1
expect_match "a full disk" "$(cat /tmp/err.record)" '/tmp/small/trace: No space left on device: the trace ends here'
later=$(sed -n 's/^ktrace: \([0-9,]*\) events that came later are lost$/\1/p' /tmp/err.record | tr -d ,)
look_at /tmp/small/trace
echo "a full disk: $happened events, in the trace $in_trace, lost $lost, later ${later:-none}"
expect_eq "in the trace + lost + later" $((in_trace + lost + ${later:-0})) "$happened"
[ "$in_trace" -gt 5000 ] && [ "${later:-0}" -gt 0 ] || fail "in the trace $in_trace, later ${later:-none}"
none_left
umount /tmp/small

well
rmmod ktruth
ok rmmod ktrace
