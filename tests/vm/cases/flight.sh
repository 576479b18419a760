#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a flight recording keeps the newest events: snapshots by command, signal, FREEZE and at its end, each without a gap
# long: 45 s
# vm: --smp 2
. /lab/lib.sh

modprobe ktruth
ok ktrace status
rawtext save /tmp/text || fail "no text to compare"
function=ktruth_run	# nobody else calls it
calls() {
	echo time run 7 "$1" >/proc/ktruth
}
# start NAME OPTION...: a flight recording in the background, which has begun
start() {
	name=$1
	shift
	ktrace record --mode flight -o "/tmp/$name" "$@" >"/tmp/$name.out" 2>"/tmp/$name.err" &
	recorder=$!
	wait_until 30 grep -q ": recording: 'ktrace snapshot $name' writes" "/tmp/$name.err"
}
# member NAME: of the JSON line in $out
member() {
	printf '%s\n' "$out" | sed -n "s/.*\"$1\":\"*\([^\",}]*\).*/\1/p"
}
# look DIR: CPU and number of each of its records, into /tmp/numbers; no number is missing between the first and the last
# of a CPU, and nothing is said to be lost
look() {
	ktrace --json -i "$1" print >/tmp/json
	sed -n 's/.*"type":"record".*"cpu":\([0-9]*\),"number":\([0-9]*\),.*/\1 \2/p' /tmp/json >/tmp/numbers
	awk '$1 in last && $2 != last[$1] + 1 { exit 1 } { last[$1] = $2 }' /tmp/numbers || fail "$1: a gap"
	! grep -q '"type":"lost"' /tmp/json || fail "$1: lost records"
}
# kept: how many records the last look() saw; taken: how many there ever were, by the newest of each CPU
kept() {
	wc -l </tmp/numbers
}
taken() {
	awk '{ last[$1] = $2 + 1 } END { for (i in last) sum += last[i]; print sum + 0 }' /tmp/numbers
}
none_left() {
	wait_until 20 sh -c '[ -z "$(ktdev recordings)" ]'
	wait_until 20 sh -c 'ktdev count | grep -q "sites=0 "'
	! ls -d /tmp/*.part 2>/dev/null || fail "a part is left"
}

# One clear line each, and nothing is left.
run ktrace snapshot
expect_eq "no recording" "$status $err" "1 ktrace: there is no flight recording: 'record --mode flight' starts one"
mkdir -p /tmp/taken/by
run ktrace record --mode flight -o /tmp/taken --trace $function --for 0.1
expect_eq "a directory in use" "$status $err" "1 ktrace: /tmp/taken: exists, and is not empty: choose another name, or remove it"
run ktrace record --mode flight -o /proc/wrong --trace $function --for 0.1
expect_match "no place" "$err" '^ktrace: /proc/wrong.part: '
run ktrace record --mode fast -o /tmp/wrong --trace $function --for 0.1
expect_eq "no mode" "$status $err" "2 ktrace: --mode fast: choose disk or flight"
none_left

# All of it, then the newest, in directories of their own.
start box --trace "$function PID"
calls 5000
ok ktrace --json snapshot
expect_eq "the first" "$(member events) $(member older) $(member lost)" "5000 0 0"
expect_eq "its name" "$(member directory)" /tmp/box.1
look /tmp/box.1
expect_eq "its records" "$(kept)" 5000
expect_eq "the directory is private" "$(stat -c %a /tmp/box.1)" 700
calls 400
kill -USR1 $recorder
wait_until 20 grep -q 'box.2: the newest 5,400 events' /tmp/box.err
cd /tmp || fail "no /tmp"
ok ktrace snapshot box -o here
expect_match "what it says" "$err" '^ktrace: /tmp/here: the newest 5,400 events, the last .* none lost; 0 older ones were overwritten: '
run ktrace snapshot -o /tmp/here
expect_eq "a directory in use" "$status $err" "1 ktrace: /tmp/here: exists, and is not empty: choose another name, or remove it"
run ktrace snapshot nobody
expect_eq "no such recording" "$status $err" "1 ktrace: nobody: no recording has this name: 'ktrace status' lists them"
mount -t tmpfs -o size=16k none /mnt
run ktrace snapshot -o /mnt/full
expect_match "a full disk" "$err" '^ktrace: /mnt/full.part.*: No space left on device: '
expect_eq "what it leaves there" "$(ls -A /mnt)" ""
umount /mnt

# Others beside it.
start small --trace "$function PID" --buffer 64K
run ktrace snapshot
expect_eq "several" "$status $err" "2 ktrace: there are several flight recordings: choose one of box, small"
ktrace record -o /tmp/disk --trace "$function PID" 2>/tmp/disk.err &
wait_until 30 test -s /tmp/disk/metadata
run ktrace snapshot disk
expect_eq "one to disk" "$status $err" "1 ktrace: disk: is written to a directory already: 'record --stop disk' ends it"
ok ktrace record --stop disk
wait $! || fail "$(cat /tmp/disk.err)"
calls 20000
ok ktrace --json snapshot small
expect_eq "small: kept and overwritten" "$(($(member events) + $(member older)))" 20000
[ "$(member older)" -gt 5000 ] || fail "small: keeps too much: $out"
look /tmp/small.1
expect_eq "small: its records" "$(kept)" "$(member events)"
expect_eq "small: the newest" "$(taken)" 20000

# While the rings are overwritten.
(for _ in 1 2 3 4 5 6 7 8; do calls 5000; done) &
load=$!
for i in 1 2 3; do
	ok ktrace --json snapshot small -o "/tmp/busy$i"
	look "/tmp/busy$i"
	expect_eq "busy: records" "$(kept)" "$(member events)"
	[ "$(kept)" -gt 3000 ] || fail "busy: $(kept) records"
done
wait $load
ok ktrace record --stop small
wait $recorder || fail "$(cat /tmp/small.err)"
expect_match "small: its last" "$(cat /tmp/small.err)" '^ktrace: /tmp/small: the newest .* older ones were overwritten'
look /tmp/small
expect_eq "small: all that ever were" "$(taken)" 60000
ok ktrace record --stop box
wait_until 20 grep -q '/tmp/box:' /tmp/box.err
expect_match "box: all" "$(cat /tmp/box.err)" '^ktrace: /tmp/box: the newest 65,400 events'
none_left

# FREEZE ends it: nothing later is there, and its own record is the last.
start frozen --trace "$function PID" --trace "ktruth_hit FREEZE" --buffer 64K
calls 10000
echo hit 1 >/proc/ktruth
calls 500
wait $recorder || fail "$(cat /tmp/frozen.err)"
expect_match "what it says" "$(cat /tmp/frozen.err)" 'a tracepoint with FREEZE has ended the recording'
look /tmp/frozen
expect_match "the last record" "$(grep '"type":"record"' /tmp/json | tail -n 1)" '"name":"[a-z:]*ktruth_hit"'
expect_eq "the newest" "$(taken)" 10001
none_left

# With a command, and with a time; after a kill nothing is left set.
ok ktrace --json record --mode flight -o /tmp/command --trace "$function PID" -- sh -c 'echo time run 7 300 >/proc/ktruth'
expect_eq "a command" "$(member type) $(member events)" "recorded 300"
run ktrace record --mode flight -o /tmp/status --trace "$function PID" -- sh -c 'exit 7'
expect_eq "the status of the command" "$status" 7
ok ktrace record --mode flight -o /tmp/time --trace "$function PID" --for 0.3
expect_match "a time" "$err" '/tmp/time: the newest 0 events'
start killed --trace "$function PID"
kill -9 $recorder
none_left
[ ! -e /tmp/killed ] || fail "killed: it left something"

# The whole system: the report has the window in which all CPUs have their events, and the names of what did not run.
ktrace record --mode flight -o /tmp/core --buffer 512K 2>/tmp/core.err &
recorder=$!
wait_until 60 grep -q 'recording: ' /tmp/core.err
sh -c 'i=0; while [ $i -lt 30 ]; do ls / >/dev/null; i=$((i + 1)); done'
ok ktrace --json snapshot
echo "$out"
ktrace -i /tmp/core.1 print --state | grep -q '^lttng_statedump_process_state' || fail "no state"
ok ktrace report /tmp/core.1
head -n 12 /tmp/out
expect_match "the report" "$out" '^[0-9]+ +([^ ]+ > )*ls '
# A signal that asks for its end does not cut the last one short.
kill -TERM $recorder
status=0
wait $recorder || status=$?
expect_eq "ended by SIGTERM" "$status" 143
expect_no_match "the last one is whole" "$(cat /tmp/core.err)" 'lacks'
ktrace -i /tmp/core print --state | grep -q '^lttng_statedump_end' || fail "no end of the state"
ok ktrace report /tmp/core
same=$out
ok ktrace -i /tmp/core report
expect_eq "report of -i" "$out" "$same"
run ktrace report
expect_status 2
expect_match "report of nothing" "$err" 'give the directory'
none_left
text_restored
well
rmmod ktruth
ok rmmod ktrace
