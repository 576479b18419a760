#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a module is unloaded during its measurement: earlier calls are reported, and a message names what is gone
# long: 18 s
# vm: --smp 1 --timeout 900
. /lab/lib.sh

went="^ktrace: warning: module ktruth was unloaded after [0-9.]+ m?s, with .*ktruth:ktruth_run.*: only earlier hits are counted$"

# Both ends disappear: the measurement ends by itself, without --for.
ok modprobe ktruth
ok ktrace latency ktruth_run --json -- sh -c 'echo time run 5 20 >/proc/ktruth; usleep 300000; rmmod ktruth; usleep 300000'
expect_eq "calls counted" "$(field count)" 20
expect_match "what went" "$err" "$went"
expect_eq "left" "$(ktrace list)" ""

# One of two ends disappears.
ok modprobe ktruth
ok ktrace latency ktruth_run vfs_write%return --json -- sh -c 'echo time run 5 1 >/proc/ktruth; usleep 300000; rmmod ktruth; echo >/dev/null'
expect_eq "from there to here" "$(field count)" 1
expect_match "what went" "$err" "$went"

# The same with run.
ok modprobe ktruth
ok ktrace run 'trace ktruth_run PID' 'trace vfs_rmdir PID' -- sh -c 'echo time run 5 7 >/proc/ktruth; usleep 300000; rmmod ktruth; mkdir /tmp/one; rmdir /tmp/one'
expect_eq "records of what went" "$(count_matches "$out" "ktruth_run")" 7
expect_eq "records of what stayed" "$(count_matches "$out" vfs_rmdir)" 1
expect_match "what went" "$err" "$went"
expect_eq "left" "$(ktrace list)" ""

# Calls that a hidden tracepoint opens: with all modules there, and with their module unloaded.
ok ktrace run 'trace vfs_write%return RETVAL ELAPSED' -- dd if=/dev/zero of=/dev/null bs=1 count=5
[ "$(count_matches "$out" vfs_write)" -ge 5 ] || fail "not all returns: $out"
expect_no_match "nothing went" "$err" warning
expect_eq "left" "$(ktrace list)" ""
ok modprobe ktruth
ok ktrace run 'trace ktruth_run%return ELAPSED' -- sh -c 'echo time run 5 3 >/proc/ktruth; usleep 300000; rmmod ktruth; usleep 300000'
expect_eq "returns" "$(count_matches "$out" "ktruth_run")" 3
expect_match "what went" "$err" "$went"
well
