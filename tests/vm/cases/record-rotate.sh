#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: record --rotate and --max-size: parts that each can be read, none of the events between them is missing
# long: 90 s
# vm: --smp 2
. /lab/lib.sh

modprobe ktruth
ok ktrace status
rawtext save /tmp/text || fail "no text to compare"
function=ktruth_run	# nobody else calls it
# ready NAME: wait until its first part records
ready() {
	wait_until 30 test -s "/tmp/$1/0001/metadata"
	usleep 300000
}
# goes_on NAME: the recorder has not ended
goes_on() {
	kill -0 $recorder || fail "$(cat "/tmp/$1.err")"
}
none_left() {
	wait_until 20 sh -c '[ -z "$(ktdev recordings)" ]'
	wait_until 20 sh -c 'ktdev count | grep -q "sites=0 "'
}

# One clear line each, and nothing is left.
for wrong in '--rotate 7' '--rotate 10K' '--rotate 10ms' '--rotate 1Q' '--max-size 7' '--max-size 1K' '--rotate 2M --max-size 3M' '--mode flight --rotate 1M'; do
	# Its words are options of their own.
	# shellcheck disable=SC2086
	run ktrace record -o /tmp/wrong --trace $function --for 0.1 $wrong
	[ "$status" = 2 ] && [ "$(echo "$err" | wc -l)" = 1 ] && [ ! -e /tmp/wrong ] || fail "$wrong: $status: $err"
	echo "$err"
done
mkdir -p /tmp/taken/by
run ktrace record -o /tmp/taken --trace $function --for 0.1 --rotate 1s
expect_eq "a directory in use" "$status $err" "1 ktrace: /tmp/taken: exists, and is not empty: choose another name, or remove it"
run ktrace record -o /tmp/none --trace no_such_function --for 0.1 --rotate 1s
[ "$status" != 0 ] && [ ! -e /tmp/none ] || fail "a wrong function: $status: $err"
none_left

# By time: every call is in a part, those at a change of parts in two.
ktrace record -o /tmp/time --rotate 1s --trace "$function REG @arg1@" 2>/tmp/time.err &
recorder=$!
ready time
run ktrace status
expect_match "the recording" "$out" '^recordings +time: '
expect_match "its part" "$out" '^ +time/0001: '
i=0
while [ ! -e /tmp/time/0004 ]; do
	goes_on time
	i=$((i + 1))
	echo time run $i 20 >/proc/ktruth
done
ok ktrace record --stop time
wait $recorder || fail "$(cat /tmp/time.err)"
cat /tmp/time.err
expect_match "what it says" "$(cat /tmp/time.err)" '^ktrace: [0-9]+ parts, each a trace of its own: the newest is /tmp/time/000[4-9]$'
for part in /tmp/time/0*; do
	ktrace --json -i "$part" print >/tmp/json || fail "$part cannot be read"
	! grep -q '"type":"lost"' /tmp/json || fail "$part: lost records"
	cat /tmp/json
done | sed -n 's/.*"type":"record".*"name":"@arg1@","value":"\([^"]*\)".*/\1/p' | sort | uniq -c >/tmp/counts
expect_eq "the numbers of the calls" "$(wc -l </tmp/counts)" "$i"
awk '$1 < 20 || $1 > 40 { exit 1 }' /tmp/counts || fail "calls are missing"
none_left

# By size, with a limit: the oldest parts are removed.  A part also has what the rings hold until it ends.
part_kib=$((1024 + 2 * 512))
most_kib=$((3 * part_kib))
ktrace record -o /tmp/size --rotate 1M --max-size ${most_kib}K --buffer 512K --trace "$function ALLREGS" 2>/tmp/size.err &
recorder=$!
ready size
while [ -e /tmp/size/0001 ]; do
	goes_on size
	echo time run 7 1000 >/proc/ktruth
done
kill -INT $recorder
wait $recorder || fail "$(cat /tmp/size.err)"
cat /tmp/size.err
expect_match "what it says" "$(cat /tmp/size.err)" '^ktrace: [1-9] older parts? (was|were) removed, because of --max-size$'
[ "$(du -sk /tmp/size | cut -f 1)" -le $((most_kib + part_kib)) ] || fail "too large: $(du -sk /tmp/size), of $most_kib"
[ "$(ls -d /tmp/size/0* | wc -l)" -ge 2 ] || fail "too few parts are left"
for part in /tmp/size/0*; do
	ok ktrace -q -i "$part" print
done
none_left

# A limit without parts ends the recording, not the command.
ok ktrace record -o /tmp/limit --max-size 1M --trace "$function ALLREGS" -- sh -c 'for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo time run 7 1000 >/proc/ktruth; done; echo done >/tmp/limit.done'
expect_match "what it says" "$err" '^ktrace: /tmp/limit has reached --max-size: the recording ends$'
[ -e /tmp/limit.done ] || fail "the command was not waited for"
ok ktrace -q -i /tmp/limit print

# Killed: the parts before can be read, the last to its last whole packet.
ktrace record -o /tmp/killed --rotate 1M --buffer 64K --trace "$function ALLREGS" 2>/tmp/killed.err &
recorder=$!
ready killed
while [ ! -e /tmp/killed/0002/metadata ]; do
	goes_on killed
	echo time run 7 1000 >/proc/ktruth
done
echo time run 7 3000 >/proc/ktruth
usleep 300000
kill -9 $recorder
none_left
for part in /tmp/killed/0001 /tmp/killed/0002; do
	ktrace --json -i "$part" print | grep -q '"type":"record"' || fail "$part cannot be read"
done

# The whole system.
ok ktrace record -o /tmp/core --rotate 1s -- sh -c 'i=0; while [ ! -e /tmp/core/0002/metadata ] && [ $i -lt 10000 ]; do i=$((i + 1)); ls / >/dev/null; done; usleep 500000'
echo "$err"
ok ktrace report /tmp/core/0001
ok ktrace report /tmp/core/0002
none_left
text_restored
well
rmmod ktruth
ok rmmod ktrace
