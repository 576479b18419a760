#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: every command of docs/cookbook.md, unchanged
# long: 40 s
# vm: --smp 2 --put docs/cookbook.md:/tmp/cookbook.md
. /lab/lib.sh

# Work to measure, for recipes without a command of their own.
family writes 100000000 2000 &
load=$!
syscalls -w 2000 read 100000000 >/dev/null &
reader=$!

awk '/^```sh$/ { inside = 1; n++; next } /^```$/ { inside = 0 } inside { print >"/tmp/recipe-" n }' /tmp/cookbook.md
expect_eq "recipes" "$(ls /tmp/recipe-* | wc -l)" 15

# Some kernels list no variables.
data_symbols && strict=-e || strict=
n=1
while [ $n -le 15 ]; do
	recipe=$(cat /tmp/recipe-$n)
	run sh $strict -c "$recipe"
	[ "$status" = 0 ] || {
		last_run
		fail "recipe $n: $recipe"
	}
	eval "out_$n=\$out err_$n=\$err"
	expect_eq "recipe $n: tracepoints left" "$(ktrace list)" ""
	n=$((n + 1))
done

expect_match "1" "$out_1" '^count +[1-9]'
expect_match "1" "$out_1" '^mean +[0-9.]+ (ns|us|ms)  .*99 % confidence'
expect_match "2" "$out_2" '^count +10,000$'
expect_match "5" "$out_5" '"/proc/version"'
expect_match "6" "$out_6" '^do_sys_openat2.* retval=-ENOENT$'
expect_match "7" "$out_7" '^count +1,000$'
expect_match "8" "$(cat /tmp/second.html)" '<svg id="timeline"'
expect_match "9" "$(cat /tmp/latency.json)" '"p99_ns":[0-9.]+'
expect_match "10" "$out_10" '^count +[1-9]'
expect_match "11" "$out_11" '^libc\.so\.6:getenv .*  comm="ktrace"$'
expect_eq "12" "$(printf '%s\n' "$out_12" | grep -c '^vfs_write .* comm="dd"$')" 3
data_symbols && expect_match "13" "$out_13" '^[0-9]+ elements: the list is back at its head$'
expect_match "13" "$out_13" '^agent  1  '
expect_match "14" "$out_14" '^vfs_write .*"dd".*"file".* count=8192$'
expect_match "15" "$out_15" '^event:sched_switch '
expect_match "15" "$out_15" '^recording +on'
expect_match "3" "$out_3" '^syscalls +[1-9]'
kill $load $reader
well
