#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: run: signals reach the command, and ktrace ends by the same signal; Ctrl-C, twice
# long: 20 s
# vm: --smp 2
. /lab/lib.sh

export NO_COLOR=1 PAGER=

# The command dies by a signal: so does ktrace, after printing the records; nothing stays set.
for sig in TERM INT HUP KILL SEGV USR1 ABRT; do
	run ktrace run 'trace vfs_write COMM' -- sh -c "family writes 10; kill -$sig \$\$"
	expect_status $((128 + $(kill -l $sig)))
	expect_eq "$sig: records" "$(count_matches "$out" '^vfs_write .*comm="family"$')" 10
done

# A signal to ktrace reaches the command, which may handle it as it likes.
cat >/tmp/deaf.sh <<'END'
trap 'echo got usr1' USR1
trap 'echo got term; exit 9' TERM
echo ready >/tmp/ready
while :; do sleep 0.1; done
END
rm -f /tmp/ready
ktrace -q run 'trace vfs_write COMM' -- sh /tmp/deaf.sh >/tmp/out 2>/tmp/err &
pid=$!
wait_until 20 test -s /tmp/ready
kill -USR1 $pid
wait_until 20 grep -q 'got usr1' /tmp/out
kill -TERM $pid
wait $pid
status=$?
out=$(cat /tmp/out)
expect_status 9
expect_match "what it did" "$out" '^got term$'
expect_match "records of it" "$out" '^vfs_write .*comm="sh"$'

# Without a command SIGINT ends ktrace: it prints the records, with status 0.
family writes 100000000 1000 >/dev/null &
load=$!
ktrace run 'trace vfs_write PID' >/tmp/out 2>/tmp/err &
pid=$!
# Not before: a shell lets its background processes ignore SIGINT.
wait_until 60 sh -c 'ktrace list | grep -q vfs_write'
sleep 1
kill -INT $pid
wait $pid
expect_eq "status after SIGINT" $? 0
[ "$(grep -c '^vfs_write ' /tmp/out)" -gt 10 ] || fail "it printed nothing: $(cat /tmp/err)"

# On a terminal Ctrl-C reaches both: the command ends, and the records are printed.
cat >/tmp/loop.sh <<'END'
family writes 25
echo looping
while :; do sleep 0.1; done
END
ok ptyrun -c 3 'looping' -- ktrace -q run 'trace vfs_write COMM' -- sh /tmp/loop.sh
expect_match "status after Ctrl-C" "$out" '^\[signal 2\]'
expect_eq "records after Ctrl-C" "$(count_matches "$out" 'vfs_write .*comm="family"')" 25

# The command ignores it: after the second Ctrl-C ktrace does not wait.
cat >/tmp/loop.sh <<'END'
trap '' INT
family writes 25
echo looping
while :; do sleep 0.1; done
END
ok ptyrun -c 3 -n 2 'looping' -- ktrace -q run 'trace vfs_write COMM' -- sh /tmp/loop.sh
expect_match "status after two" "$out" '^\[signal 2\]'
expect_eq "records after two" "$(count_matches "$out" 'vfs_write .*comm="family"')" 25
wait_until 20 no_process '[l]oop.sh'

# Progress appears only on a terminal, and not if the command writes there.
ok ptyrun 'nothing' -- ktrace run 'trace vfs_write PID' --for 1.2
expect_match "progress" "$out" 'ktrace: [0-9.]+ s  [0-9.]+ s left  [0-9,]+ hits  [0-9,]+/s  0 lost'
ok ktrace run 'trace vfs_write PID' --for 1
expect_no_match "progress in a pipe" "$err" 'hits'

# Stop and continue, as in a shell's job control.
ktrace -q run 'trace vfs_write COMM' -- sh -c 'family writes 3; sleep 1; family writes 4' >/tmp/out 2>/tmp/err &
pid=$!
sleep 0.5
kill -STOP $pid
sleep 2
kill -CONT $pid
wait $pid
expect_eq "status" $? 0
expect_eq "records" "$(grep -c 'comm="family"' /tmp/out)" 7
kill $load
expect_eq "tracepoints left" "$(ktrace list)" ""
well
