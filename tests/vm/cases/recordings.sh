#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: recordings stand by themselves: own rings, mode, recording state; each exact beside the prompt; gone with its file
# vm: --smp 2
. /lab/lib.sh
modprobe ktruth
ok ktrace status
address=$(awk '$3 == "ktruth_run" { print $1 }' /proc/kallsyms)
calls() {
	echo time run 7 "$1" >/proc/ktruth
}
# start NAME BYTES MODE: a recording of ktruth_run, which is ready
start() {
	ktdev record "$1" "$2" "$3" "$address" >"/tmp/rec.$1" 2>&1 &
	wait_until 20 grep -q . "/tmp/rec.$1"
	grep -q ready "/tmp/rec.$1" || fail "$(cat "/tmp/rec.$1")"
}
# counts NAME: what it has printed at its end
counts() {
	tail -n 1 "/tmp/rec.$1"
}

ok ktrace -q trace ktruth_run PID
start large 1048576 0
large=$!
start small 8192 1
run ktdev record large 65536 0 "$address"
expect_match "a name that is taken" "$err" 'KT_IOC_RINGS: File exists'
run ktdev record none 1 0 "$address"
expect_match "no size" "$err" 'KT_IOC_RINGS: Invalid argument'
run ktdev record none 65536 7 "$address"
expect_match "no mode" "$err" 'KT_IOC_RINGS: Invalid argument'
run ktdev record none 1073741824 0 "$address"
expect_match "too much" "$err" 'KT_IOC_RINGS: Cannot allocate memory'
start wide 2097152 0w
run ktdev stop nobody
expect_match "no such recording" "$err" 'KT_IOC_STOP: No such file'

calls 5000
ok ktdev recordings
expect_match "large keeps all" "$out" '^large 1048576 0 5000 0 0$'
expect_match "small discards and counts" "$out" '^small 8192 1 [0-9]+ [0-9]+ 0$'
expect_match "wide keeps all" "$out" '^wide 2097152 0 5000 0 0$'
ok ktrace status
expect_match "status" "$out" "^recordings   large: 1 MiB for each CPU, 5000 records, 0 discarded, pid $large\$"
expect_match "status" "$out" '^             small: 8 KiB for each CPU, [0-9]+ records, [0-9]+ discarded, pid [0-9]+$'
expect_eq "records of the prompt" "$(ktrace --json print | grep -c '"type":"record"')" 5000

# The prompt's clear, freeze and buffer are its own.
ok ktrace clear
ok ktrace freeze
calls 100
ok ktdev recordings
expect_match "large goes on" "$out" '^large 1048576 0 5100 0 0$'
ok ktrace unfreeze
# Its own freeze stops it alone.
kill -USR1 $large
wait_until 20 grep -q frozen /tmp/rec.large
calls 10
ok ktdev recordings
expect_match "large is frozen" "$out" '^large 1048576 0 5100 0 1$'
expect_eq "records of the prompt, later" "$(ktrace --json print | grep -c '"type":"record"')" 10

ok ktdev stop wide
wait_until 20 grep -q recorded= /tmp/rec.wide
expect_eq "wide" "$(counts wide)" "recorded=5110 discarded=0 frozen=0 recursed=0 pending=5110 mapped=5110"
ok ktdev stop large
ok ktdev stop small
wait_until 20 sh -c '[ -z "$(ktdev recordings)" ]'
expect_eq "large" "$(counts large)" "recorded=5100 discarded=0 frozen=10 recursed=0 pending=5100 mapped=5100"
small=$(counts small)
echo "small: $small"
expect_eq "small: hits" "$(echo "$small" | tr '=' ' ' | awk '{ print $2 + $4 }')" 5110

ok ktrace clear
# Killed, it leaves nothing; other tracepoints at the address count on.
start killed 65536 0
calls 10
kill -9 $!
wait_until 20 sh -c '[ -z "$(ktdev recordings)" ]'
calls 10
expect_eq "the prompt beside them" "$(ktrace --json print | grep -c '"type":"record"')" 20
ok ktrace -e 'delete *'
wait_until 20 sh -c 'ktdev count | grep -q "sites=0 "'

# Made, used and ended many times under load, nothing is left and no hit is lost.
(for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do calls 2000; done) &
load=$!
for i in 1 2 3 4 5 6 7 8; do
	start "round$i" 65536 "$((i % 2))$(echo "$i" | sed 's/[1-4]/w/; s/[5-8]//')"
	ok ktdev stop "round$i"
	wait_until 20 grep -q recorded= "/tmp/rec.round$i"
	counts "round$i" | tr '=' ' ' | awk '$2 != $12 { exit 1 }' || fail "$(counts "round$i")"
done
wait $load
expect_eq "recordings" "$(ktdev recordings)" ""
