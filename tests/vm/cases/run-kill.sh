#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: kill -9 run at any moment: no tracepoint stays, nor a probe of the process tree, whatever the command does
# long: 40 s
# vm: --smp 2 --timeout 1200
# KILLS=N
. /lab/lib.sh

KILLS=${KILLS:-20}

none_left() {
	[ -z "$(ktrace list)" ]
}

# A descendant of the command that continues does not keep the device open.
cat >/tmp/victim.sh <<'END'
sleep 30 </dev/null >/dev/null 2>&1 &
while :; do echo x; done >/dev/null
END
i=0
while [ $i -lt "$KILLS" ]; do
	killer $((50000 + i * 97000)) ktrace -q run 'trace vfs_write PID vfs_read PID' 'trace vfs_open COMM' -- \
		sh /tmp/victim.sh >/tmp/killed 2>&1
	wait_until 10 none_left
	kill_processes '[v]ictim'
	i=$((i + 1))
done
kill_processes '^[s]leep'

# During the setting: the command is still held, and must not start now, nor wait forever.
names=$(sed -n 's/^[0-9a-f]* T \(vfs_[a-z_0-9]*\)$/\1/p' /proc/kallsyms | sort | uniq -u | head -30)
names=$(accepted $names)
i=0
while [ $i -lt 6 ]; do
	killer -r 0x4b01 $((i * 3000)) ktrace -q run "trace $(echo $names)" -- sleep 100 >/tmp/killed 2>&1
	wait_until 10 none_left
	[ $i -gt 0 ] || wait_until 10 no_process '^[s]leep'
	kill_processes '^[s]leep'
	wait_until 10 no_process '[r]un.trace'
	i=$((i + 1))
done

# A kprobe on top of a jump keeps that jump until the kprobe is removed.
events=/sys/kernel/tracing
place=$(places vfs_write | head -n 1)
ktrace -q run 'trace vfs_write PID METHOD jump' -- sleep 100 >/dev/null 2>&1 &
pid=$!
wait_until 20 sh -c 'ktrace list -v | grep -q "  jump  "'
echo "p:lab $place" >>$events/kprobe_events && echo 1 >$events/events/kprobes/lab/enable || fail "no kprobe on a jump"
kill -9 $pid
sleep 2
none_left && fail "the jump went from under a kprobe"
ok family writes 100
# Beside a jump that waits for its removal, another tracepoint can be set.
ok ktrace -q run 'trace vfs_write PID' -- family writes 10
expect_eq "beside one that is to go" "$(count_matches "$out" '^vfs_write ')" 10
echo 0 >$events/events/kprobes/lab/enable
echo '-:lab' >>$events/kprobe_events
wait_until 10 none_left

# All slots are freed.
wait_until 60 sh -c '[ "$(ktdev count | sed "s/.*slots=\([0-9]*\).*/\1/")" = 0 ]'
ok ktrace -q run 'trace vfs_write PID' -- family writes 10
expect_eq "afterwards" "$(count_matches "$out" '^vfs_write ')" 10
ok rmmod ktrace
well
