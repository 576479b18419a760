#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a text in a page that is not there yet: read when the call returns, or brought in where the hit may fault
. /lab/lib.sh

one="/tmp/untouched.one"
two="/tmp/untouched.two"
mark='(read at the return)'

# The lines of the output with this text.
with() {
	printf '%s\n' "$out" | grep -F "$1" || true
}

count() {
	with "$1" | grep -c . || true
}

# At the prompt, by a jump and by a breakpoint: the hit says ?, the text comes with the thread.
for method in "" "METHOD breakpoint"; do
	ok ktrace -q -e "trace syscall:openat ARGS PID $method" -e '!untouched open' -e printclear -e 'delete *'
	pid=$(printf '%s\n' "$out" | awk 'NF == 2 && $1 + 0 > 0 { print $1; exit }')
	expect_match "the hit $method" "$out" "^syscall:openat .* filename=\?  flags=O_RDWR\|O_CREAT .*pid $pid$"
	expect_match "the text $method" "$out" "^syscall:openat .* tid $pid  filename=\"$one\"  \(read at the return\)$"
done
# Two texts of one call; a text that was there has no such record; a text that nobody reads stays unread.
ok ktrace -q -e 'trace syscall:renameat2 ARGS' -e '!untouched rename' -e printclear -e 'delete *'
expect_eq "both" "$(count "$mark")" 2
expect_match "the old name" "$out" "oldname=\"$one\"  \(read"
expect_match "the new name" "$out" "newname=\"$two\"  \(read"
ok ktrace -q -e 'trace syscall:openat ARGS' -e '!untouched refused' -e printclear -e 'delete *'
expect_eq "not read by the kernel" "$(count "$mark")" 0
expect_match "its path was there" "$out" 'filename="/tmp/untouched.text"'
# A string of any argument, and a condition that the hit met.
ok ktrace -q -e "trace vfs_write STR buf IF count == 8" -e '!untouched write' -e printclear -e 'delete *'
expect_match "a buffer" "$out" "^vfs_write .* tid [0-9]+  buf=\"$one\"  \(read at the return\)$"
# JSON and CSV say it, too; the filter of print finds it.
ok ktrace -q --format json -e 'trace syscall:openat ARGS' -e '!untouched open' -e printclear -e 'delete *'
expect_match "JSON" "$out" "\"name\":\"filename\",\"value\":\"$one\".*\"flags\":\[\"AT_RETURN\"\]"
ok ktrace -q -e 'trace syscall:openat ARGS' -e '!untouched open' -e "print IF filename == $one" -e clear -e 'delete *'
expect_eq "print IF" "$(count "$one")" 1
# A counted tracepoint has no such records, and counts no text that it has not read.
ok ktrace -q -e 'trace syscall:openat COUNT BY filename' -e '!untouched open 3' -e printclear -e 'delete *'
expect_eq "counted" "$(count "$mark")" 0

# ENTRY at the return of the same call: the kernel has brought the page in.
ok ktrace -q -e 'trace syscall:openat%return ENTRY filename RETVAL' -e '!untouched open' -e printclear -e 'delete *'
expect_match "ENTRY" "$out" "filename=\"$one\" \(read at the return\)  retval="
expect_match "read at the entry" "$out" 'filename="/tmp/untouched.text"  retval='
ok ktrace -q --format json -e 'trace syscall:openat%return ENTRY filename' -e '!untouched open' -e printclear -e 'delete *'
expect_match "ENTRY in JSON" "$out" "\"name\":\"filename\",\"value\":\"$one\",\"late\":true"
ok ktrace -q -e 'trace syscall:openat%return ENTRY filename RETVAL' -e '!untouched refused' -e printclear -e 'delete *'
expect_match "not read by the kernel either" "$out" 'filename=0x[0-9a-f]+ \(unreadable\)  retval=-EINVAL'

# A recording: every name is known, once.
ok ktrace record -o /tmp/rec --events syscalls -- untouched open 50
ok ktrace print /tmp/rec
known=$(with "filename=\"$one\"" | grep -c . || true)
expect_eq "each name is known" "$known" 50
late=$(with syscall_entry_openat | grep -cF "$mark" || true)
expect_eq "and none is left" "$(with syscall_entry_openat | grep -cE 'filename=(\?|0x)' || true)" "$late"
case $(uname -r) in
7.*)	expect_eq "brought in at the entry" "$late" 0 ;;
*)	expect_eq "read at the return" "$late" 50 ;;
esac
ok ktrace report /tmp/rec
ok ktrace export /tmp/rec --perfetto -o /tmp/rec.pftrace

# Tasks that wait in a call, one of which is killed in it, while ktrace and its module go.
cat >/tmp/wait <<END
rm -f $two
untouched wait >/tmp/waited &
until test -p $two; do usleep 10000; done
sleep 1
test "\$1" = stay || kill \$!
END
ok ktrace -q -e 'trace syscall:openat ARGS' -e '!sh /tmp/wait end' -e '!sh /tmp/wait stay' -e printclear -e 'delete *'
expect_match "their hits" "$out" 'filename=\?'
expect_eq "the end of the one that was killed, not of the other" "$(count "filename=\"$two\"")" 1
ok rmmod ktrace
: >$two
wait_until 20 test -s /tmp/waited
expect_match "it goes on" "$(cat /tmp/waited)" ' 0$'
ok modprobe ktrace
well
