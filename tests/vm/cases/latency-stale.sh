#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: calls that never return, of tasks that end: counted as such, and none of them is left open
# vm: --smp 2
. /lab/lib.sh

# A task that ends is not scheduled by schedule() for the last time: each is opened, and closed only where it waits for
# a lock on its way.
run ktrace latency do_exit schedule --json -- sh -c 'i=0; while [ $i -lt 300 ]; do (exit 0) & i=$((i + 1)); [ $((i % 20)) = 0 ] && wait; done; wait'
abandoned=$(field abandoned) closed=$(field count)
echo "$abandoned abandoned, $closed closed"
[ $((abandoned + closed)) -ge 300 ] || fail "calls of tasks that ended: $abandoned, and $closed closed, of 300"
[ "$abandoned" -ge 270 ] || fail "$abandoned calls of 300 were never closed"
expect_eq open "$(field open)" 0
expect_eq overflow "$(field overflow)" 0
well
