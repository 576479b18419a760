#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the register of an indirect call is shown as the symbol of the called function
. /lab/lib.sh

# A call through a register with a known value.
ok modprobe ktruth
ok ktrace trace ktruth_call_register_call REG @acc@ REG @arg1@
expect_match echo "$out" '^ktruth:ktruth_call_register_call  [a-z]+  @call_text@'
truth register 2
ok ktrace printclear
expect_eq records "$(count_matches "$out" '  @acc@=@kernel_address@ \(ktruth:ktruth_target\)  @arg1@=0{14}28$')" 2
ok ktrace -q trace ktruth_call_register_call @call_parts@
truth register 1
ok ktrace printclear
expect_match parts "$out" '  @call_shown@$'

# A call of the kernel: vfs_write calls the driver. The call's address precedes the driver's return address.
return_to write_null syscalls write 1
for length in 2 3 4 5; do
	run ktrace -n trace "$place-$length"
	[ "$status" = 0 ] && break
done
expect_match "the call" "$out" '^vfs_write\+0x[0-9a-f]+  [a-z]+  @call_kernel@ '
call=${out%% *}
register=$(printf '%s\n' "$out" | sed -n '@call_register@')
hold syscalls write 3
ok ktrace -q trace "$call" REG "$register" PID ONLYPID "$pid"
let_go
ok ktrace print
expect_eq records "$(count_matches "$out" "  $register=[0-9a-f]{16} \(write_null\)  pid $pid\$")" 3
