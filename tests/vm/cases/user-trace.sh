#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: instructions of programs: counts and values of planted functions, processes that come and go
. /lab/lib.sh

# hits: print the hits of the only tracepoint
hits() {
	ktrace --json list | sed 's/.*"hits":\([0-9]*\).*/\1/'
}

for program in usertruth usertruth-pie; do
	# Arguments, variables, memory at fixed and at moved addresses, a page that was never touched.
	ok ktrace -q trace $program:user_square ARGS VAR 'node->next->name' IF 'n != 2' \
		$program:user_text ARGS STR '$@arg1@:8' VAR user_global VAR 'first.next->id' VAR '*(s32*)&user_global + 1' \
		$program:user_far STR '$@arg1@' BACKTRACE 3 REG @arg1@
	ok $program 4
	expect_eq "$program" "$out" 43
	ok ktrace printclear
	expect_eq "records of $program" "$(count_matches "$out" "^$program:")" 5
	expect_match "the first" "$out" "^$program:user_square .*\\)  n=1  node=[0-9a-f]{16}  node->next->name=\"second node\"\$"
	expect_no_match "the filter" "$out" ' n=2 '
	expect_match "text" "$out" "^$program:user_text .*\\)  text=\"planted truth\"  a=7077  b=-5  "
	expect_match "values" "$out" '  \$@arg1@="planted "\.\.\.  user_global=7077  first\.next->id=-2  \*\(s32\*\)&user_global \+ 1=7078$'
	expect_match "a page that is brought in" "$out" "^$program:user_far .*\\)  \\\$@arg1@=\"far\"  @arg1@=[0-9a-f]{16}\$"
	# The static program has no table of .eh_frame: frame pointers tell the callers, without the nearest at an entry.
	expect_match "callers" "$out" "^    from $program:user_far < ([?]|$program:work[+]0x[0-9a-f]+) < $program:main[+]0x[0-9a-f]+"
	ok ktrace list -v
	expect_match "the filter counts" "$out" "^$program:user_square +uprobe +4 +1 "
	ok ktrace list
	printf '%s\n' "$out" | sed 's/^/trace /' >/tmp/again
	ok ktrace -f /tmp/again
	expect_eq "what list prints can be pasted" "$(count_matches "$err" 'already exists, updating')" 3
	ok ktrace delete "$program:user_square" "$(which $program):user_text"
	ok ktrace list
	expect_eq "after delete" "$(count_matches "$out" .)" 1
	ok ktrace -e 'delete *; clear'
done

# The ends of calls: one record for each, with its value.
for program in usertruth usertruth-pie; do
	ok ktrace -q trace $program:user_square%return RETVAL
	ok $program 40
	ok ktrace printclear
	expect_eq "values of $program" "$(printf '%s\n' "$out" | sed -n 's/.*  retval=//p' | tr '\n' ' ')" \
		"$(i=1; while [ $i -le 40 ]; do printf '%d ' $((i * i)); i=$((i + 1)); done)"
	ok ktrace delete "$program:user_square%return"
	ok ktrace list
	expect_eq "deleted" "$out" ""
done

# A call from its entry to its end.
for program in usertruth usertruth-pie; do
	ok ktrace -q trace $program:user_square%return ELAPSED ENTRY n ENTRY 'node->id' RETVAL IF 'ELAPSED > 0ns'
	ok $program 5
	ok ktrace printclear
	expect_eq "calls of $program" "$(printf '%s\n' "$out" | sed -n 's/.*elapsed=[0-9.]* [mun]*s  n=\([0-9]*\)  node->id=41  retval=\([0-9]*\)$/\1:\2/p' | tr '\n' ' ')" \
		"1:1 2:4 3:9 4:16 5:25 "
	ok ktrace list
	expect_eq "the entry is not listed" "$(count_matches "$out" .)" 1
	ok ktrace delete "$program:user_square%return"
	expect_eq "deleted" "$(ktrace list)" ""
done

# An SDT marker whose site is passed only while its semaphore is raised.
for program in usertruth usertruth-pie; do
	ok ktrace -q trace $program:sdt:truth:marked ARGS STR '$@arg2@' PID
	ok $program 2
	ok ktrace printclear
	expect_eq "markers of $program" "$(count_matches "$out" "^$program:sdt:truth:marked .*  arg1=-7  arg2=[0-9a-fx]+  arg3=\\?  arg4=12  ")" 2
	ok ktrace list
	expect_match "listed" "$out" "^$program:sdt:truth:marked  ARGS STR"
	ok ktrace delete "$program:sdt:truth:marked"
	# The arguments by their names, in each option.
	ok ktrace -q trace $program:sdt:truth:marked VAR arg1 STR arg2 VAR x=arg4 IF 'arg1 == -7 && arg4 > 11'
	ok $program 2
	ok ktrace printclear
	expect_eq "arguments of $program by name" "$(count_matches "$out" "^$program:sdt:truth:marked .*  arg1=-7  arg2=\"marker's text\"  x=12\$")" 2
	run ktrace trace $program:sdt:truth:marked VAR arg3
	expect_match "an unknown argument of $program" "$err" "'arg3' .*floating-point unit"
	ok ktrace delete "$program:sdt:truth:marked"
	ok ktrace -q trace $program:sdt:truth:marked SUM arg4 BY arg1 IF '(char *)arg2 =~ "marker*"'
	ok $program 3
	ok ktrace print
	expect_match "a sum of $program" "$out" '^ *-7 +36 +3$'
	ok ktrace delete "$program:sdt:truth:marked"
	ok ktrace list
	expect_eq "deleted" "$out" ""
