#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: calls of functions of programs: exact counts however they end, and corrected durations of known length
# long: 90 s
# vm: --icount --append tsc=reliable
. /lab/lib.sh

# counted WHAT COUNT [NAME COUNT...]: the calls measured; the other counts are those named, or 0
counted() {
	counted_what=$1
	expect_eq "$1: count" "$(field count)" "$2"
	shift 2
	counted_entered=$(field count)
	for name in open abandoned overflow braked; do
		want=0
		[ "${1:-}" != $name ] || want=$2
		[ "${3:-}" != $name ] || want=$4
		expect_eq "$counted_what: $name" "$(field $name)" $want
		counted_entered=$((counted_entered + want))
	done
	expect_eq "$counted_what: entered" "$(field entered)" $((counted_entered + $(field filtered) + $(field over_quota)))
}

# latency FUNCTION NAME COUNT LENGTH [OPTION...]: measure it in a process of usercalls
latency() {
	function=$1 name=$2 count=$3 length=$4
	shift 4
	ok ktrace latency usercalls:$function "$@" --json -- usercalls $name $count $length
	itself=$(printf '%s\n' "$out" | head -n 1)
}

# Durations.
# The first hits in a process take longer, because the kernel prepares it for uprobes.
for n in 10 10000 1000000; do
	latency user_loop loop 20 $n
	counted loop 20
	near "loop" $((2 * n))
	[ $n = 1000000 ] && count=4 || count=100
	latency user_loops loops $count $n
	counted loops $((5 * count))
	near "recursion" $((3 * 2 * n + 40))
done
latency user_busy busy 20 2000
counted busy 20
near "by the clock" $((itself / 20))
latency user_nest nest 4 1000
counted nest 20
near "recursion by the clock" $((itself / 20))
latency user_loop loop 20 10000 --raw
[ "$(field mean_ns)" != "$((2 * 10000)).000" ] || fail "--raw is corrected"
# A call within measured calls: of another function.
ok ktrace latency usercalls:user_loops usercalls:user_loop --json -- usercalls loops 3 100
expect_eq "from A to B" "$(field count)" 3

# Calls that end in other ways: longjmp, the end of the thread, of the process.
latency user_maybe jump 30 10
# The last of them is the 30th: nothing begins in its place.
counted "longjmp" 20 abandoned 10
latency user_leave threads 1 1
counted "end of a thread" 1 abandoned 1
ok sh -c 'usercalls forever 1 100000 & p=$!; ktrace latency usercalls:user_busy --pid $p --for 4s --json & sleep 3; kill -9 $p; wait $!'
counted "end of the process" "$(field count)" abandoned 1
# Threads, two processes with the same stack addresses, two stacks, a handler on its own stack, a call that returns twice.
latency user_busy threads 10 500
counted threads 80
near "threads" $((itself / 80))
latency user_busy same 10 500
counted "the same addresses" 20
latency user_switch stacks 1 1000
counted "two stacks" 2
latency user_signalled signal 10 1000
counted "a signal" 10
near "a signal" 1250000
latency user_inner signal 10 1000
counted "its handler" 10
near "its handler" 250000
latency user_fork fork 1 1000
counted "two returns" 1
expect_eq "the return in the child" "$(field unmatched)" 1

# Tail calls: the end is in another function, which is also called without a jump.
latency user_tail tail 80 1000
counted "tail calls" 50 abandoned 30
expect_match "what is not followed" "$err" '1 of the [0-9]+ jumps by which calls of usercalls:user_tail may end are not followed, for example at user_tail\+0x'
expect_eq "ends of others" "$(field unmatched)" 0
near "tail calls" 1000000
latency user_end tail 80 1000
counted "the function that is jumped to" 130
latency user_tail tail 80 100 --by RETVAL
expect_match "--by RETVAL" "$out" '"groups":\[\{"key":"[0-9]+",'
latency user_tail tail 80 100 IF '$@arg1@ >= 40'
counted "tail calls, IF" 25 abandoned 30

# Options.
latency user_busy busy 10 100 IF '$@arg1@ >= 4'
expect_eq "IF: filtered" "$(field filtered)" 4
counted "IF" 6
latency user_busy busy 10 100 IF 'RETVAL > 8'
counted "IF of what it returns" 2
latency user_busy busy 10 100 --count 4
counted "--count" 4
latency user_busy busy 4 100 --by RETVAL
expect_match "--by RETVAL" "$out" '"groups":\[\{"key":"[1-4]",.*"key":"[1-4]",.*"key":"[1-4]",.*"key":"[1-4]",'
latency user_busy busy 10 100 --by comm
expect_match "--by" "$out" '"groups":\[\{"key":"usercalls",'
ok ktrace latency usercalls:user_busy ARGS BACKTRACE --top 2 -- usercalls busy 10 100
expect_match "--top" "$out" '^ +n=[0-9]$'
expect_match "method" "$out" '^at     usercalls:user_busy  uprobe$'
usercalls forever 1 100 &
ok ktrace latency "$(which usercalls):user_busy" ONLYTGID $! --for 200ms --json
[ "$(field count)" -gt 100 ] || fail "only $(field count) calls"
expect_eq "lost" "$(field lost)" 0
kill $!
expect_eq "nothing is left" "$(ktrace list)" ""

# Lines: user_loops() has one line that is reached once in each call but the innermost, others once in each call.
ok ktrace lines usercalls:user_loops --json -- usercalls loops 10 1000
expect_eq "lines: calls" "$(field count)" 50
expect_match "lines" "$out" '"count":40,'
ok ktrace lines usercalls:user_loops --counts --json -- usercalls loops 10 1000
expect_eq "lines --counts: calls" "$(field count)" 50
expect_match "lines --counts" "$out" '"count":40,'

# What cannot be measured.
refused() {
	run ktrace latency "$@"
	expect_status "$want"
	expect_match "$*" "$err" "$sentence"
}
want=2
sentence="not for the functions of a program" refused usercalls:user_busy --off-cpu --for 1ms
sentence="not for the functions of a program" refused usercalls:user_busy --by EXIT --for 1ms
want=1
sentence="its first instruction .* begins again" refused usercalls:user_round --for 1ms
sentence="unknown symbol" refused usercalls:user_bus --for 1ms

# Of several functions that jump to the same one each is measured alone.
run ktrace latency 'usercalls:user_t*' -- usercalls tail 8 10
expect_match "in a pattern" "$err" 'none of the functions can be measured: .*its calls may end in other functions.* measure it alone'

# Many functions of a program, each corrected by the hits of the others within it.
ok ktrace latency 'usercalls:user_loop*' --json -- usercalls loops 100 10000
one=$out
out=$(printf '%s\n' "$one" | grep '"name":"usercalls:user_loops"')
counted "of many" 500
near "many: recursion" 60040
out=$(printf '%s\n' "$one" | grep '"name":"usercalls:user_loop"')
counted "of many" 500
near "many: called" 20000
