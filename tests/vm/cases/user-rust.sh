#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: calls of Rust functions that end by returns and panics: records, values and times to the unit
# arch: x86: Debian has no standard library of Rust for another architecture that can be installed beside this machine's
# long: 60 s
# vm: --icount --append tsc=reliable --built vm/languages/panics
. /lab/lib.sh

for name in pool::take pool::through pool::guarded pool::deep rust_plain; do
	records_true panics $name n $name 10
	# A call that a panic ends makes no other call longer. Those of deep() are within each other.
	[ $name = pool::deep ] && times= || times=1
	TIMES=$times calls_true panics $name $name 10 500
done
locals_true panics 10

# A pattern of demangled names measures each function by that name.
ok ktrace latency 'panics:pool::*' --json -- panics 3
expect_match "latency of a pattern" "$out" '"name":"panics:panics::pool::take",'
expect_no_match "mangled" "$out" '"name":"panics:_'

# Floating-point numbers.
ok ktrace -q trace panics:pool::take VAR what-\>__1 VAR what-\>__2
ok panics 1
ok ktrace print
expect_match "floating-point numbers" "$out" '^panics:panics::pool::take .*\)  what->__1=0\.1  what->__2=-2\.5$'
ok ktrace delete '*'

# The variant that an object has, and its members; those of others it has not.
ok ktrace -q trace panics:kinds VAR '*five' VAR '*some' VAR '*none' VAR '*failed' IF 'five->variant == 1 && five->Some.__0 == 5'
ok ktrace -q trace panics:kinds%return RETVAL
ok panics 1
ok ktrace printclear
expect_match "Option" "$out" ' \*five=\{variant=Some, Some\.__0=5\}  \*some=\{variant=Some, Some\.__0=[0-9a-f]+\}  '
expect_match "None, Result" "$out" ' \*none=\{variant=None\}  \*failed=\{variant=Err, Err\.__0=-9\}$'
expect_match "no error" "$out" ' retval=-42$'
ok ktrace delete '*'
ok ktrace -q trace panics:kinds VAR '(*shapes)[0]' VAR '(*shapes)[1]' VAR '(*shapes)[2]'
ok panics 1
ok ktrace printclear
expect_match "no members" "$out" ' \(\*shapes\)\[0\]=\{variant=Unit\}  '
expect_match "two members" "$out" ' \(\*shapes\)\[1\]=\{variant=Tuple, Tuple\.__0=3, Tuple\.__1=4\}  '
expect_match "two others" "$out" ' \(\*shapes\)\[2\]=\{variant=Named, Named\.x=-1, Named\.y=2\}$'
