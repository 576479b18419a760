#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: all code on a breakpoint's path to ktrace and back is refused; found by following this kernel's calls
# long: 55 s
. /lab/lib.sh

# Follow direct calls and jumps from the exception entry; the rows of hook-path say where not to go, and why.
calls() {
	sed 's/  # .*//' /tmp/out | awk '$2 == "no" && $3 ~ /^(call|j|bl?$|b\.|cbn?z|tbn?z)/ { print $NF }' |
		sed -n 's/^\([a-zA-Z_][a-zA-Z0-9_.]*\)\(+0x.*\)\?$/\1/p' | sort -u
}

elsewhere() {
	awk -v name="${1%%.*}" '$1 == "not" && $2 == name { found = 1 } END { exit !found }' /lab/arch/hook-path
}

queue=$(awk '$1 == "from" { print $2 }' /lab/arch/hook-path | while read -r name; do
	grep -q " [tTwW] $name\$" /proc/kallsyms && echo "$name"
done)
[ "$queue" ] || fail "no function to begin with"
met=0
: >/tmp/seen
while set -- $queue && [ $# -gt 0 ]; do
	name=$1
	shift
	queue=$*
	! grep -qxF "$name" /tmp/seen || continue
	echo "$name" >>/tmp/seen
	! elsewhere "$name" || continue
	ok ktrace explain "$name"
	good=$(traceable)
	[ -z "$good" ] || fail "$name, called by $(sed -n "s/ -> $name\$//p" /tmp/calls | tr '\n' ' '), can be traced: $good"
	met=$((met + 1))
	for called in $(calls); do
		echo "$name -> $called" >>/tmp/calls
		queue="$queue $called"
	done
done
echo "$met functions, all refused: $(tr '\n' ' ' </tmp/seen)"
[ "$met" -ge "$(awk '$1 == "least" { print $2 }' /lab/arch/hook-path)" ] || fail "only $met functions"
