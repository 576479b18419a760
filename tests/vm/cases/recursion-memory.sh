#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: what the module itself clears and copies memory with, traced and measured at once: hits are counted, never nested
# long: 50 s
# vm: --smp 2
# No brake: the hits must not be turned away before they reach that code.
. /lab/lib.sh

# measure COMMAND...: the command may well not call it. What ends by a tail call is refused if windows disarm it.
measure() {
	run ktrace latency "$name" --json -- "$@"
	[ "$status" != 1 ] || expect_match "refusal" "$out$err" 'where no breakpoint can be handled'
	[ "$status" -le 1 ] || expect_status 5
}

met=0
for name in memset memcpy memmove memcmp strlen strnlen strcmp strncmp; do
	# The kernel forbids some of them.
	run ktrace -q trace "$name" BACKTRACE 4 METHOD breakpoint
	[ "$status" = 0 ] || continue
	met=$((met + 1))
	measure syscalls -p 2 write 200
	ok ktrace -q trace "$name" STR '(u64)8' VAR '*(u64*)8' METHOD breakpoint
	measure syscalls write 200
	ok ktrace -q delete '*'
	echo "$name"
done
[ $met -ge 3 ] || fail "only $met of them can be traced"
well
