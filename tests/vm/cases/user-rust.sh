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

# Floating-point numbers.
ok ktrace -q trace panics:pool::take VAR what-\>__1 VAR what-\>__2
ok panics 1
ok ktrace print
expect_match "floating-point numbers" "$out" '^panics:panics::pool::take .*\)  what->__1=0\.1  what->__2=-2\.5$'
