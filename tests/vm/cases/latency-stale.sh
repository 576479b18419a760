#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: calls that never return, of tasks that end: counted as such, their room in the table is used again
# vm: --smp 2
. /lab/lib.sh

# More tasks end than the table has places.
ok ktrace latency do_exit schedule --json -- sh -c 'i=0; while [ $i -lt 300 ]; do (exit 0) & i=$((i + 1)); [ $((i % 20)) = 0 ] && wait; done; wait'
[ "$(field count)" -ge 250 ] || fail "A to B: $(field count) of 300 ends"

run ktrace latency do_exit do_exit+5 --json -- sh -c 'i=0; while [ $i -lt 100 ]; do (exit 0); i=$((i + 1)); done'
entered=$(field count)
[ "${entered:-0}" -ge 0 ] || fail "do_exit: $out"

# The entry alone: each is opened, none is closed; the tasks are gone.
run ktrace latency do_exit cpu_startup_entry --json -- sh -c 'i=0; while [ $i -lt 200 ]; do (exit 0); i=$((i + 1)); done'
expect_eq count "$(field count)" 0
[ "$(field superseded)" -ge 190 ] || fail "calls of tasks that ended: $(field superseded) of 200"
expect_eq overflow "$(field overflow)" 0
well
