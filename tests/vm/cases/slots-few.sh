#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: few slots, set and deleted in a loop under load: ktrace waits for free slots; jumps have their own
# long: 270 s
# vm: --smp 2 --mem 2G --timeout 1200
. /lab/lib.sh

# areas: print how many are in use
areas() {
	ktrace --json status | grep -o '"areas":[0-9]*' | cut -d: -f2
}

ok rmmod ktrace
ok modprobe ktrace slot_areas=1
ok ktrace status
expect_match "status" "$out" ' slots in use, in [12] of [0-9]+ areas$'

few_areas() {
	expect_match "areas" "$(areas)" '^[@few_areas@]$'
}

# One area has 8192 units, some for the module itself; calibration made one area for jumps.
ok ktrace -q --yes trace '[a-c]*' METHOD breakpoint CONST 1 ONLYPID 1
run ktrace -q --yes trace '[d-h]*' METHOD breakpoint CONST 1 ONLYPID 1
expect_match "what is left out is said" "$err" '^ktrace: [0-9]+ not traced \(.*\): no room for more tracepoints$'
expect_eq "lines" "$(echo "$err" | wc -l)" 1
full=$(sites count)
[ "$full" -ge 8000 ] && [ "$full" -le 8192 ] || fail "$full are set"
few_areas
run ktrace trace vfs_write PID
expect_status 1
expect_match "no room" "$err" '^ktrace: vfs_write: no room for more tracepoints: delete some first'
ok sites drain 120

# More than half of them in a loop, while tasks sleep in their slots: each time ktrace waits for the last ones.
syscalls -p 2 write 20000000 >/dev/null &
load=$!
forkstorm 1000000 2 &
storm=$!
ok ktrace -q --yes trace '[a-c]*' METHOD breakpoint CONST 1 ONLYPID 1
many=$(sites count)
[ "$many" -ge 4500 ] && [ "$many" -le 8000 ] || fail "$many are set"
ok sites cycle -m breakpoint 8
echo "$out"
kill $load $storm
wait
expect_eq "tracepoints" "$(sites count)" "$many"

# Jumps have their own areas, however many breakpoints are set. A function that nobody calls: the brake turns off dear ones.
run ktrace -q --yes trace '[e-h]*' METHOD breakpoint CONST 1 ONLYPID 1
run ktrace trace vfs_rmdir PID METHOD jump
expect_status 1
ok ktrace -q delete bio_put
ok ktrace -q trace vfs_rmdir PID METHOD jump
ok sites jumps 60
[ "$out" -ge 1 ] || fail "no jump beside $(sites count) tracepoints"
few_areas
ok sites drain 120
well
ok rmmod ktrace

# As many as the table allows: several areas, which are freed at the end.
ok modprobe ktrace
run ktrace -q --yes trace '?*' METHOD breakpoint CONST 1 ONLYPID 1
[ "$status" -le 1 ] && [ ! "$err" ] || fail "$err"
echo "$(sites count) set, in $(areas) areas"
[ "$(sites count)" -gt 33000 ] && [ "$(areas)" -ge 5 ] || fail "$(sites count) in $(areas) areas"
ok sites drain 120
wait_until 60 sh -c '[ "$(ktrace --json status | grep -o "\"areas\":[0-9]*" | cut -d: -f2)" -le 2 ]'
well
ok rmmod ktrace
