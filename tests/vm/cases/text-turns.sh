#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: set and delete tens of thousands of breakpoints in turns: the kernel patches in between, a kill leaves none
# long: 150 s
# vm: --smp 2 --mem 2G --timeout 1800
# ALL=1: all functions, which takes a quarter of an hour (`make check-robust`).
. /lab/lib.sh

pattern='[a-d]*' least=5000
[ -z "${ALL:-}" ] || pattern='?*' least=20000

# longest WHAT SECONDS: the longest wait for a jump label while flip ran; some milliseconds on an idle machine
longest() {
	kill "$flipping"
	wait "$flipping" || fail "the static key could not be switched"
	read -r flips waited </tmp/flips
	echo "$1: $flips times a static key was switched meanwhile, the longest took $waited ms"
	[ "$waited" -le "$2" ] || fail "$1: a static key waited $waited ms"
}

flip_begin() {
	flip 1000 >/tmp/flips &
	flipping=$!
}

flip_begin
sleep 3
longest "nothing else" 2000

rawtext save /tmp/text || fail "no text to compare"
flip_begin
run ktrace -q trace "$pattern" METHOD breakpoint CONST 1 ONLYPID 1
[ "$status" -le 1 ] || fail "$err"
echo "$err" | head -5
set=$(sites count)
longest "$set set" 1500
[ "$set" -ge $least ] || fail "only $set are set"

# All or none: with one unknown address, nothing is deleted.
flip_begin
ok sites delete unknown
set -- $out
echo "$1 and an unknown one: refused after $2 ms"
expect_eq "left" "$(sites count)" "$set"
[ "$2" -le 2000 ] || fail "that took $2 ms"
ok sites delete
set -- $out
echo "$1 deleted in $2 ms with $3 synchronisations"
[ "$3" -le 3 ] || fail "$3 synchronisations"
expect_eq "left" "$(sites count)" 0
longest "deleted" 1500
ok sites drain 120

# Killed while it sets: none stays, and other controllers set and delete theirs meanwhile.
for after in 0 200000 900000 2000000; do
	(for i in 1 2 3 4 5 6; do
		ktrace -q trace vfs_fsync PID && ktrace -q delete vfs_fsync || echo "$i" >>/tmp/failed
	done) 2>>/tmp/failed &
	others=$!
	echo "killed after $after us: $(killer -r 0x4b01 $after ktrace -q trace "$pattern" METHOD breakpoint CONST 1 ONLYPID 1 2>/dev/null)"
	wait $others
	left=$(sites count)
	[ "$left" = 0 ] || [ "$left" = "$set" ] || fail "$left of $set are set"
	ok sites drain 120
	[ ! -s /tmp/failed ] || fail "others: $(cat /tmp/failed)"
done
text_restored

# On a terminal there is a progress line.
ok ptyrun -c 3 'nothing is typed' -- ktrace --csv --yes trace "$pattern" METHOD breakpoint CONST 1 ONLYPID 1
expect_match "progress" "$(tr '\r' '\n' </tmp/out)" 'ktrace: [0-9]+ of [0-9]+ tracepoints set'
ok sites drain 120
well
ok rmmod ktrace
