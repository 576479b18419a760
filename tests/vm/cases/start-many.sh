#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the instructions to set tracepoints on all functions, and to delete them: a limit for each function
# long: 60 s
# arch: x86: the counter of arm64 does not count instructions
# vm: --icount --mem 2G
. /lab/lib.sh

# at_most EACH COMMAND...: the whole machine executes no more than that for each of $set tracepoints while the command runs
at_most() {
	each=$1
	shift
	took=$(cat /tmp/took)
	echo "$*: $((took / set)) instructions for each of $set tracepoints"
	[ $((took / set)) -le "$each" ] || fail "$*: $((took / set)) instructions for each tracepoint, the limit is $each"
}

ok ktrace -q -e 'trace vfs_write PID' -e 'delete *'
ok took /tmp/took ktrace -q trace '?*' PID
set=$(sites count)
[ "$set" -ge 30000 ] || fail "only $set are set"
at_most 55000 trace
ok took /tmp/took ktrace -q delete '*'
at_most 16000 delete
expect_eq "tracepoints left" "$(sites count)" 0
