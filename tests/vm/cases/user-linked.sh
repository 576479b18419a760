#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: programs linked statically against musl, and stripped ones with a separate debug file: the same truth as others
# long: 60 s
# vm: --icount --append tsc=reliable --built vm/languages/usertruth-separate --built vm/languages/usertruth-separate.debug --built vm/languages/usertruth-musl --built vm/languages/usercalls-musl
# arch: x86: Debian has no musl for another architecture that can be installed beside this machine's
. /lab/lib.sh

# check PROGRAM: its arguments, variables, texts, values, markers and calls
check() {
	program=$1
	ok ktrace -q trace $program:user_square ARGS VAR 'node->next->name' $program:user_square%return RETVAL \
		$program:user_text ARGS STR '$@arg1@:8' VAR user_global VAR 'first.next->id' $program:sdt:truth:marked ARGS
	ok $program 4
	expect_eq "$program" "$out" 43
	ok ktrace printclear
	expect_eq "$program: arguments" "$(count_matches "$out" "^$program:user_square .*\\)  n=[1-4]  node=[0-9a-f]{16}  node->next->name=\"second node\"\$")" 4
	expect_eq "$program: values" "$(printf '%s\n' "$out" | sed -n 's/.*  retval=//p' | tr '\n' ' ')" "1 4 9 16 "
	expect_match "$program: text" "$out" "^$program:user_text .*\\)  text=\"planted truth\"  a=7077  b=-5  \\\$@arg1@=\"planted \"\.\.\.  user_global=7077  first\.next->id=-2\$"
	expect_eq "$program: markers" "$(count_matches "$out" "^$program:sdt:truth:marked .*  arg1=-7  arg2=")" 4
	ok ktrace delete '*'
	ok ktrace -q trace $program:user_square%return ELAPSED ENTRY n ENTRY 'node->id' RETVAL IF 'ELAPSED > 0ns'
	ok $program 3
	ok ktrace printclear
	expect_eq "$program: calls" "$(printf '%s\n' "$out" | sed -n 's/.*elapsed=[0-9.]* [mun]*s  n=\([0-9]*\)  node->id=41  retval=\([0-9]*\)$/\1:\2/p' | tr '\n' ' ')" "1:1 2:4 3:9 "
	ok ktrace delete '*'
}

check usertruth-musl
# The link to the debug file names one beside the program.
check usertruth-separate
mv /usr/local/bin/usertruth-separate.debug /tmp/
run ktrace trace usertruth-separate:user_square
expect_status 1
expect_match "no debug file" "$err" "usertruth-separate names no functions: it was stripped, and no separate file .*: install its debug symbols"
# By the build id.
id=.build-id/70/6c616e7465642d74727574682d6f662d747275
mkdir -p /usr/lib/debug/.build-id/70
mv /tmp/usertruth-separate.debug /usr/lib/debug/$id.debug
check usertruth-separate

# Calls of the program that is linked against musl, which end in all ways.
ended() {
	ok ktrace latency "usercalls-musl:$1" --json -- usercalls-musl "$2" "$3" 100
	expect_eq "$2: calls" "$(field count)" "$4"
	expect_eq "$2: abandoned" "$(field abandoned)" "$5"
	expect_eq "$2: open" "$(field open)" 0
}
ended user_maybe jump 30 20 10
ended user_tail tail 80 50 30
ended user_leave threads 1 1 1
ended user_busy threads 10 80 0
ended user_signalled signal 10 10 0
ended user_inner signal 10 10 0
