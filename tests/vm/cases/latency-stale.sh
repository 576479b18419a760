#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: calls that never return because their task ends: counted as such, none stays open
# vm: --smp 2
. /lab/lib.sh

# The last schedule of a task that ends is not schedule(). So each call is opened, and closed only if the task
# waits for a lock on its way.
run ktrace latency do_exit schedule --json -- sh -c 'i=0; while [ $i -lt 300 ]; do (exit 0) & i=$((i + 1)); [ $((i % 20)) = 0 ] && wait; done; wait'
abandoned=$(field abandoned) closed=$(field count)
echo "$abandoned abandoned, $closed closed"
[ $((abandoned + closed)) -ge 300 ] || fail "calls of tasks that ended: $abandoned, and $closed closed, of 300"
[ "$abandoned" -ge 270 ] || fail "$abandoned calls of 300 were never closed"
expect_eq open "$(field open)" 0
expect_eq overflow "$(field overflow)" 0
well
