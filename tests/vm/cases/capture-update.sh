#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: an armed tracepoint updated between captures of no, some and all registers while it is hit on two CPUs
# vm: --smp 2 --timeout 400
. /lab/lib.sh

ok modprobe ktruth
site=ktruth:ktruth_registers_here
# Soon overwritten: what is printed is new.
ok ktrace -q buffer 64K

is() {
	ktrace list -v | grep -q "^$site  *$1 "
}

# Hits without an end on both CPUs, in processes of their own.
load() {
	while [ -e /tmp/go ]; do
		echo "call registers 500" >/proc/ktruth || touch /tmp/wrong
	done
}

# What is captured, a line each; from one to the next a trampoline has to store less or more.
captures='PID
REG rbx REG rdi REG r15
CONST 2
ALLREGS
PID CPU
IF $r13 == 0x7000d && $rax == 0x70000 VAR $rbp + $r12
IF $rdi == 0x70005 REG rsi REG r11
PSR
IF $r14 != 0x7000e || $rbx != 0x70003 CONST 8
VAR *(s64*)$rsp - (s64)$r8 REG rcx
PID
ALLREGS'

# Records without name and time, each kind once; what is not planted is N.
kinds() {
	sed -E "/^ktrace: warning: [0-9]+ traces lost\$/d; s/^$site  [^)]*\)//
		s/(pid|cpu) +[0-9]+ */\1 N/g; s/rip=f{8}[0-9a-f]{8}/rip=N/; s/rsp=f{4}[0-9a-f]{12}/rsp=N/
		s/psr=[0-9a-f]{8} \[CF .*IF\]/psr=N/; /^\$/d" | sort -u
}

expected='    rax=0000000000070000  rdx=0000000000070001  rcx=0000000000070002
    rbx=0000000000070003  rsi=0000000000070004  rdi=0000000000070005
    rbp=0000000000070006  rsp=N   r8=0000000000070008
     r9=0000000000070009  r10=000000000007000a  r11=000000000007000b
    r12=000000000007000c  r13=000000000007000d  r14=000000000007000e
    r15=000000000007000f  rip=N
    rip (ktruth:ktruth_registers_here)
  $rbp + $r12=917522
  *(s64*)$rsp - (s64)$r8=-1  rcx=0000000000070002
  const 2
  pid N
  pid Ncpu N
  psr=N
  rbx=0000000000070003  rdi=0000000000070005  r15=000000000007000f
  rsi=0000000000070004  r11=000000000007000b'

for method in breakpoint jump; do
	ok ktrace -q trace $site PID METHOD $method
	wait_until 20 is $method
	touch /tmp/go
	load &
	load &
	: >/tmp/records
	printf '%s\n' "$captures" | while read -r capture; do
		ktrace -q -e "trace $site $capture METHOD $method" || exit
		usleep 100000
		ktrace printclear >>/tmp/records || exit
	done || fail "an update failed"
	is $method || fail "not a $method any more"
	rm /tmp/go
	wait
	ktrace printclear >>/tmp/records
	kinds </tmp/records >/tmp/kinds
	expect_eq "records by $method" "$(cat /tmp/kinds)" "$(printf '%s\n' "$expected" | sort)"
	[ "$(grep -c "^$site " /tmp/records)" -gt 2000 ] || fail "hardly any records"
	ok ktrace -q -e 'delete *; clear'
done
[ ! -e /tmp/wrong ] || fail "the traced function went wrong"
well