done

ok modprobe ktruth
# The kernel and programs in one list, in the order of time.
ok ktrace -q trace usertruth:user_square VAR n usertruth:user_text ktruth_square PID
ok sh -c 'usertruth 1; echo call square 1 >/proc/ktruth; usertruth 1'
ok ktrace printclear
expect_eq "one list" "$(printf '%s\n' "$out" | awk '{ printf "%s ", $1 }')" \
	"usertruth:user_square usertruth:user_text ktruth:ktruth_square usertruth:user_square usertruth:user_text "
ok ktrace delete '*'

# LIMIT, EVERY; a limit that is reached disarms, setting it again arms.
# true and false are no names in a program's debug information.
ok ktrace -q -e 'trace usertruth:user_square VAR n IF (n == 2) == true' -e '!usertruth 5' -e printclear -e 'delete *'
expect_eq "true" "$(printf '%s\n' "$out" | grep -c 'n=2$' || true)" 1
ok ktrace -q -e 'trace usertruth:user_square VAR n IF (n < 5) == false' -e '!usertruth 5' -e printclear -e 'delete *'
expect_eq "false" "$(printf '%s\n' "$out" | grep -c ' n=' || true)" 1
ok ktrace -q trace usertruth:user_square LIMIT 3 EVERY 2 VAR n
ok usertruth 9
ok ktrace printclear
expect_eq "limit and every" "$(printf '%s\n' "$out" | sed 's/.*n=//' | tr '\n' ' ')" "1 3 5 "
wait_until 20 sh -c 'ktrace list -v | grep -q "off: limit"'
disarmed() {
	before=$(hits)
	usertruth 1 >/dev/null
	[ "$(hits)" = "$before" ]
}
wait_until 20 disarmed
ok usertruth 9
expect_eq "disarmed" "$(hits)" "$before"
ok ktrace -q trace usertruth:user_square VAR n
ok usertruth 2
expect_eq "armed again" "$(hits)" $((before + 2))
ok ktrace -e 'delete *; clear'

# Memory of the kernel is unreadable; what belongs to the kernel is refused.
text=$(awk '$3 == "vfs_read" { print "0x" $1; exit }' /proc/kallsyms)
ok ktrace -q trace usertruth:user_square VAR "*(u64*)$text" VAR "*(u8*)$text" STR "$text" VAR n
ok usertruth 1
ok ktrace printclear
expect_match "kernel memory" "$out" "\\)  \\*\\(u64\\*\\)$text=\\?  \\*\\(u8\\*\\)$text=\\?  $text=.* \\(unreadable\\)  n=1\$"
ok ktrace delete '*'
refused() {
	run ktrace -q trace "$@"
	expect_status "$want"
	expect_match "$*" "$err" "$sentence"
	[ "$(printf '%s\n' "$err" | wc -l)" = 1 ] || fail "more than one line: $err"
}
want=1
sentence="no function of the file covers it" refused usertruth:0x10
sentence="usertruth: .*unknown symbol 'user_squar'.*user_square" refused usertruth:user_squar
sentence="no such file|No such file" refused ./nosuch:main
sentence="it has no symbols" refused busybox:main
sentence="not .*(ELF|program)" refused /lab/lib.sh:main
want=2
sentence="cannot be read at an instruction of a program" refused usertruth:user_square VAR current
sentence="a uprobe is the only method" refused usertruth:user_square METHOD jump
sentence="write VAR user_global" refused usertruth:user_square LOC user_global
expect_eq "nothing is set" "$(ktrace list)" ""

# An ifunc means the function that this CPU has chosen, which is called again and again; what chooses runs once in a process.
ok ktrace -e 'trace libc.so.6:memcpy SELF COUNT' -e '!ktrace status >/dev/null' -e 'list -v' -e 'delete *'
expect_match "it says so" "$err" '^ktrace: libc\.so\.6:memcpy is an ifunc: the CPU has chosen '
hits=$(printf '%s\n' "$out" | awk '$1 ~ /^libc/ && $2 == "uprobe" && $3 + 0 > n { n = $3 + 0 } END { print n + 0 }')
[ "$hits" -ge 100 ] || fail "memcpy has few hits: $out"

# Versions of a symbol are different functions; libraries of newer architectures have no old ones.
if grep -q GLIBC_2.2.5 /lib/*/libc.so.6; then
	ok ktrace trace libc.so.6:realpath@GLIBC_2.2.5 libc.so.6:realpath@GLIBC_2.3
	expect_eq "versions" "$(printf '%s\n' "$out" | sed 's/ .*//')" "libc.so.6:realpath@GLIBC_2.2.5
libc.so.6:realpath"
	ok ktrace delete '*'
	want=1 sentence="'realpath' has no version 'GLIBC_9'|no function 'realpath' in a file or of a version with" refused libc.so.6:realpath@GLIBC_9
fi
