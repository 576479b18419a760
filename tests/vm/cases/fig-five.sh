#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: five successive instructions of a system call: each is recorded at every call, in order
. /lab/lib.sh

# next_instruction ADDRESS: set $next to the address of the next instruction
next_instruction() {
	for length in 1 2 3 4 5 6 7 8 9 a b c d e f; do
		run ktrace -n trace "$1+$length"
		[ "$status" = 0 ] && break
		case $err in
		*"in the middle of an instruction: the nearest are"*) ;;
		*) fail "$1+$length: $err" ;;
		esac
	done
	next=${out%% *}
}

ok ktrace -n trace ksys_write
# Behind the function's padding, its name means the first instruction.
for skip in 0 4 5 8 9 c; do
	run ktrace -n trace "ksys_write+$skip"
	expect_match "echo" "$out$err" 'ksys_write'
	[ "$status" = 0 ] && [ "${out%% *}" = ksys_write ] && first=$skip
done
next=ksys_write+$first
places=ksys_write
for i in 1 2 3 4; do
	next_instruction "$next"
	places="$places $next"
done
hold syscalls write 6
set --
for place in $places; do
	set -- "$@" "$place" REG @pc@ ONLYPID "$pid"
done
ok ktrace trace "$@"
expect_eq "echo" "$(printf '%s\n' "$out" | wc -l)" 5
let_go

# Six calls, and one that prints the process id first.
ok ktrace print
got=$(printf '%s\n' "$out" | sed 's/ .*//' | tr '\n' ' ')
want="$places $places $places $places $places $places $places "
expect_eq order "$got" "$want"
# The program counter is the address of the record.
expect_eq "@pc@" "$(printf '%s\n' "$out" | grep -c "^ksys_write+\(0x[0-9a-f]*\) .*(ksys_write+\1)\$")" 28

# The same for five known instructions.
ok modprobe ktruth
ok ktrace -e 'delete *; clear'
set -- $(sed -n 's/^five //p' /proc/ktruth)
ok ktrace -q trace ktruth_five+$1 REG @acc@ REG @copy@ ktruth_five+$2 REG @acc@ ktruth_five+$3 REG @acc@ ktruth_five+$4 REG @acc@ \
	ktruth_five+$5 REG @acc@ REG @copy@
truth five 1
ok ktrace print
expect_eq values "$(printf '%s\n' "$out" | sed -n 's/.* @acc@=0*\([0-9a-f]*\).*/\1/p' | tail -4 | tr '\n' ' ')" "14 15 2a 2a "
expect_match last "$out" '^ktruth:ktruth_five\+0x@five5@ .*@copy@=0{15}3$'
