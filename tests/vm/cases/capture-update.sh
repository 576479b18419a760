#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: update an armed tracepoint, between captures of no, some and all registers, while two CPUs hit it
# long: 65 s
# vm: --smp 2
. /lab/lib.sh

ok modprobe ktruth
site=ktruth:ktruth_registers_here
# A small buffer is overwritten soon: all printed records are new.
ok ktrace -q buffer 64K

is() {
	ktrace list -v | grep -q "^$site  *$1 "
}

# Endless hits on both CPUs, from separate processes.
load() {
	while [ -e /tmp/go ]; do
		echo "call registers 500" >/proc/ktruth || touch /tmp/wrong
	done
}

# The captures, one a line; from one to the next the trampoline must store fewer or more registers.
captures='PID
REG @saved@ REG @arg1@ REG @saved3@
CONST 2
ALLREGS
PID CPU
IF $@saved3@ == 0x@n_saved3@ && $@acc@ == 0x@n_acc@ VAR $@fp@ + $@saved2@
IF $@arg1@ == 0x@n_arg1@ REG @arg2@ REG @scratch@
PSR
IF $@saved3@ != 0x@n_saved3@ || $@saved@ != 0x@n_saved@ CONST 8
VAR *(s64*)$@sp@ - (s64)$@arg5@ REG @arg4@
PID
ALLREGS'

# Print each kind of record once, without name and time; N replaces values that are not planted.
kinds() {
	sed -E "/^ktrace: warning: [0-9]+ traces lost\$/d; s/^$site  [^)]*\)//
		s/(pid|cpu) +[0-9]+ */\1 N/g; s/@pc@=@kernel_address@/@pc@=N/; s/@sp@=@stack_address@/@sp@=N/
		s/@carry_flags@/psr=N/; /^\$/d" | sort -u
}

expected='    @pc@ (ktruth:ktruth_registers_here)
  $@fp@ + $@saved2@=@fp_and_saved2@
  *(s64*)$@sp@ - (s64)$@arg5@=@sp_less_arg5@  @arg4@=00000000000@n_arg4@
  const 2
  pid N
  pid Ncpu N
  psr=N
  @saved@=00000000000@n_saved@  @arg1@=00000000000@n_arg1@  @saved3@=00000000000@n_saved3@
  @arg2@=00000000000@n_arg2@  @scratch@=00000000000@n_scratch@'

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
	expect_eq "records by $method" "$(cat /tmp/kinds)" "$( (printf '%s\n' "$expected"; cat /lab/arch/allregs) | sort)"
	[ "$(grep -c "^$site " /tmp/records)" -gt 2000 ] || fail "hardly any records"
	ok ktrace -q -e 'delete *; clear'
done
[ ! -e /tmp/wrong ] || fail "the traced function went wrong"
well
