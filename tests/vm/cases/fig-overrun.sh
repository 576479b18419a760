#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: overrun of the ring: the newest records are there, and the number of lost ones is exact
# vm: --smp 2 --module-args 'ring_kb=16 brake=0'
. /lab/lib.sh

# lost TEXT: the sum of all warnings
lost() {
	printf '%s\n' "$1" | awk '/^ktrace: warning: [0-9]+ traces lost$/ { sum += $3 } END { print sum + 0 }'
}

ok ktrace status
expect_match buffer "$out" '^buffer       16 KiB for each of 2 CPUs; new records overwrite old ones$'
hold syscalls -c 0 getppid 20000
ok ktrace -q trace @sys@_getppid PID ONLYPID "$pid"
let_go
ok ktrace print
expect_match "where they were lost" "$(printf '%s\n' "$out" | head -1)" '^ktrace: warning: [0-9]+ traces lost$'
printed=$(count_matches "$out" "  pid $pid\$")
expect_eq "printed and lost" $((printed + $(lost "$out"))) 20000
expect_eq "warnings" "$(count_matches "$out" warning)" 1
[ "$printed" -gt 400 ] || fail "only $printed records fit into 16 KiB"
expect_eq "status: lost" "$(counted lost)" "$(lost "$out")"
expect_eq "status: pending" "$(counted pending)" "$printed"
expect_eq "status: recorded" "$(counted recorded)" 20000

ok ktrace --json print
expect_match "JSON" "$(printf '%s\n' "$out" | head -1)" '^\{"type":"lost","v":3,"lost":'$((20000 - printed))',"reason":"overwritten",'
ok ktrace --csv print
expect_eq "CSV" "$(printf '%s\n' "$out" | sed -n 's/^lost,.*,\([0-9]*\),overwritten,*$/\1/p')" $((20000 - printed))

# After clear they are not reported again. Both CPUs at once give the right sum, too.
ok ktrace printclear
expect_eq "status: cleared" "$(counted cleared)" "$printed"
ok ktrace print
expect_eq "after printclear" "$out" ""
before=$(counted recorded)
ok ktrace -q trace @sys@_getppid PID
ok syscalls -p 2 getppid 7000
ok ktrace -q delete '*'
ok ktrace print
hits=$(($(counted recorded) - before))
[ $hits -ge 14000 ] || fail "only $hits recorded"
expect_eq "printed and lost" $(($(count_matches "$out" '  pid [0-9]') + $(lost "$out"))) $hits
