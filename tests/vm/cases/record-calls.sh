#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a recording has each system call by name, with arguments and results, and the state at its begin: all of it
# long: 80 s
# vm: --smp 2 --disk
. /lab/lib.sh

ok ktrace status
rawtext save /tmp/text || fail "no text to compare"
# text DIR: print it; how_many PATTERN: of the lines that `text` printed
text() {
	ktrace -i "$1" print >/tmp/text.out || fail "cannot print $1"
}
how_many() {
	grep -c -E -e "$1" /tmp/text.out
}
none_left() {
	wait_until 20 sh -c '[ -z "$(ktdev recordings)" ]'
	wait_until 20 sh -c 'ktdev count | grep -q "sites=0 "'
}

# Exactly the calls of a known program, beside a second recording, and a prompt at the same place.
ok ktrace -q trace event:sys_enter ONLYCOMM dd PID IF 'id == @call_read@'
ktrace record -o /tmp/beside --events syscalls 2>/tmp/beside.err &
beside=$!
wait_until 30 test -s /tmp/beside/state
ok ktrace record -o /tmp/dd --events syscalls -- dd if=/dev/zero of=/tmp/file-of-dd bs=77 count=1000
echo "$err"
text /tmp/dd
[ "$(how_many '^syscall_entry_ioctl ')" -lt 100 ] || fail "the recorder's own calls: $(how_many '^syscall_entry_ioctl ')"
kill -INT $beside
wait $beside || fail "$(cat /tmp/beside.err)"
for dir in /tmp/dd /tmp/beside; do
	text $dir
	[ "$(how_many ' lost')" = 0 ] || fail "$dir: lost records"
	expect_eq "$dir: reads" "$(how_many '^syscall_entry_read .* count=77$')" 1000
	expect_eq "$dir: writes" "$(how_many '^syscall_entry_write .* count=77$')" 1000
	expect_eq "$dir: results" "$(how_many '^syscall_exit_(read|write) .* ret=77$')" 2000
	expect_eq "$dir: a name" "$(how_many '^syscall_entry_openat .* filename="/tmp/file-of-dd"  flags=O_WRONLY\|O_CREAT')" 1
	expect_eq "$dir: the program" "$(how_many '^syscall_entry_execve .* filename="/bin/dd"')" 1
done
expect_eq "the prompt" "$(ktrace -q print | grep -c '^event:sys_enter .* pid ')" 1000
ok ktrace -q -e 'delete *' -e clear
none_left

# Of some sets only that they happened.
ok ktrace record -o /tmp/bare --events syscalls,sched --no-fields syscalls -- dd if=/dev/zero of=/dev/null bs=77 count=100
text /tmp/bare
[ "$(how_many '^syscall_entry_read ')" -ge 100 ] || fail "no reads without fields"
expect_eq "arguments" "$(how_many '^syscall_.*=')" 0
[ "$(how_many '^sched_switch .* next_tid=')" -gt 0 ] || fail "no fields of sched_switch"
ok ktrace report /tmp/bare
expect_match "its reads" "$out" '^read +1[0-9][0-9] '
run ktrace record -o /tmp/wrong --events sched --no-fields nothing
expect_match "no such set" "$err" "nothing"
[ ! -e /tmp/wrong ] || fail "a directory is left"

# Sets and single events, and what is left out of them.
ok ktrace record -o /tmp/some --events 'core,-faults,-irq_handler_*,-syscall_exit' -- dd if=/dev/zero of=/dev/null bs=77 count=100
text /tmp/some
[ "$(how_many '^syscall_entry_read ')" -ge 100 ] || fail "no reads"
expect_eq "what is left out" "$(how_many '^(syscall_exit|irq_handler|mm_fault)_')" 0
ok ktrace record -o /tmp/one --events sched_switch -- true
text /tmp/one
[ "$(how_many '^sched_switch ')" -gt 0 ] || fail "no sched_switch"
expect_eq "other events" "$(how_many '^(syscall|irq|sched_w|timer|mm)')" 0
for words in 'core,-shed' 'core,' -core; do
	run ktrace record -o /tmp/wrong --events "$words"
	expect_eq "status of $words" "$status" 2
	[ ! -e /tmp/wrong ] || fail "a directory is left"
done

# Names that are too long, or cannot be read; numbers without a call; calls of 32-bit programs.
ok ktrace record -o /tmp/odd --events syscalls -- oddcalls
pid=$(printf '%s\n' "$out" | tail -n 1)
text /tmp/odd
expect_eq "a long name" "$(how_many 'filename="n{250}"  flags=O_RDWR\|O_CREAT\|O_EXCL\|O_CLOEXEC')" 1
expect_eq "its error" "$(how_many '^syscall_exit_openat .* ret=-ENAMETOOLONG$')" 1
expect_eq "a name that is cut" "$(how_many 'filename="n{256}"\.\.\.  flags')" 1
expect_eq "a name that cannot be read" "$(how_many '^syscall_entry_openat .* filename=\?')" 1
expect_eq "its error" "$(how_many '^syscall_exit_openat .* ret=-EFAULT$')" 1
expect_eq "no such number" "$(how_many '^syscall_entry_unknown .* id=777 ')" 1
if ! printf '%s\n' "$out" | grep -q 'no calls'; then
	expect_eq "32 bits" "$(how_many '^compat_syscall_entry_getpid ')" 100
	expect_eq "their results" "$(how_many "^compat_syscall_exit_getpid .* ret=$pid\$")" 100
	expect_eq "no writev" "$(how_many '^syscall_entry_writev')" 0
