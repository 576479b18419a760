#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: simple tracing of a system call: one line for each call, exactly in the documented format
# vm: --smp 1
. /lab/lib.sh

final_clock
ok ktrace trace @sys@_getppid
expect_match echo "$out" '^@sys@_getppid  [a-z]+  [a-z]'
ok syscalls getppid 5
ok ktrace print
expect_eq "lines" "$(printf '%s\n' "$out" | wc -l)" 5
name=$(printf '%-21s' @sys@_getppid)
time='[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\.[0-9]{9}'
expect_match "first line" "$out" "^$name$time  \( {14}\)$"
expect_eq "other lines" "$(count_matches "$out" "^$name$time  \( {3}0\.[0-9]{9}\)$")" 4

# The differences add up to the time between the first and the last record.
printf '%s\n' "$out" | sed 's/[():]/ /g' | awk '
	{ now = ($2 * 60 + $3) * 60 + $4; if (NR == 1) first = now; else sum += $5 }
	END { off = now - first - sum; if (now < first) off += 86400; exit off > 1e-6 || off < -1e-6 }' || fail "the differences do not add up:
$out"

# print clears nothing, so a second print shows the same; then printclear clears. (The time of day may differ in
# its last digit: a later print knows it better.)
deltas=$(printf '%s\n' "$out" | sed 's/.*(//')
ok ktrace printclear
expect_eq "second print" "$(printf '%s\n' "$out" | sed 's/.*(//')" "$deltas"
ok ktrace print
expect_eq "after printclear" "$out" ""
