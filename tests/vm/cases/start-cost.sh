#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the instructions of a command, with the names and types of the kernel that are kept: each has a limit
# arch: x86: the counter of arm64 does not count instructions
# vm: --icount
. /lab/lib.sh

# at_most MILLIONS COMMAND...: the whole machine executes no more than that while the command runs
at_most() {
	limit=$1
	shift
	ok took /tmp/took "$@"
	[ "$(cat /tmp/took)" -le "${limit}000000" ] || fail "$*: $(cat /tmp/took) instructions, the limit is $limit million"
}

ok ktrace -q -e 'trace vfs_write PID' -e 'trace vfs_write ARGS' -e status
at_most 8 ktrace --version
at_most 8 ktrace list
at_most 18 ktrace -q trace vfs_read PID
at_most 27 ktrace -q trace vfs_read ARGS
at_most 32 ktrace status
at_most 30 ktrace --complete trace vfs_wr
at_most 30 ktrace --complete trace sched:sched_
at_most 60 ktrace explain vfs_write
at_most 250 ktrace -q record -o /tmp/recording -- true
