#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: jumps: chosen or asked for, every hit counted; breakpoints where another site is in the way, and back
# vm: --smp 2
. /lab/lib.sh

# column NUMBER NAME: of that site in list -v
column() {
	ktrace list -v | awk -F '  +' -v n="$1" -v name="$2" '$1 == name { print $n }'
}

is() {
	[ "$(column 2 "$2")" = "$1" ]
}

# The first place behind vfs_write's start that is inside what its jump covers.
inner() {
	for offset in 1 2 3 4 5 6 7 8 9 a b c d e f; do
		[ "$(ktrace --dry-run trace "vfs_write+$offset" 2>/dev/null | awk '{ print $1 }')" = "vfs_write+0x$offset" ] &&
			echo "vfs_write+0x$offset" && return
	done
	fail "no instruction near vfs_write"
}

# exact NAME...: a thousand writes are a thousand hits more at each
exact() {
	before=$(for name; do column 3 "$name"; done)
	ok syscalls write 1000
	after=$(for name; do column 3 "$name"; done)
	set -- $after
	for was in $before; do
		[ $(($1 - was)) -ge 1000 ] && [ $(($1 - was)) -le 1050 ] || fail "hits: $was, then $1"
		shift
	done
}

ok ktrace trace vfs_write PID METHOD jump
expect_match "echo" "$out" '^vfs_write +jump '
wait_until 20 is jump vfs_write
exact vfs_write

covers=@jump_covers@
if [ $covers = several ]; then
	# A site inside: both are breakpoints, both are hit.
	second=$(inner)
	ok ktrace trace "$second" PID METHOD breakpoint
	is breakpoint vfs_write || fail "a jump over another site"
	exact vfs_write "$second"

	# In its way no jump can be forced; without it the jump comes back by itself.
	run ktrace trace vfs_write PID METHOD jump
	expect_status 1
	expect_match "refusal" "$err" '^ktrace: vfs_write: the method asked for cannot be had there'
	ok ktrace delete "$second"
	wait_until 20 is jump vfs_write
	exact vfs_write
fi

# An update may change the method, and keeps what was recorded.
ok ktrace trace vfs_write CONST 1 METHOD breakpoint
is breakpoint vfs_write || fail "METHOD breakpoint was not heeded"
exact vfs_write
ok ktrace trace vfs_write ALLREGS
wait_until 20 is jump vfs_write
exact vfs_write
ok ktrace print
expect_match "records by jump" "$out" '\(vfs_write\+0x[0-9a-f]+\)'

ok ktrace delete vfs_write
expect_eq "sites left" "$(ktrace list)" ""
ok rmmod ktrace
