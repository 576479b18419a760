#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the module tells the way that hits go in a measurement, and the scratch function goes the same way when asked to
# arch: x86: it names the stack pointer by x86's number
. /lab/lib.sh
ok modprobe ktruth

ok ktrace trace ktruth_run PID
ok ktrace trace ktruth_run%return PID
expect_eq "one return" "$(ktrace list | wc -l)" 2
ok ways 7
echo "$out"
expect_eq "what was set is left" "$(ktrace list | wc -l)" 2
ok ktrace -e 'delete *'
well
