#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: FREEZE and UNFREEZE wait for the hits that are in progress; a recording has all records when it ends
# vm: --smp 2
. /lab/lib.sh

# A hit has interrupts off: so has this call, which takes as long as no hit does.
long_call() {
	taskset -c 1 sh -c 'echo "alone spin '$1' 1" >/proc/ktruth'
}
# In hundredths of seconds
now() {
	cut -d ' ' -f 1 /proc/uptime | tr -d .
}

modprobe ktruth
count=100000 took=0
while [ $took -lt 1500 ]; do
	count=$((count * 2))
	began=$(now)
	long_call $count
	took=$((($(now) - began) * 10))
done
echo "$count rounds take $took ms"

# beside_call OPERATION: $waited is how long it took, begun during the call
beside_call() {
	# It must not start, nor end a process, during the call: another CPU that is to forget addresses would wait, too.
	taskset -c 0 ktdev "$1" 700 >/tmp/waited &
	long_call $count
	wait
	waited=$(cat /tmp/waited)
	[ "$waited" -ge 300 ]
}

# On a busy machine the call may begin too late: try again.
for op in freeze unfreeze; do
	idle=$(ktdev $op) || fail "$op"
	beside_call $op || beside_call $op || beside_call $op || beside_call $op || fail "$op took $waited ms: it does not wait"
	echo "$op: $idle ms, and $waited ms beside that call"
done
ok ktrace status
expect_match "the prompt" "$out" '^recording +on$'
well
rmmod ktruth
ok rmmod ktrace
