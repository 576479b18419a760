#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: ONLYPID records only in that process, also with several, and counts the other hits as filtered
. /lab/lib.sh

hold syscalls getppid 3
ok ktrace trace @sys@_getppid PID ONLYPID "$pid"
ok syscalls getppid 4
let_go
ok syscalls getppid 5
ok ktrace print
expect_eq records "$(printf '%s\n' "$out" | wc -l)" 3
expect_eq "of the process" "$(count_matches "$out" "  pid $pid\$")" 3
ok ktrace --json list
counts=$(printf '%s\n' "$out" | sed -n 's/.*"hits":\([0-9]*\),"missed":\([0-9]*\),.*/\1 - \2/p')
expect_eq "hits less those not recorded" $((counts)) 3
ok ktrace clear

# Two of three processes.
first=$pid
hold syscalls getppid 2
ok ktrace -q trace @sys@_getppid PID ONLYPID "$first" ONLYPID "$pid"
ok syscalls getppid 3
let_go
ok ktrace print
expect_eq "of two" "$(count_matches "$out" "  pid $pid\$")" 2
expect_eq "records" "$(printf '%s\n' "$out" | wc -l)" 2
