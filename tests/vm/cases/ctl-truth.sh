#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: every kind of data, against values that are known: registers, words, flags, constants
# vm: --timeout 300
. /lab/lib.sh

ok modprobe ktruth
# The eighth argument of a call lies behind its return address and the seventh.
ok ktrace -q trace ktruth_args8 REG rdi REG rsi REG rdx REG rcx REG r8 REG r9 STACK 0 STACK 8 STACK 10 \
	CONST 3 CONST 0xffff888000000000
truth args8 1
ok ktrace printclear
expect_match arguments "$out" '  rdi=0{15}1  rsi=0{15}2  rdx=0{15}3  rcx=0{15}4  r8=0{15}5  r9=0{15}6  '
expect_match "return address" "$out" '  stack\+0x0=f{8}[0-9a-f]{8} \(ktruth:[a-z0-9_]+\+0x[0-9a-f]+\)  '
expect_match stack "$out" '  stack\+0x8=0{15}7  stack\+0x10=0{15}8  '
expect_match constants "$out" '  const 3  const 0xffff888000000000$'

# Parts of registers, and the same by other spellings.
ok ktrace -q trace ktruth_mixed REG dil REG esi REG dx REG %ecx REG RCX REG '$ecx'
truth mixed 1
ok ktrace printclear
expect_match parts "$out" '  dil=01  esi=000000c8  dx=fed4  ecx=00011170  rcx=0{11}11170  ecx=00011170$'

# Words at fixed addresses; one that is not there.
ok ktrace -q trace ktruth_five+3 LOC ktruth_word LOC ktruth_word+4 LOC ktruth_unmapped LOC ffffc8ffdead0000 REG rax PID
truth five 1
ok ktrace printclear
expect_match words "$out" '  ktruth_word=1122334455667788  ktruth_word\+4=[0-9a-f]{8}11223344[ (]'
expect_match "no word" "$out" '  ktruth_unmapped=ffffc8ffdead0000  0xffffc8ffdead0000=\?  rax=0{14}14  pid '

# The flags after a loop that counted down to nothing, and after 20 + 1.
ok ktrace -q trace ktruth_spin+9 PSR REG rdi REG rax ktruth_five+7 PSR REG eflags REG rflags
truth spin 1
truth five 1
ok ktrace printclear
expect_match "zero" "$out" '  psr=00000246 \[PF ZF IF\]  rdi=0{16}  rax=0{13}1f4$'
expect_match "21" "$out" '  psr=00000202 \[IF\]  eflags=00000202  rflags=0{13}202$'

# All registers at once are what they are one by one.
ok ktrace -q trace ktruth_five+d ALLREGS REG rsp REG rbp REG r12 CPU
truth five 1
ok ktrace printclear
expect_match values "$out" '^    rax=0{14}2a  rdx=0{15}3  rcx=[0-9a-f]{16}$'
expect_match values "$out" '^    rbx=[0-9a-f]{16}  rsi=0{15}3  rdi=0{14}14$'
expect_match symbols "$out" '^    (.*  )?rip \(ktruth:ktruth_five\+0xd\)$'
for register in rsp rbp r12; do
	expect_eq "$register" "$(printf '%s\n' "$out" | grep -o " $register=[0-9a-f]*" | sort -u | wc -l)" 1
	expect_eq "$register twice" "$(printf '%s\n' "$out" | grep -o " $register=[0-9a-f]*" | wc -l)" 2
done

# Where the frame pointer points: at an entry from user space near the registers that the process had.
ok ktrace -q trace __x64_sys_getppid REG rdi REG rbp
ok syscalls getppid 1
ok ktrace printclear
registers=$(printf '%s\n' "$out" | sed -n 's/.* rdi=\([0-9a-f]*\).*/\1/p')
frame=$(printf '%s\n' "$out" | sed -n 's/.* rbp=\([0-9a-f]*\).*/\1/p')
away=$(($(printf '%d' "0x${registers#ffff}") - $(printf '%d' "0x${frame#ffff}")))
if [ $away -ge 0 ] && [ $away -lt 4096 ]; then
	ok ktrace -q trace __x64_sys_getppid FRAME $(printf '%x' $((away + 0x78))) FRAME $(printf '%x' $((away + 0x50)))
	expect_match "note" "$err" '^$'
	ok syscalls getppid 1
	ok ktrace printclear
	expect_match "number of the call, and -ENOSYS" "$out" '  frame\+0x[0-9a-f]+=0{14}6e  frame\+0x[0-9a-f]+=f{14}da$'
fi
ok ktrace trace ktruth_five FRAME -8
expect_match "what FRAME is" "$err" '^ktrace: FRAME counts from the frame pointer \(rbp\)'
