#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: FREEZE and UNFREEZE wait for the hits that are in progress
# vm: --smp 2
. /lab/lib.sh

# In place of a hit, which is too short: this call, too, has interrupts off, and takes seconds.
long_call() {
	taskset -c 1 sh -c 'echo "alone spin '$1' 1" >/proc/ktruth'
}
# now: the time since boot, in hundredths of a second
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

# beside_call OPERATION: begin it during the call; $waited is how many ms it took.  Fails if it did not wait for the call.
beside_call() {
	# ktdev starts before the call, and spins for 700 ms: during the call, some CPUs cannot start a process, because they wait
	# for the one whose interrupts are off.
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
