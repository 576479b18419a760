#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: ktrace top tells what planted processes really did, interval by interval
# long: 150 s
# vm: --icount --disk --append tsc=reliable
. /lab/lib.sh

ok ktrace status
# rows TABLE: the objects of that table in /tmp/top, one a line, of all intervals
rows() {
	sed -n "s/.*\"$1\":\[\([^]]*\)\].*/\1/p" /tmp/top | grep -o '{[^}]*}'
}
# add KEY: the sum of that figure of all lines
add() {
	sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" | awk '{ n += $1 } END { printf "%.0f", n }'
}
# sum PID KEY: of a process
sum() {
	rows processes | grep "^{\"pid\":$1," | add "$2"
}
# close_to WHAT GOT EXPECTED: in ns; within 1 % and 2 ms
close_to() {
	awk -v got="$2" -v want="$3" 'BEGIN { d = got - want; exit !((d < 0 ? -d : d) <= want / 100 + 2000000) }' ||
		fail "$1: got $2 ns where $3 ns are expected"
}
# start OPTION...: ktrace top in the background; wait until its first interval is printed
start() {
	rm -f /tmp/top
	ktrace -q top --json "$@" >/tmp/top 2>/tmp/top.err &
	top=$!
	wait_until 120 test -s /tmp/top
}
stop() {
	usleep 2500000
	kill -INT $top
	wait $top || fail "$(cat /tmp/top.err)"
	! grep -v '"lost":0,"braked":0' /tmp/top >/tmp/lossy || fail "lost records: $(cut -c1-300 /tmp/lossy)"
}
runtime() {
	cut -d' ' -f1 /proc/"$1"/schedstat
}

# The guest's clock counts instructions: else a busy host may take time between the kernel's look at its clock and ktrace's.
# Each waits at a gate, loops until SIGUSR1, and waits at another: what the kernel counts in between is the truth.
mkfifo /tmp/go /tmp/end /tmp/go2 /tmp/end2
loop='trap over=1 USR1; read x <$0; while [ -z "$over" ]; do :; done; read x <$1'
sh -c "$loop" /tmp/go /tmp/end &
busy=$!
sh -c "$loop" /tmp/go2 /tmp/end2 &
rival=$!
sleep 1000 &
sleeper=$!
usleep 300000
busy_before=$(runtime $busy)
rival_before=$(runtime $rival)
waited_before=$(cut -d' ' -f2 /proc/$busy/schedstat)
start --delay 0.5
# Opening a gate for writing waits for its reader.
echo go >/tmp/go
echo go >/tmp/go2
truth_pid=$(sh -c 'echo $$; exec dd if=/dev/zero of=/dev/null bs=7 count=2000 status=none')
asleep() {
	[ "$(cut -d' ' -f3 /proc/"$1"/stat)" = S ]
}
usleep 3000000
kill -USR1 $busy $rival
wait_until 100 asleep $busy
wait_until 100 asleep $rival
stop

close_to "time on a CPU" "$(sum $busy running_ns)" $(($(runtime $busy) - busy_before))
close_to "time on a CPU of its rival" "$(sum $rival running_ns)" $(($(runtime $rival) - rival_before))
waited=$(($(cut -d' ' -f2 /proc/$busy/schedstat) - waited_before))
[ $waited -gt 100000000 ] || fail "the rivals did not meet: waited $waited ns"
close_to "time waiting for the CPU" "$(sum $busy wait_cpu_ns)" $waited
# In some interval they shared the CPU, so that neither had much more than a half.
rows processes | grep "^{\"pid\":$busy," | sed -n 's/.*"lifetime_ns":\([0-9.]*\),"running_ns":\([0-9.]*\).*/\1 \2/p' >/tmp/shares
awk '{ if ($2 > 0.2 * $1 && $2 < 0.8 * $1) n++ } END { exit !n }' /tmp/shares || fail "no shared interval: $(cat /tmp/shares)"
awk '{ if ($2 > 1.0001 * $1) n++ } END { exit n > 0 }' /tmp/shares || fail "more than all: $(cat /tmp/shares)"

