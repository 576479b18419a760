#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: calls of C++ functions that end by returns, exceptions and longjmp: records, values and times to the unit
# long: 60 s
# vm: --icount --append tsc=reliable --built vm/languages/throws
. /lab/lib.sh

# The mangled name, and another one, by which records and calls are asked for.
while read -r mangled name; do
	records_true throws "$name" n "$mangled" 10
	# A call that an exception or longjmp() ends makes no other call longer. Those of deep() are within each other.
	[ "$name" = "$mangled" ] && times= || times=1
	TIMES=$times calls_true throws "$name" "$mangled" 10 500
done <<END
_ZN4pool4takeElRKNS_4itemE pool::take
_ZN4pool7throughEl pool::through
_ZN4pool7guardedEl pool::guarded(long)
_Z5againl again
_ZN4pool5leaveEl pool::leave
_ZNK4pool6holder3getEl pool::holder::get
_ZN4pool4deepEli _ZN4pool4deepEli
END
calls_true throws pool::compare _ZN4pool7compareEPKvS1_ 10
locals_true throws 10

# Floating-point numbers.
ok ktrace -q trace throws:pool::take VAR what-\>weight VAR what-\>share
ok throws 1
ok ktrace printclear
expect_match "floating-point numbers" "$out" '^throws:pool::take.*\)  what->weight=0\.1  what->share=-2\.5$'
ok ktrace delete '*'

# Base classes with their members, no static members; what cannot be shown is said; a number that is no error of the kernel.
ok ktrace -q trace throws:kinds VAR '*s' VAR 's->a' VAR '*t' VAR '*five' VAR '*most' IF '*most > 0' throws:kinds%return RETVAL
ok throws 1
ok ktrace printclear
expect_match "base classes" "$out" ' \*s=\{a=41, letter=120, b=42, empty=\{\}\}  s->a=41  '
expect_match "a virtual base" "$out" ' \*t=\{virtual base=\{\.\.\.\}, _vptr\.third=[0-9a-f]+.*, v=0\}  '
expect_match "optional" "$out" ' \*five=\{has_value=true, value=5\}  '
expect_match "an unsigned enum" "$out" ' \*most=TOP$'
expect_match "no error" "$out" ' retval=-42$'
ok ktrace delete '*'

# What list prints can be pasted, also a name with parameters.
ok ktrace -q trace 'throws:pool::take(long, pool::item const&)' ARGS 'throws:again%return' RETVAL
ok ktrace list
listed=$out
printf '%s\n' "$listed" | sed 's/^/trace /' >/tmp/again
ok ktrace -e 'delete *'
ok ktrace -q -f /tmp/again
ok ktrace list
expect_eq "pasted" "$out" "$listed"
ok ktrace delete '*'
# From the entry to the end of a call.
ok ktrace -q trace 'throws:pool::take%return' ENTRY n RETVAL IF 'ELAPSED > 0ns'
ok throws 4
ok ktrace printclear
expect_eq "calls" "$(printf '%s\n' "$out" | sed -n 's/.*)  n=\([0-9]*\)  retval=\([0-9]*\)$/\1:\2/p' | sort -u | tr '\n' ' ')" "1:3 2:5 4:9 5:11 "
ok ktrace delete '*'

run ktrace trace throws:pool::nothing%return RETVAL
expect_status 1
expect_match "no such function" "$err" "throws: no function 'pool::nothing'"
