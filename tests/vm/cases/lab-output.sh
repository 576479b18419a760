#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: the functions of lib.sh tell success from failure, and a harmless kernel log line does not fail a test
# vm: --no-module
. /lab/lib.sh

run sh -c 'printf "one\ntwo\n"; echo three >&2; exit 7'
expect_status 7
expect_eq "standard output" "$out" "one
two"
expect_eq "standard error" "$err" three
expect_match "standard output" "$out" '^t.o$'
expect_no_match "standard output" "$out" three
expect_eq "matching lines" "$(count_matches "$out" '^[ot]')" 2
echo "lab: hello" >/dev/kmsg
expect_match "kernel log" "$(dmesg)" 'lab: hello'

for broken in 'expect_eq x a b' 'expect_status 1' 'expect_match x abc "^b"' 'expect_no_match x abc b' 'ok false'; do
	(eval "$broken") 2>/dev/null && fail "passes: $broken"
done
exit 0
