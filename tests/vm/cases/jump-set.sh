#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: jumps: by default or on request, every hit counted; breakpoints when another site is in the way, and back
# vm: --smp 2
. /lab/lib.sh

five=ktruth:ktruth_five
second=$five+0x@five2@

# column NUMBER NAME: print this column of the site in list -v
column() {
	ktrace list -v | awk -F '  +' -v n="$1" -v name="$2" '$1 == name { print $n }'
}

is() {
	[ "$(column 2 "$2")" = "$1" ]
}

# exact NAME...: a thousand calls give each a thousand hits more
exact() {
	before=$(for name; do column 3 "$name"; done)
	truth five 1000
	after=$(for name; do column 3 "$name"; done)
	set -- $after
	for was in $before; do
		expect_eq "hits" $(($1 - was)) 1000
		shift
	done
}

modprobe ktruth
ok ktrace trace $five PID METHOD jump
expect_match "echo" "$out" "^$five +jump "
wait_until 20 is jump $five
exact $five

covers=@jump_covers@
if [ $covers = several ]; then
	# A site inside the displaced instructions: both become breakpoints, and both are hit.
	ok ktrace trace $second PID METHOD breakpoint
	is "breakpoint (another tracepoint is there)" $five || fail "a jump over another site"
	exact $five $second

	# While that site exists, no jump can be forced; when it is deleted, the jump comes back.
	run ktrace trace $five PID METHOD jump
	expect_status 1
	expect_match "refusal" "$err" "^ktrace: $five: the requested method is not possible there .another tracepoint is there.:"
	ok ktrace delete $second
	wait_until 20 is jump $five
	exact $five
fi

# An update may change the method; records are kept.
ok ktrace trace $five CONST 1 METHOD breakpoint
is breakpoint $five || fail "METHOD breakpoint was not heeded"
exact $five
ok ktrace trace $five ALLREGS
wait_until 20 is jump $five
exact $five
ok ktrace print
expect_match "records by jump" "$out" "\\($five\\)"

ok ktrace delete $five
expect_eq "sites left" "$(ktrace list)" ""
ok rmmod ktruth
ok rmmod ktrace
