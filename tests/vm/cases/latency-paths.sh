#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the module reports the path of hits in a measurement (fast or slow); the scratch function can be told to take it
# arch: x86: the test uses the DWARF number of the stack pointer on x86
. /lab/lib.sh
ok modprobe ktruth

ok ktrace trace ktruth_run PID
ok ktrace trace ktruth_run%return PID
expect_eq "one return" "$(ktrace list | wc -l)" 2
ok paths 7
echo "$out"
expect_eq "what was set is left" "$(ktrace list | wc -l)" 2
ok ktrace -e 'delete *'
well
