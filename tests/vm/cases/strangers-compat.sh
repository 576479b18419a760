#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: system calls of 32-bit programs, and of a 64-bit one where it can make them: numbers, names and arguments, as ftrace has them
# long: 100 s
# vm: --smp 1
. /lab/lib.sh

events=/sys/kernel/tracing/events/raw_syscalls
# ftrace_calls PROGRAM: what ftrace has, "6 77 0 0 0 0 0" for each call; of an argument only the low 32 bits count
ftrace_calls() {
	sed -n "s/^ *$1-.* sys_enter: NR \([0-9]*\) (\(.*\))$/\1, \2/p" /sys/kernel/tracing/trace | tr -d , |
		while read -r id a b c d e f; do
			echo "$id" $((0x$a & 0xffffffff)) $((0x$b & 0xffffffff)) $((0x$c & 0xffffffff)) $((0x$d & 0xffffffff)) \
				$((0x$e & 0xffffffff)) $((0x$f & 0xffffffff))
		done
}
# calls FILE NAME: the records of that event: what is behind their time
calls() {
	sed -En "s/^($2) +[0-9:.]* +\([ 0-9.]*\)(  cpu .* comm (\?|\"[^\"]*\"))? *//p" "$1"
}

ok ktrace status
rawtext save /tmp/text || fail "no text to compare"
compat32 || skip "this kernel runs no 32-bit programs"
programs="compat32 $(basename "$(which compat64)")"
for program in $programs; do
	: >/sys/kernel/tracing/trace
	ok ktrace -q trace event:sys_enter ARGS ONLYCOMM $program
	echo 1 >$events/sys_enter/enable
	ok ktrace record -o /tmp/$program -- $program
	echo 0 >$events/sys_enter/enable
	ok ktrace print
	printf '%s\n' "$out" | sed -n 's/.* id=\(.*\)  arg0=\(.*\)  arg1=\(.*\)  arg2=\(.*\)  arg3=\(.*\)  arg4=\(.*\)  arg5=\(.*\)  ip=.*  compat=1$/\1 \2 \3 \4 \5 \6 \7/p' >/tmp/$program.prompt
	ok ktrace -q -e 'delete *' -e clear
	# The calls before its execve() are those of ktrace, 64 bits wide.
	ftrace_calls $program | tail -n 15 >/tmp/$program.ftrace
	cmp /tmp/$program.ftrace /tmp/$program.prompt || fail "$program: $(diff /tmp/$program.ftrace /tmp/$program.prompt)"

	ktrace -i /tmp/$program print >/tmp/text
	expect_eq "close" "$(calls /tmp/text compat_syscall_entry_close | sort | uniq -c | tr -s ' ')" " 3 fd=77"
	expect_eq "its result" "$(calls /tmp/text compat_syscall_exit_close | sort | uniq -c | tr -s ' ')" " 3 ret=-EBADF"
	expect_eq "getpid" "$(calls /tmp/text compat_syscall_entry_getpid | wc -l)" 3
	expect_eq "open" "$(calls /tmp/text compat_syscall_entry_open)" \
		'filename="/no-such-file-of-32-bits"  flags=O_WRONLY|O_CLOEXEC  mode=0'
	expect_eq "lseek" "$(calls /tmp/text compat_syscall_entry_lseek)" 'fd=77  offset=-5  whence=SEEK_END'
	expect_match "pread64" "$(calls /tmp/text compat_syscall_entry_pread64)" '^fd=77  buf=[0-9a-f]*  count=3  (unused=0  )?pos_low=17  pos_high=34$'
	# An architecture has a function of its own for it.
	expect_eq "mmap2" "$(calls /tmp/text 'compat_syscall_entry_mmap(_pgoff|2)')" \
		'addr=0000000000000000  len=4096  prot=1  flags=34  fd=-1  pgoff=9'
	expect_eq "chown32" "$(calls /tmp/text compat_syscall_entry_chown)" 'filename="/no-such-file-of-32-bits"  user=12  group=34'
	expect_match "clock_gettime64" "$(calls /tmp/text compat_syscall_entry_clock_gettime)" '^which_clock=CLOCK_MONOTONIC  tp='
	expect_match "no such call" "$(calls /tmp/text syscall_entry_unknown)" \
		'^id=777  arg0=1  arg1=2  arg2=3  arg3=4  arg4=5  arg5=6  ip=[0-9]*  compat=1$'
	ok ktrace report /tmp/$program --by syscall
	expect_match "it is counted as close" "$out" '^close +([4-9]|[0-9]{2,}) +3 '
	expect_match "and as chown" "$out" '^chown +1 +1 '
done

# At the prompt.
traced() {
	ok ktrace -q run "trace $1" -- "$2"
	printf '%s\n' "$out" | sed 's/  *[0-9][0-9:.]*  *([ 0-9.]*) */ /' | sort | uniq -c | sed 's/^ *//'
}
for program in $programs; do
	# Where both kinds of programs have one function, it has the name of that.
	expect_match "close" "$(traced 'syscall:close ARGS ONLYCOMM '$program' IF $sysarg0 == 77' $program)" '^3 (compat_)?syscall:close fd=77$'
	expect_match "nanosleep of 32 bits" "$(traced 'compat_syscall:nanosleep ONLYCOMM '$program $program)" '^1 (compat_)?syscall:nanosleep'
	# Another function than in 64-bit programs, since its times have 32 bits.
	expect_match "nanosleep" "$(traced 'syscall:nanosleep ONLYCOMM '$program' VAR $sysarg0' $program)" \
		'^1 (compat_)?syscall:nanosleep(_time32)? \$sysarg0=0$'
done
expect_match "one of two functions" "$(traced 'compat_syscall:chown VAR $sysarg1 compat_syscall:chown16 VAR $sysarg2' compat32)" \
	'^1 (compat_)?syscall:chown \$sysarg1=12$'
expect_match "its return" "$(traced 'syscall:pread64%return VAR (int)RETVAL IF (int)RETVAL == -9' compat32 | sed 's/+0x[0-9a-f]*//')" \
	'^1 compat_syscall:pread64(%return)? \(int\)RETVAL=-9$'
case $programs in *compat64) ;; *) text_restored; exit 0 ;; esac
expect_match "mmap" "$(traced 'syscall:mmap ARGS IF $sysarg5==9' compat64)" '^1 compat_syscall:mmap_pgoff addr=.* pgoff=9$'
ok ktrace -q trace syscall:close PID
ok ktrace -e list
expect_eq "two functions" "$(count_matches "$out" 'syscall:close ')" 2
ok ktrace -q -e 'delete syscall:close'
ok ktrace -e list
expect_eq "both are deleted" "$out" ""
run ktrace -q trace compat_syscall:nothing
expect_eq "no such call" "$err" "ktrace: 'compat_syscall:nothing': the kernel has no such system call for 32-bit programs"
text_restored
well
