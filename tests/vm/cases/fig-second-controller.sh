#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a second controller lists, prints, follows and deletes tracepoints of the first, also while the first runs
. /lab/lib.sh

ok modprobe ktruth
mkfifo /tmp/first
ktrace -q </tmp/first >/tmp/first.out 2>&1 &
first=$!
exec 3>/tmp/first
echo 'trace ktruth_args6 PID REG @arg1@ @return_item@ CONST 9' >&3
listed() {
	ktrace list | grep -q args6
}
wait_until 20 listed
truth args6 2
ok ktrace print
expect_eq records "$(count_matches "$out" "^ktruth:ktruth_args6 .*  pid $pid +@arg1@=0{15}1  @return_regex@=[0-9a-f]{16} \(ktruth:[a-z_0-9]+\+0x[0-9a-f]+\)  const 9\$")" 2
ok ktrace printclear
echo 'print; !touch /tmp/printed' >&3
wait_until 30 [ -e /tmp/printed ]
expect_eq "the first sees that it was cleared" "$(cat /tmp/first.out)" ""
truth args6 1
echo 'print' >&3
exec 3>&-
wait $first || fail "the first controller: $(cat /tmp/first.out)"
expect_eq "what the first still sees" "$(count_matches "$(cat /tmp/first.out)" "^ktruth:ktruth_args6 ")" 1

# The first is killed: everything stays.
ktrace follow >/tmp/follow.out &
follower=$!
truth args6 3
shown() {
	[ "$(wc -l </tmp/follow.out)" -ge 4 ]
}
wait_until 20 shown
kill -9 $follower
wait $follower 2>/dev/null
ok ktrace list
expect_eq list "$out" "ktruth:ktruth_args6  PID REG @arg1@ @return_item@ CONST 9"
truth args6 1
ok ktrace print
expect_match "after a kill" "$out" "^ktruth:ktruth_args6 .*  pid $pid "
ok ktrace delete ktruth_args6
ok ktrace list
expect_eq list "$out" ""
