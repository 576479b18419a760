#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: calls of Go functions whose goroutines move between threads, whose stacks grow, and that end by panics
# long: 240 s
# vm: --icount --append tsc=reliable --built vm/languages/moves
# vm: --smp 4 --built vm/languages/moves
. /lab/lib.sh

# Two CPUs and more: goroutines run at the same time, and times are those of a busy machine.
[ "$(nproc)" = 1 ] && times=1 || times=

for name in main.hop main.grow main.take main.through main.guarded main.leave 'main.(*pool).get' main.walk; do
	records_true moves "$name" n "$name" 4
	calls_true moves "$name" "$name" 4
	# Times of a single goroutine: others would take its time between the entry and the clock. Calls of walk() are within
	# each other.
	[ "$name" = main.walk ] || [ -z "$times" ] || TIMES=1 calls_true moves "$name" "$name" 20 1000 1
done
# Of a few calls it may happen that each ends on the thread where it began.
ok moves 100
# shellcheck disable=SC2046
set -- $(printf '%s\n' "$out" | grep '^moved ')
[ "$2" -gt 0 ] || fail "no goroutine has moved"
[ "$3" = 800 ] || fail "$3 stacks have grown"
locals_true moves 4
# The garbage collector stops goroutines by signals all the time. Instructions that begin again do not count twice.
export GOGC=1
locals_true moves 40 0 32
unset GOGC

# Arguments: a method's receiver, and a text, which is its address and length.
ok ktrace -q trace 'moves:main.(*pool).get' ARGS VAR p-\>id VAR p-\>name.len VAR p-\>weight VAR p-\>share
ok moves 1
ok ktrace print
expect_match "arguments" "$out" '^moves:main\.\(\*pool\)\.get .*\)  p=[0-9a-f]{16}  n=1  text="planted"  p->id=40  p->name\.len=12  p->weight=1e\+300  p->share=0\.1$'