fi

# Names of all lengths that end at a page's end or a little before it.
ok ktrace record -o /tmp/names --events syscalls -- oddcalls names
printf '%s\n' "$out" | grep -v '^ktrace: ' >/tmp/names.made
expect_eq "names" "$(wc -l </tmp/names.made)" 1024
text /tmp/names
sed -n 's/^syscall_entry_openat .* filename="\(.*\)"  flags=[A-Z_|]*O_NOFOLLOW.*/\1/p' /tmp/text.out >/tmp/names.recorded
cmp /tmp/names.made /tmp/names.recorded || fail "names: $(diff /tmp/names.made /tmp/names.recorded | head -5)"

# The state: this shell, its open file, and the end; none of it where it is not asked for.
exec 7>/tmp/an-open-file
ok ktrace record -o /tmp/state --events sched,process -- sh -c 'exec 7>&-; usleep 1000'
expect_eq "not without --state" "$(ktrace -i /tmp/state print | grep -c statedump)" 0
ktrace -i /tmp/state print --state >/tmp/text.out
expect_eq "this shell" "$(how_many "^lttng_statedump_process_state .* tid=$$  pid=$$ ")" 1
expect_eq "its file" "$(how_many "^lttng_statedump_file_descriptor .* pid=$$ .* fd=7  .*filename=\"/tmp/an-open-file\"")" 1
[ "$(how_many "^lttng_statedump_vm_map .* pid=$$ .*filename=\"$(readlink /proc/$$/exe)\"")" -gt 0 ] || fail "no mapping of its program"
expect_eq "its command line" "$(how_many "^ktrace_statedump_command_line .* pid=$$  args=\"sh ")" 1
expect_eq "the module" "$(how_many '^ktrace_statedump_module .* name="ktrace"')" 1
expect_eq "the end" "$(how_many '^lttng_statedump_end ')" 1
ok ktrace report --tree /tmp/state
expect_match "the tree" "$out" "^ *$$ +[0-9]+ .* sh\$"
none_left

# Which file is behind a descriptor, however it was made, copied, inherited, closed and used again.
ok ktrace record -o /tmp/files --events syscalls,sched,process -- filecalls
printf '%s\n' "$out" | grep -v '^ktrace: ' >/tmp/files.made
expect_eq "files" "$(wc -l </tmp/files.made)" 15
# All count the same events; a report says how many of them are in its figures.
n=$(ktrace --json -i /tmp/files print | grep -c '"type":"record"')
expect_eq "events" "$(printf '%s\n' "$err" | sed -n 's/.*: \([0-9,]*\) events in .*/\1/p' | tr -d ,)" "$n"
ok ktrace --json report --by network /tmp/files
expect_match "events of the report" "$out" "\"events_in_all\":$n,"
expect_match "no packets" "$out" '"networks":\[\],"not_recorded":\["networks"\]'
ok ktrace --csv report --by disk /tmp/files
expect_match "no requests" "$err" "they need block_rq_issue"
ok ktrace --csv report --by file /tmp/files
printf '%s\n' "$out" | awk -F, '{ gsub("\"", ""); print $1 "," $4 "," $5 }' >/tmp/files.told
wrong=$(grep -vxFf /tmp/files.told /tmp/files.made)
[ -z "$wrong" ] || fail "files: $wrong; told: $(cat /tmp/files.told)"
expect_eq "only these" "$(grep -c '^/tmp/filecalls-\|^pipe of\|^socket pair of' /tmp/files.told)" 16
# Requests that flush the cache of a disk; one request may have been issued before the recording.
ok ktrace record -o /tmp/flushes --events block,sched -- sh -c 'for i in 0 1 2 3 4 5 6 7 8 9; do
	dd if=/dev/zero of=/mnt/flushed bs=4k count=5 conv=fsync 2>/dev/null || exit; done'
text /tmp/flushes
[ "$(how_many '^block_rq_complete .* nr_sector=0  .* rwbs=FF')" -ge 10 ] || fail "no flushes"
ok ktrace --csv report --by disk /tmp/flushes
[ "$(printf '%s\n' "$out" | sed -n 's/^"vda",.*,\([0-9]*\)$/\1/p')" -le 1 ] || fail "unpaired requests: $out"

# Killed in the middle: what was written can be read.
ktrace record -o /tmp/killed --events syscalls --buffer 64K 2>/tmp/killed.err &
recorder=$!
wait_until 30 test -s /tmp/killed/state
dd if=/dev/zero of=/dev/null bs=78 count=20000 2>/dev/null
kill -9 $recorder
none_left
text /tmp/killed
n=$(how_many ' count=78$')
[ "$n" -gt 1000 ] && [ "$n" -le 40000 ] || fail "killed: $n"
text_restored
well
ok rmmod ktrace
