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

# The frame base without debug information: by the tables of the kernel's unwinder, at a function's entry and behind a call in
# its caller. Where nothing tells it, FRAME is refused.
if grep -q ' __start_orc_unwind_ip$' /proc/kallsyms; then
	ok ktrace -q trace vfs_write BACKTRACE 3 FRAME -8 STACK 0 ONLYCOMM counts LIMIT 1
	ok counts 2 1
	ok ktrace printclear
	callers=$(printf '%s\n' "$out" | sed -n 's/^    from //p' | sed 's/ < /\n/g' | sed 's/ .*//')
	first=$(printf '%s\n' "$callers" | sed -n 1p)
	second=$(printf '%s\n' "$callers" | sed -n 2p)
	expect_match "at the entry" "$out" "  frame-0x8=[0-9a-f]* \($(printf '%s' "$first" | sed 's/+/[+]/')\)  stack\+0x0=[0-9a-f]* \($(printf '%s' "$first" | sed 's/+/[+]/')\)"
	ok ktrace -q trace "$first" FRAME -8 ONLYCOMM counts LIMIT 1
	expect_eq "no note" "$err" ""
	ok counts 2 1
	ok ktrace printclear
	expect_match "behind a call" "$out" "  frame-0x8=[0-9a-f]* \($(printf '%s' "$second" | sed 's/+/[+]/')\)"
	ok ktrace -q delete '*'
fi
run ktrace trace ktruth_five+@five5@ FRAME -8
expect_status 1
expect_match "FRAME is refused" "$err" '^ktrace: FRAME -8: the frame base is not known at ktruth:ktruth_five\+0x@five5@: .*: use STACK, or REG @fp@$'
