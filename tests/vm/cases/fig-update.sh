#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: add PID to an existing tracepoint: a note says so, the options are replaced, old records print without PID
. /lab/lib.sh

ok ktrace trace @sys@_getppid CONST 5
expect_eq messages "$err" ""
ok syscalls getppid 2
ok ktrace trace @sys@_getppid PID
expect_eq message "$err" "ktrace: Tracepoint at @sys@_getppid already exists, updating"
ok syscalls getppid 2
pid=$out
ok ktrace print
expect_eq "all" "$(printf '%s\n' "$out" | wc -l)" 4
expect_eq "old" "$(printf '%s\n' "$out" | head -2 | grep -c ')  const 5$')" 2
expect_eq "new" "$(printf '%s\n' "$out" | tail -2 | grep -c ")  pid $pid\$")" 2
ok ktrace list
expect_eq list "$out" "@sys@_getppid  PID"

# Another instruction of the same function is another tracepoint.
ok ktrace trace @sys@_getppid+0x0 CPU
expect_eq message "$err" "ktrace: Tracepoint at @sys@_getppid already exists, updating"
ok ktrace list
expect_eq list "$out" "@sys@_getppid  CPU"
