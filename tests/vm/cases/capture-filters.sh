#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: IF, ONLY..., EVERY and LIMIT: exactly the right hits are recorded, the others are counted as filtered
# long: 75 s
# vm: --smp 2
. /lab/lib.sh

ok modprobe ktruth
word=$(data ktruth_word) negative=$(data ktruth_negative) unmapped=$(data ktruth_unmapped)

armed() {
	! ktrace list -v | grep -q soon
}

# kept WHAT NUMBER OPTIONS...: of 7 calls, NUMBER are recorded and the others filtered
kept() {
	what=$1 number=$2
	shift 2
	ok ktrace -q trace ktruth_args6 PID "$@"
	wait_until 20 armed
	before=$(counted filtered)
	truth args6 7
	ok ktrace printclear
	expect_eq "$what: records" "$(count_matches "$out" '^ktruth:ktruth_args6 ')" "$number"
	expect_eq "$what: filtered" $(($(counted filtered) - before)) $((7 - number))
}

for method in breakpoint jump; do
	with="METHOD $method"
	kept "register" 7 IF '$@arg1@ == 1' $with
	kept "register, false" 0 IF '$@arg1@ == 2' $with
	kept "words" 7 IF '$@arg1@' '==' 1 '&&' '$@arg2@' '==' 2 $with
	kept "both" 7 IF '$@arg1@ == 1 && $@arg2@ == 2 && $@arg6@ == 6' $with
	kept "one of both is false" 0 IF '$@arg1@ == 1 && $@arg2@ == 3' $with
	kept "either" 7 IF '$@arg1@ == 2 || $@arg2@ == 2' $with
	kept "not" 7 IF '!($@arg1@ == 2 || $@arg2@ == 3)' $with
	kept "arithmetic" 7 IF '($@arg1@ + $@arg2@ * $@arg3@ << 1 | 1) == 15 && -$@arg1@ == 0xffffffffffffffff' $with
	kept "signed" 7 IF '(s32)$@arg1@ - 2 < 0' $with
	kept "memory" 7 IF "*(u64*)$word == 0x1122334455667788 && *(s32*)$negative < 0" $with
	kept "memory, false" 0 IF "*(u8*)$word == 0x87" $with
	kept "memory that is not there" 0 IF "*(u64*)$unmapped == 0 || *(u64*)16 == 0" $with
	kept "nor its opposite" 0 IF '!(*(u64*)16 == 0)' $with
	kept "a process" 0 ONLYTGID 1 $with
	kept "a name" 7 ONLYCOMM sh $with
	kept "another name" 0 ONLYCOMM sh2 $with
	kept "one of two names" 7 ONLYCOMM a_name_of_15_ch ONLYCOMM sh $with
	kept "a longer name" 0 ONLYCOMM a_name_of_15_ch $with
	kept "a user" 7 ONLYUID 0 $with
	kept "another user" 0 ONLYUID 1000 ONLYUID 4294967295 $with
	kept "a group" 7 ONLYGID 5 ONLYGID 0 $with
	kept "CPUs" 7 ONLYCPU 0 ONLYCPU 1 $with
	kept "no CPU" 0 ONLYCPU 77 $with
	kept "a process group" 0 ONLYPGRP 1 $with
	kept "all of them" 7 ONLYUID 0 ONLYCOMM sh ONLYCPU 0 ONLYCPU 1 IF '$@arg3@ == 3' $with
	kept "all but one" 0 ONLYUID 0 ONLYCOMM sh ONLYPGRP 1 IF '$@arg3@ == 3' $with
	kept "every third" 3 EVERY 3 $with
	kept "every third of none" 0 EVERY 3 IF '$@arg1@ == 2' $with
done

# The process's own group, user and group id, each different from the shell's.
hold sh -c 'echo "call square 5" >/proc/ktruth'
held=$pid
ok ktrace -q trace ktruth_square ONLYTGID "$held" ONLYPID "$held" ONLYPGRP "$(awk '{ print $5 }' "/proc/$held/stat")" PID TGID
truth square 3
pid=$held
let_go
ok ktrace -q -e 'printclear; delete *'
expect_eq "its own" "$(count_matches "$out" "^ktruth:ktruth_square .*  pid +$held *  tgid +$held\$")" 5

# EVERY over all CPUs, exactly.
ok ktrace -q trace ktruth_square EVERY 10 CPU
before=$(counted filtered)
(echo "call square 5000" >/proc/ktruth) &
(echo "call square 5000" >/proc/ktruth) &
wait
ok ktrace printclear
expect_eq "every tenth" "$(count_matches "$out" '^ktruth:ktruth_square ')" 1000
expect_eq "the others" $(($(counted filtered) - before)) 9000

# A limit disarms the tracepoint and is shown; the tracepoint stays in the list, and tracing it again arms it.
limited() {
	ktrace list -v | grep -q "^ktruth:ktruth_square  *off: limit "
}
original() {
	ktrace --json list | grep -q '"limit_reached":true'
}
for method in breakpoint jump; do
	ok ktrace -q trace ktruth_square PID LIMIT 5 METHOD $method
	wait_until 20 armed
	truth square 20
	wait_until 20 limited
	original || fail "not told in JSON"
	ok ktrace list
	expect_eq "as it was typed" "$out" "ktruth:ktruth_square  PID LIMIT 5 METHOD $method"
	hits=$(ktrace --json list | sed 's/.*"hits":\([0-9]*\).*/\1/')
	truth square 20
	expect_eq "no hits any more" "$(ktrace --json list | sed 's/.*"hits":\([0-9]*\).*/\1/')" "$hits"
	ok ktrace printclear
	expect_eq "five $method" "$(count_matches "$out" '^ktruth:ktruth_square ')" 5
	# A dry run does not arm it; an update does.
	ok ktrace -q -n trace ktruth_square PID
	wait_until 20 limited
	ok ktrace -q trace ktruth_square PID LIMIT 3 METHOD $method
	truth square 20
	ok ktrace printclear
	expect_eq "three $method" "$(count_matches "$out" '^ktruth:ktruth_square ')" 3
	wait_until 20 limited
	ok ktrace -q trace ktruth_square PID METHOD $method
	truth square 20
	ok ktrace printclear
	expect_eq "all $method" "$(count_matches "$out" '^ktruth:ktruth_square ')" 20
	ok ktrace -q trace ktruth_square PID LIMIT 1 METHOD $method
	truth square 2
	wait_until 20 limited
	ok ktrace -q -e 'delete *; clear'
	truth square 2
	expect_eq "deleted" "$(ktrace list)" ""
done

# Hits while recording is frozen do not count for a limit.
ok ktrace -q trace ktruth_square PID LIMIT 2
ok ktrace -q freeze
truth square 5
ok ktrace -q unfreeze
truth square 5
ok ktrace printclear
expect_eq "two after the frost" "$(count_matches "$out" '^ktruth:ktruth_square ')" 2
ok ktrace -q -e 'delete *'
well
