#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: texts, patterns, lists and negation in filters; every command of docs/filters.md
# vm: --smp 2 --put docs/filters.md:/tmp/filters.md
. /lab/lib.sh

ok modprobe ktruth

# Of 5 calls in a shell, how many are recorded; and the filter.
cat >/tmp/filters <<EOF
5 IF current->comm == "sh"
0 IF current->comm != "sh"
0 IF current->comm == "s"
5 IF current->comm =~ "?h" && current->comm !~ "*x*"
5 IF !(current->comm =~ "x*") && \$@arg1@ == 1
0 IF *(char **)$(data ktruth_unmapped) == "x"
0 IF *(char **)$(data ktruth_unmapped) != "x"
0 IF (char *)16 !~ "x"
5 ONLYCOMM a_name_of_15_ch,sh
0 NOTCOMM a_name_of_15_ch,sh
5 NOTCOMM a_name_of_15_ch,s NOTPID 1 NOTTGID 1,2 NOTPGRP 1 NOTUID 1000,4294967295 NOTGID 5 NOTCPU 77
0 NOTUID 1000,0
5 ONLYCPU 0,1 NOTCPU 2
0 NOTCPU 0,1
EOF
while read -r number filter; do
	echo "trace ktruth_args6 PID $filter"
	echo "!echo 'call args6 5' >/proc/ktruth; echo '== $number' '$filter'"
	echo printclear
done </tmp/filters >/tmp/filters.kt
ok ktrace -q -f /tmp/filters.kt
wrong=$(awk '
	function judge() { if (n != want) print n " records, not " want ": " filter }
	/^== / { judge(); want = $2; n = 0; filter = $0 }
	/^ktruth:ktruth_args6 / { n++ }
	END { judge() }' /tmp/out)
expect_eq "wrong" "$wrong" ""
expect_eq "filters" "$(grep -c '^== ' /tmp/out)" 14
expect_eq "the others are counted" "$(counted filtered)" 40

# A text is listed as it is typed; at the prompt it needs no other quotes.
ok ktrace -q -e 'trace ktruth_args6 PID VAR sh = current->comm == "sh" IF current->comm != "a  b"
list
!echo "call args6 1" >/proc/ktruth
printclear
delete *'
expect_match "list" "$out" '^ktruth:ktruth_args6  PID VAR sh = current->comm == "sh" IF current->comm != "a  b"$'
expect_match "a text as a value" "$out" '^ktruth:ktruth_args6 .* sh=1$'
run ktrace trace ktruth_args6 IF 'current->comm == sh'
expect_status 2
expect_match "without quotes" "$err" 'a text is in quotes: "sh"$'

awk '/^```sh$/ { inside = 1; n++; next } /^```$/ { inside = 0 } inside { print >"/tmp/example-" n }' /tmp/filters.md
expect_eq "examples" "$(ls /tmp/example-* | wc -l)" 6
n=1
while [ $n -le 6 ]; do
	run sh -e /tmp/example-$n
	[ "$status" = 0 ] || {
		last_run
		fail "example $n of docs/filters.md"
	}
	eval "out_$n=\$out"
	n=$((n + 1))
done
expect_eq "reads of /dev/zero" "$(count_matches "$out_1" '^vfs_read .* count=100$')" 3
expect_eq "no other reads" "$(count_matches "$out_1" '^vfs_read ')" 3
expect_match "below /proc" "$out_2" '^do_sys_openat2 .*"/proc/version"'
expect_no_match "below /proc" "$out_2" '"/dev/null"'
expect_match "not below /proc" "$out_3" '^do_sys_openat2 .*"/dev/null"'
expect_no_match "not below /proc" "$out_3" '"/proc/version"'
expect_match "dd" "$out_4" '^vfs_write .*comm="dd" +count=100$'
expect_match "tee" "$out_4" '^vfs_write .*comm="tee" +count=2$'
expect_no_match "not the shell" "$out_4" 'comm="sh"'
expect_eq "MIN, AVG and MAX" "$(count_matches "$out_5" '^ *100([.]0+)? +2$')" 3
expect_match "dd" "$out_6" '^vfs_write .*comm="dd" +count=100$'
expect_no_match "not the shell" "$out_6" 'comm="sh"'
well
