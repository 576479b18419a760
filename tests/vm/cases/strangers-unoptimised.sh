#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: parameters and variables of programs without optimisation, in C, C++ and Rust: at the entry and in each line
# arch: x86: Debian has no standard library of Rust for another architecture that can be installed beside this machine's
# long: 70 s
# vm: --built vm/languages/unoptimised-gcc --built vm/languages/unoptimised-cpp --built vm/languages/unoptimised-clang --built vm/languages/unoptimised-rust
. /lab/lib.sh

# numbers I: print what take_numbers() is called with for that I
numbers() {
	printf 'a=%d  b=%d  c=%d  d=%d  e=%d  f=%d  g=%d  h=%d\n' "-$1" $((10000 * $1)) $((-300 * $1)) $((5000000000 * $1)) \
		$((40 * $1)) $((700000000 * $1 % 4294967296)) $((-8 * $1)) $((9 * $1))
}

# all_numbers: print the lines for each I
all_numbers() {
	for i in 1 2 3 4 5 6; do numbers $i; done
}

# recorded: print the parameters of take_numbers() in the text that was printed last
recorded() {
	printf '%s\n' "$out" | sed -n 's/.*  \(a=-.*  h=[0-9]*\).*/\1/p'
}

for program in unoptimised-gcc unoptimised-cpp unoptimised-clang unoptimised-rust; do
	# Debian's Rust cannot be installed beside another architecture's.
	[ -x "$(which $program)" ] || continue
	ok $program
	line=$(printf '%s\n' "$out" | sed -n 's/^line //p')

	# At the entry: values, filters and sums; nothing of the frame is set up yet.
	ok ktrace -q trace $program:take_numbers ARGS
	ok $program
	ok ktrace printclear
	expect_eq "$program: at the entry" "$(recorded)" "$(all_numbers)"
	ok ktrace -q trace $program:take_numbers ARGS IF 'c == -900 && d > 10000000000 && g < 0'
	ok $program
	ok ktrace printclear
	expect_eq "$program: a filter" "$(recorded)" "$(numbers 3)"
	# A sum, and calls by a parameter: each belongs to its own call.
	ok ktrace -q trace $program:take_numbers SUM f
	ok $program
	ok ktrace print
	expect_match "$program: a sum" "$out" "^ *14,700,000,000 +6\$"
	ok ktrace delete '*'
	ok ktrace latency $program:take_numbers --by 'VAR f' --json -- $program
	expect_eq "$program: calls by a parameter" "$(printf '%s' "$out" | grep -o '"key":"[0-9]*","count":[0-9]*' | sort | tr -d '"\n')" \
		"$(for i in 1 2 3 4 5 6; do echo "\"key\":\"$((700000000 * i % 4294967296))\",\"count\":1"; done | sort | tr -d '"\n')"
	# In Rust the local is not in scope there.
	run ktrace trace $program:take_numbers VAR sum
	expect_match "$program: a local at the entry" "$err" "'sum' (has no location at .*take_numbers|is neither a variable)"
	ok ktrace delete '*'

	# In a line behind the first instructions: the slots of the frame, and the local.
	ok ktrace -q trace "$program:$(basename "${program%-*}").$(case $program in *rust) echo rs ;; *) echo c ;; esac):$line" ARGS VAR sum
	ok $program
	ok ktrace printclear
	expect_eq "$program: in line $line" "$(recorded)" "$(all_numbers)"
	expect_eq "$program: the local in line $line" "$(printf '%s\n' "$out" | sed -n 's/.*  sum=\([-0-9]*\).*/\1/p' | tr '\n' ' ')" \
		"9699 19398 29097 38796 48495 58194 "
	ok ktrace delete '*'
done

# Objects by value: in two registers, on the stack; a floating-point number in between.
for program in unoptimised-gcc unoptimised-cpp unoptimised-clang; do
	ok ktrace -q trace $program:take_objects VAR pair.first VAR pair.second VAR 'large.v[4]' STR text VAR n
	ok $program
	ok ktrace printclear
	for i in 1 2 3 4 5 6; do
		expect_match "$program: objects" "$out" "  pair\.first=${i}000  pair\.second=-$i  large\.v\[4\]=$((7 * i))  text=\"planted\"  n=-$i\$"
	done
	ok ktrace delete '*'
done
well
