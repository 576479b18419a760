#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: explain --code, the bytes in list -v, METHOD plain; for each tracepoint without code of its own the reason
# long: 50 s
# vm: --smp 1
. /lab/lib.sh

# why OPTIONS...: the reason why a tracepoint with these options has no code
why() {
	ok ktrace -q trace vfs_write "$@"
	ok sites jumps 60
	ok ktrace explain --code vfs_write
	echo "$out" | sed -n 's/^no code for its hits: //p'
	ok ktrace -q delete '*'
}

run ktrace explain --code vfs_write
expect_status 1
expect_match "no tracepoint" "$err" 'no tracepoint is set there'
run ktrace explain --code --vmlinux /tmp/none vfs_write
expect_status 2
expect_match "no kernel" "$err" 'leave out --vmlinux'
run ktrace trace vfs_write METHOD quick
expect_status 2
expect_match "no method" "$err" 'give breakpoint, jump or plain'

ok ktrace -q trace vfs_write PID VAR '*(u64*)$@sp@'
ok sites jumps 60
ok ktrace explain --code vfs_write
echo "$out"
expect_match "the trampoline" "$out" '^trampoline: [0-9]+ bytes at 0x[0-9a-f]+$'
expect_eq "the displaced instructions" "$(echo "$out" | grep -c 'the instructions that the jump replaces')" 1
ok ktrace --json list
bytes=$(echo "$out" | sed -n 's/.*"code_bytes":\([0-9]*\).*/\1/p')
reason=$(echo "$out" | sed -n 's/.*"no_code":"\([^"]*\)".*/\1/p')
if [ "$bytes" = 0 ]; then
	expect_eq "the reason" "$reason" "the module makes none on this machine"
	ok ktrace -q delete '*'
	expect_eq "plain" "$(why METHOD plain)" "METHOD plain"
	well
	exit
fi
expect_eq "no reason" "$reason" ""
ok ktrace explain --code vfs_write
expect_match "the code" "$out" "^code for its hits: $bytes bytes at 0x[0-9a-f]+\$"
expect_match "a load" "$out" '# a load that survives a fault$'
expect_match "the C path" "$out" '# leave the hit to the C path$'
expect_eq "not decoded" "$(echo "$out" | grep -c 'no instructions')" 0
ok ktrace list -v
expect_match "bytes" "$out" "^vfs_write .* $bytes B "
ok ktrace --json explain --code vfs_write
expect_match "JSON" "$out" "\"code_bytes\":$bytes,\"why_no_code\":\"\""
ok ktrace -q delete '*'

expect_eq "plain" "$(why PID METHOD plain)" "METHOD plain"
expect_eq "breakpoint" "$(why PID METHOD breakpoint)" "only jumps and events have it"
expect_eq "EVERY" "$(why PID EVERY 3)" "one of its options needs more"
expect_eq "ALLREGS" "$(why ALLREGS)" "one of its values or filters needs more"

# A static tracepoint has code, but no trampoline.
ok ktrace -q trace event:sched_switch PID IF '$@arg3@ != 0'
ok ktrace explain --code event:sched_switch
expect_match "code of an event" "$out" '^code for its hits: [0-9]+ bytes at 0x[0-9a-f]+$'
expect_match "its C path" "$out" '# leave the hit to the C path$'
expect_eq "no trampoline" "$(echo "$out" | grep -c trampoline)" 0
ok ktrace list -v
expect_match "bytes of an event" "$out" '^event:sched_switch +event .* [0-9]+ B '
ok ktrace -q delete '*'
ok ktrace -q trace event:sched_switch PID LIMIT 3
ok ktrace explain --code event:sched_switch
expect_match "a limit" "$out" '^no code for its hits: one of its options needs more$'
ok ktrace -q -e 'delete *; clear'

# A plain jump records the same.
ok ktrace -q trace vfs_write PID METHOD plain
ok sites jumps 60
ok syscalls write 20
ok ktrace list
expect_eq "list" "$out" 'vfs_write  PID METHOD plain'
ok ktrace list -v
expect_match "a jump" "$out" '^vfs_write +jump '
[ "$(ktrace print | grep -c '^vfs_write')" -ge 20 ] || fail "few records"
ok ktrace -q -e 'delete *; clear'
ok rmmod ktrace
ok modprobe ktrace codegen=0
expect_eq "codegen=0" "$(why PID)" "the module was loaded with codegen=0"
well
