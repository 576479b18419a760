#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: run, killed with SIGKILL at any moment: no tracepoint stays, nor the family's own probes, whatever the command does
# vm: --smp 2 --one-thread --timeout 1200
# KILLS=N
. /lab/lib.sh

KILLS=${KILLS:-20}

none_left() {
	[ -z "$(ktrace list)" ]
}

# Also when a descendant of the command goes on, which must not keep the device open.
i=0
while [ $i -lt "$KILLS" ]; do
	killer $((50000 + i * 97000)) ktrace -q run 'trace vfs_write PID vfs_read PID' 'trace vfs_open COMM' -- \
		sh -c 'sleep 30 >/dev/null 2>&1 & while :; do echo x; done >/dev/null' >/tmp/killed 2>&1
	wait_until 10 none_left
	killall -9 sleep sh 2>/dev/null
	i=$((i + 1))
done

# While it sets them.
names=$(sed -n 's/^[0-9a-f]* T \(vfs_[a-z_0-9]*\)$/\1/p' /proc/kallsyms | sort | uniq -u | head -30)
names=$(accepted $names)
i=0
while [ $i -lt 6 ]; do
	killer -r 0x4b01 $((i * 3000)) ktrace -q run "trace $(echo $names)" -- sleep 100 >/tmp/killed 2>&1
	wait_until 10 none_left
	i=$((i + 1))
done
# The command was still held: it must not start now, nor wait for ever.
wait_until 10 sh -c '! pgrep -x sleep >/dev/null'

# A kprobe on top of a jump keeps that one for as long as it is there.
mkdir -p /sys/kernel/tracing
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
ktrace -q run 'trace vfs_write+0x0 PID' -- sleep 100 >/dev/null 2>&1 &
pid=$!
sleep 2
kill -9 $pid
wait_until 10 none_left

# All of it is given back.
wait_until 60 sh -c '[ "$(ktdev count | sed "s/.*slots=\([0-9]*\).*/\1/")" = 0 ]'
ok ktrace -q run 'trace vfs_write PID' -- family writes 10
expect_eq "afterwards" "$(count_matches "$out" '^vfs_write ')" 10
ok rmmod ktrace
well