# Asleep all the time: each interval is its whole length.
expect_eq "asleep" "$(sum $sleeper asleep_ns)" "$(sum $sleeper lifetime_ns)"
expect_eq "the sleeper runs" "$(sum $sleeper running_ns)" 0
expect_match "its name" "$(rows processes | grep "^{\"pid\":$sleeper," | cut -c1-60)" '"name":"sleep",'
# Each interval begins where the one before has ended.
sed -n 's/.*"began":\([0-9.]*\),"length_ns":\([0-9.]*\).*/\1 \2/p' /tmp/top >/tmp/times
awk 'NR > 1 && ($1 - end > 0.0001 || end - $1 > 0.0001) { exit 1 } { end = $1 + $2 / 1e9 }' /tmp/times ||
	fail "intervals with gaps: $(cat /tmp/times)"
# All calls of dd, in both tables.
rows process_syscalls | grep "^{\"pid\":$truth_pid," >/tmp/calls
expect_eq "its reads" "$(grep '"name":"read"' /tmp/calls | add count)" 2000
expect_eq "its writes, and that of the shell" "$(grep '"name":"write"' /tmp/calls | add count)" 2001
expect_eq "all its calls" "$(sum "$truth_pid" syscalls)" "$(add count </tmp/calls)"
# The recorder is in the figures, too, and the processes that have ended are in no later interval.
[ "$(sum $top running_ns)" -gt 0 ] || fail "ktrace itself is missing"
last=$(tail -n 1 /tmp/top)
expect_no_match "dd is gone" "$last" "\"pid\":$truth_pid,"
kill $busy $rival $sleeper

# A process that writes with O_SYNC waits for the disk; the file and the disk have all its bytes.
start --delay 0.5
syncwrite /mnt/file 60 4096 &
writer=$!
wait $writer || fail "syncwrite"
stop
# A part of its waits is for the journal, which the kernel does not count as I/O.
[ $(($(sum $writer wait_io_ns) + $(sum $writer asleep_ns))) -gt 0 ] || fail "no wait for the disk"
parts=0
for key in running_ns wait_cpu_ns wait_io_ns asleep_ns dead_ns unknown_ns; do
	parts=$((parts + $(sum $writer $key)))
done
close_to "all its times" $parts "$(sum $writer lifetime_ns)"
expect_eq "bytes to the file" "$(rows files | grep '"name":"/mnt/file"' | add written_bytes)" $((60 * 4096))
bytes=$(rows disks | grep '"name":"vda"' | add written_bytes)
[ "$bytes" -ge $((60 * 4096)) ] || fail "the disk has got $bytes bytes"

# Records are lost while it is stopped: the interval says so, and what is not known is null; later all is known again.
rm -f /tmp/top
ktrace -q top --json --buffer 256K --delay 0.5 >/tmp/top 2>/tmp/top.err &
top=$!
wait_until 120 test -s /tmp/top
kill -STOP $top
dd if=/dev/zero of=/dev/null bs=1 count=30000 status=none
kill -CONT $top
usleep 4000000
kill -INT $top
wait $top || fail "$(cat /tmp/top.err)"
grep -v '"lost":0,' /tmp/top >/tmp/lossy || fail "nothing was lost"
expect_match "a note" "$(cat /tmp/lossy)" 'records were lost in this interval'
expect_no_match "no counts" "$(cat /tmp/lossy)" '"syscalls":[0-9]'
expect_match "it is over" "$(tail -n 1 /tmp/top | cut -c1-300)" '"lost":0,'
expect_match "all is known again" "$(tail -n 1 /tmp/top)" '"pid":1,[^}]*"unknown_ns":0.000'

# Blocks of text, one behind the other; only one process.
ok ktrace -q top --count 2 --delay 0.3 --pid 1 --by thread --events sched,process
expect_eq "two blocks" "$(count_matches "$out" '^whole system ')" 2
expect_eq "only one process" "$(count_matches "$out" '^ *[0-9]+ +[0-9]+  ')" 2
expect_match "user time" "$out" 'user time is not known: system calls were not recorded'

# It ends when it is asked to, and leaves nothing.
rm -f /tmp/top
ktrace -q top >/tmp/top 2>&1 &
top=$!
wait_until 120 test -s /tmp/top
ok ktrace record --stop top-$top
wait $top || fail "$(cat /tmp/top)"
expect_eq "recordings" "$(ktdev recordings)" ""
wait_until 20 sh -c 'ktdev count | grep -q "sites=0 "'
run asuser nobody ktrace top
expect_status 3
expect_eq "one line" "$(printf '%s\n' "$err" | wc -l)" 1
