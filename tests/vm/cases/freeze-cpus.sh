#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: FREEZE, LATEFREEZE and UNFREEZE while 4 CPUs hit: exactly the records of docs/recording.md are kept
# long: 50 s
# vm: --smp 4 --parallel
# No brake: every CPU hits all the time.
. /lab/lib.sh

modprobe ktruth
ok ktrace -q -e 'buffer 8M; freeze; trace ktruth_hit PID'

# hit_all: every CPU hits until /tmp/stop exists
hit_all() {
	rm -f /tmp/stop
	hitters=
	for cpu in 0 1 2 3; do
		(while [ ! -e /tmp/stop ]; do taskset $((1 << cpu)) sh -c 'echo hit 2000 >/proc/ktruth'; done) &
		hitters="$hitters $!"
	done
}

stop_all() {
	touch /tmp/stop
	wait $hitters
}

# LATEFREEZE: its record and exactly n more, each time.
for n in 0 1 1000 20000; do
	ok ktrace -q -e "trace ktruth_square UNFREEZE LATEFREEZE $n; clear"
	before=$(counted recorded)
	hit_all
	usleep 50000
	taskset 1 sh -c 'echo call square 1 >/proc/ktruth'
	wait_until 60 sh -c 'ktrace status | grep -q "recording *frozen"'
	stop_all
	expect_eq "UNFREEZE LATEFREEZE $n" $(($(counted recorded) - before)) $((n + 1))
	ok ktrace print
	expect_eq "its own record" "$(count_matches "$out" '  UNFREEZE LATEFREEZE '$n'$')" 1
done

# FREEZE: at most one record of each other CPU is younger.
for round in 1 2 3 4 5; do
	ok ktrace -q -e 'trace ktruth_square PID FREEZE; clear; unfreeze'
	hit_all
	usleep 30000
	taskset 1 sh -c 'echo call square 1 >/proc/ktruth'
	expect_match "recording" "$(ktrace status)" '^recording    frozen'
	before=$(counted recorded)
	usleep 50000
	stop_all
	expect_eq "after FREEZE" "$(counted recorded)" "$before"
	ok ktrace --csv print
	younger=$(sed '1,/,FREEZE,/d' /tmp/out | awk -F, '$1 == "record" { print $5 }')
	[ "$(printf '%s\n' "$younger" | grep -c .)" -le 3 ] || fail "younger than FREEZE, on CPUs: $younger"
	expect_eq "of one CPU twice" "$(printf '%s\n' "$younger" | sort | uniq -d)" ""
	expect_eq "its own record" "$(grep -c ',FREEZE,' /tmp/out)" 1
done

# The counts balance.
sum=0
for count in recorded discarded recursed filtered frozen; do
	sum=$((sum + $(counted $count)))
done
# Nine calls of ktruth_square, and the planted hits.
expect_eq "hits" $sum $(($(awk '$1 == "cpu" { n += $4 } END { print n }' /proc/ktruth) + 9))
well
