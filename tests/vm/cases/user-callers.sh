#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: callers in programs without frame pointers, by their unwind tables; a program that writes nonsense into them
# long: 60 s
. /lab/lib.sh

# lists: of JSON records, print a line for each: the addresses of its callers, ? for unknown ones
lists() {
	sed -n 's/.*"name":"backtrace","value":\[\(.*\)\]}\].*"flags".*/\1/p' |
		sed 's/{"addr":null}/?/g; s/{"addr":"0x\([0-9a-f]*\)"[^}]*}/\1/g; s/,/ /g'
}

# missing WAYS LISTS: print the ways whose addresses are not all in their list, in that order.  unknown: so are those whose
# list lacks callers
missing() {
	awk -v unknown="$3" 'NR == FNR { list[NR] = " " $0 " "; next }
		$1 == "way" {
			rest = list[++n]
			good = !unknown || !index(rest, "?")
			for (i = 3; i <= NF; i++) {
				at = index(rest, " " $i " ")
				good = good && at
				rest = substr(rest, at + length($i) + 1)
			}
			if (!good)
				print $2
		}' "$2" "$1"
}

for program in unwound-static unwound-pie unwound-stripped; do
	ok ktrace -q trace $program:unwound_here BACKTRACE 40
	ok $program
	printf '%s\n' "$out" >/tmp/ways
	ok ktrace --json print
	printf '%s\n' "$out" | lists >/tmp/lists
	expect_eq "records of $program" "$(wc -l </tmp/lists)" 5
	expect_eq "$program: lists that lack something" "$(missing /tmp/ways /tmp/lists unknown)" ""
	# The nearest callers are the program's own, with nothing between: the first two addresses of each way.
	expect_eq "$program: what follows the hit" "$(cut -d ' ' -f 2 /tmp/lists)" "$(cut -d ' ' -f 3 /tmp/ways)"
	expect_eq "$program: what follows that" "$(cut -d ' ' -f 3 /tmp/lists)" "$(cut -d ' ' -f 4 /tmp/ways)"
	ok ktrace print
	printf '%s\n' "$out" | tr -s ' \n' ' ' >/tmp/text
	expect_match "names in $program" "$(cat /tmp/text)" "from $program:unwound_here < $program:"
	if [ $program = unwound-stripped ]; then
		expect_match "no symbols" "$(cat /tmp/text)" "$program:unwound_here < $program:0x[0-9a-f]+ < "
	else
		expect_match "plain" "$(cat /tmp/text)" "unwound_here < $program:with_registers\+0x[0-9a-f]+ < $program:main\+"
		expect_match "library" "$(cat /tmp/text)" "with_registers\+[^<]*< $program:with_alloca\+[^<]*< $program:with_alignment\+[^<]*< $program:compare\+.*< $program:by_library\+[^<]*< $program:main\+"
		expect_match "signal" "$(cat /tmp/text)" "< $program:on_signal\+.*< $program:by_signal\+[^<]*< $program:main\+"
		expect_match "fault" "$(cat /tmp/text)" "< $program:on_fault\+[^<]*< [^<]*< $program:by_fault\+[^<]*< $program:main\+"
		expect_eq "$program: lists to _start" "$(grep -o "< $program:_start+0x[0-9a-f]*" /tmp/text | wc -l)" 4
	fi
	ok ktrace -e 'delete *; clear'
done

# Callers in libraries have names while the process lives.
ok ktrace -q trace unwound-pie:unwound_here BACKTRACE 40
mkfifo /tmp/hold
unwound-pie 0 wait </tmp/hold >/tmp/ways &
process=$!
exec 5>/tmp/hold
wait_until 20 grep -q 'way thread' /tmp/ways
ok ktrace printclear
expect_match "libraries" "$(printf '%s\n' "$out" | tr -s ' \n' ' ')" "unwound-pie:compare\+[^<]*< libc\.so\.6:.*< unwound-pie:by_library\+"
exec 5>&-
wait $process

# One address of the list; with a depth that the list does not have.
ok ktrace -q trace unwound-pie:unwound_here CALLER depth 1 CALLER depth 60
ok unwound-pie
printf '%s\n' "$out" >/tmp/ways
ok ktrace printclear
expect_eq "CALLER" "$(count_matches "$out" "^unwound-pie:.*=[?]\$")" 5
ok ktrace --json -e 'trace unwound-pie:unwound_here CALLER depth 1'
ok unwound-pie
printf '%s\n' "$out" >/tmp/ways
ok ktrace --json printclear
expect_eq "CALLER depth 1" "$(printf '%s\n' "$out" | sed -n 's/.*"value":"0x\([0-9a-f]*\)".*/\1/p')" "$(cut -d ' ' -f 3 /tmp/ways)"
ok ktrace -e 'delete *; clear'

# Without tables, what frame pointers tell stands behind a question mark, and the end is unknown.
ok ktrace -q trace unwound-bare:unwound_here BACKTRACE 40
ok unwound-bare
ok ktrace --json printclear
printf '%s\n' "$out" | lists >/tmp/lists
expect_eq "no tables" "$(grep -c '^[0-9a-f]* ?.*?$\|^[0-9a-f]* ?$' /tmp/lists)" 5
ok ktrace -e 'delete *; clear'

# Nonsense in the tables of a process harms only its own lists.
for program in unwound-static unwound-pie; do
	ok ktrace -q trace $program:unwound_here BACKTRACE 16
	ok $program 3000
	ok ktrace --json printclear
	printf '%s\n' "$out" | lists >/tmp/lists
	expect_eq "records of $program" "$(wc -l </tmp/lists)" 3005
	ok $program
	printf '%s\n' "$out" >/tmp/ways
	ok ktrace --json printclear
	printf '%s\n' "$out" | lists >/tmp/lists
	expect_eq "$program: afterwards" "$(missing /tmp/ways /tmp/lists unknown)" ""
	ok ktrace -e 'delete *; clear'
done
