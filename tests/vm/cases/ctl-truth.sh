#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: every kind of data against known values: registers, words, flags, constants
. /lab/lib.sh

ok modprobe ktruth
word=$(data ktruth_word) unmapped=$(data ktruth_unmapped)
word=${word#&} unmapped=${unmapped#&}
# The architecture decides where the last arguments of a call are.
ok ktrace -q trace ktruth_args8 REG @arg1@ REG @arg2@ REG @arg3@ REG @arg4@ REG @arg5@ REG @arg6@ @stack_items@ \
	CONST 3 CONST 0xffff888000000000
truth args8 1
ok ktrace printclear
expect_match arguments "$out" '  @arg1@=0{15}1  @arg2@=0{15}2  @arg3@=0{15}3  @arg4@=0{15}4  @arg5@=0{15}5  @arg6@=0{15}6  '
expect_match "return address" "$out" '  @return_regex@=@kernel_address@ \(ktruth:[a-z0-9_]+\+0x[0-9a-f]+\)  '
expect_match stack "$out" '  @frame_in@  '
expect_match constants "$out" '  const 3  const 0xffff888000000000$'

# Parts of registers, also by other spellings.
ok ktrace -q trace ktruth_mixed @parts@
truth mixed 1
ok ktrace printclear
expect_match parts "$out" '  @parts_shown@$'

# Words at fixed addresses; one of them is not mapped.
ok ktrace -q trace ktruth_five+@five2@ LOC $word LOC $word+4 LOC $unmapped LOC ffffc8ffdead0000 REG @acc@ PID
truth five 1
ok ktrace printclear
expect_match words "$out" "  $word=1122334455667788  [^ ]*=[0-9a-f]{8}11223344[ (]"
expect_match "no word" "$out" "  $unmapped=ffffc8ffdead0000  0xffffc8ffdead0000=\?  @acc@=0{14}14  pid "

# The flags after a loop that counted down to 0, and after 20 + 1.
ok ktrace -q trace ktruth_spin+@spin_end@ PSR REG @count@ REG @total@ ktruth_five+@five3@ PSR @flags_items@
truth spin 1
truth five 1
ok ktrace printclear
expect_match "zero" "$out" '  @zero_flags@  @count@=0{16}  @total@=0{13}1f4$'
expect_match "21" "$out" '  @sum_flags@$'

# All registers at once have the same values as one by one.
ok ktrace -q trace ktruth_five+@five5@ ALLREGS REG @sp@ REG @fp@ REG @saved2@ CPU
truth five 1
ok ktrace printclear
for value in '@acc@=0{14}2a' '@copy@=0{15}3' '@arg2@=0{15}3' '@arg1@=0{14}14'; do
	expect_match values "$out" "^    (.*  )? *$value(  .*)?\$"
done
expect_match symbols "$out" '^    (.*  )?@pc@ \(ktruth:ktruth_five\+0x@five5@\)$'
for register in @sp@ @fp@ @saved2@; do
	expect_eq "$register" "$(printf '%s\n' "$out" | grep -o " $register=[0-9a-f]*" | sort -u | wc -l)" 1
	expect_eq "$register twice" "$(printf '%s\n' "$out" | grep -o " $register=[0-9a-f]*" | wc -l)" 2
done

# The frame pointer at a system call points near the saved registers of the process.
ok ktrace -q trace @sys@_getppid REG @arg1@ REG @fp@
ok syscalls getppid 1
ok ktrace printclear
registers=$(printf '%s\n' "$out" | sed -n 's/.* @arg1@=\([0-9a-f]*\).*/\1/p')
frame=$(printf '%s\n' "$out" | sed -n 's/.* @fp@=\([0-9a-f]*\).*/\1/p')
away=$(($(printf '%d' "0x${registers#ffff}") - $(printf '%d' "0x${frame#ffff}")))
call_at=@call_at@ second_at=@second_at@
if [ $away -ge 0 ] && [ $away -lt 4096 ]; then
	ok ktrace -q trace @sys@_getppid FRAME $(printf '%x' $((away + call_at))) FRAME $(printf '%x' $((away + second_at)))
	expect_match "note" "$err" '^$'
	ok syscalls getppid 1
	ok ktrace printclear
	expect_match "number of the call, and what else is known" "$out" '  frame\+0x[0-9a-f]+=@call_is@  frame\+0x[0-9a-f]+=@second_is@$'
fi
ok ktrace trace ktruth_five FRAME -8
expect_match "what FRAME is" "$err" '^ktrace: FRAME uses the frame pointer \(@fp@\)'
