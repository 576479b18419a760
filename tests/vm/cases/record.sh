#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# what: a recording of the whole system: exact, readable, beside a prompt; stopped, killed, on a full disk
# vm: --smp 2
. /lab/lib.sh

modprobe ktruth
ok ktrace status
rawtext save /tmp/text || fail "no text to compare"
function=ktruth_run	# nobody else calls it
calls() {
	echo time run 7 "$1" >/proc/ktruth
}

# records DIR [NAME]: how many it has, of that name
records() {
	ktrace --json -i "$1" print | grep '"type":"record"' | grep -c "\"name\":\"${2:-}"
}
# start DIR OPTION...: a recording in the background, which has begun
start() {
	dir=$1
	shift
	ktrace record -o "$dir" "$@" 2>"$dir.err" &
	recorder=$!
	wait_until 30 test -s "$dir/metadata"
}
# has_bytes DIR N: so much is written
has_bytes() {
	[ "$(cat "$1"/cpu* 2>/dev/null | wc -c)" -ge "$2" ]
}
none_left() {
	wait_until 20 sh -c '[ -z "$(ktdev recordings)" ]'
	wait_until 20 sh -c 'ktdev count | grep -q "sites=0 "'
}

ok ktrace record -o /tmp/exact --trace "$function PID" -- sh -c 'echo time run 7 300 >/proc/ktruth'
expect_match "what it says" "$err" '^ktrace: /tmp/exact: 300 events in .*, none lost: '
expect_eq "records" "$(records /tmp/exact)" 300
expect_eq "the directory is private" "$(stat -c %a /tmp/exact)" 700
none_left

# One clear line each, and nothing left.
run ktrace record -o /tmp/exact --trace "$function PID" -- true
expect_eq "the directory exists" "$status $err" "1 ktrace: /tmp/exact: exists, and is not empty: choose another name, or remove it"
for wrong in '--events nothing' '--trace' "--trace $function --buffer 7" '--buffer 4X' '--stop nobody' "--name é --trace $function" 'vfs_read'; do
	run ktrace record -o /tmp/wrong $wrong
	[ "$status" != 0 ] && [ "$(echo "$err" | wc -l)" = 1 ] && [ ! -e /tmp/wrong ] || fail "$wrong: $status: $err"
	echo "$err"
done
run ktrace record -o /proc/wrong --trace $function --for 0.1
expect_match "no place" "$err" '^ktrace: /proc/wrong: '
none_left

# Several recordings and a prompt, each exact.
ok ktrace -q trace $function PID
start /tmp/first --trace "$function PID"
first=$recorder
start /tmp/second --trace "$function TGID" --name other --buffer 64K
second=$recorder
calls 5000
run ktrace status
expect_match "the recordings" "$out" '^recordings +first: 4 MiB for each CPU, 5000 records, 0 discarded'
ok ktrace freeze
expect_match "what stops" "$err" "the records of the prompt are frozen: hits are only counted until 'unfreeze'"
expect_match "what goes on" "$err" 'recordings go on: .*first'
calls 50
ok ktrace record --stop other
wait $second || fail "$(cat /tmp/second.err)"
calls 7
kill -INT $first
wait $first
expect_eq "first" "$(records /tmp/first)" 5057
expect_eq "second" "$(records /tmp/second)" 5050
expect_eq "the prompt" "$(ktrace --json print | grep -c '"type":"record"')" 5000
ok ktrace unfreeze
ok ktrace -q -e 'delete *'
none_left

# Killed: the packets that were written can be read, and nothing is left set.
start /tmp/killed --trace "$function PID" --buffer 64K
calls 20000
wait_until 20 has_bytes /tmp/killed 20000
kill -9 $recorder
none_left
n=$(records /tmp/killed)
[ "$n" -gt 1000 ] && [ "$n" -le 20000 ] || fail "killed: $n records"
printf 'torn' >>/tmp/killed/cpu$(ls /tmp/killed/cpu* | sed 's/.*cpu//' | head -n 1)
expect_eq "with a part of a packet at its end" "$(records /tmp/killed)" "$n"

# Compressed: the same records, in fewer bytes; those of a recorder that was killed, too.
for how in '' --compress; do
	ok ktrace record -o "/tmp/small$how" $how --trace "$function PID" -- sh -c 'echo time run 7 20000 >/proc/ktruth'
	expect_eq "records$how" "$(records "/tmp/small$how")" 20000
done
plain=$(cat /tmp/small/cpu* | wc -c) packed=$(cat /tmp/small--compress/cpu* | wc -c)
echo "20000 records in $plain bytes, compressed in $packed"
[ "$((2 * packed))" -lt "$plain" ] || fail "compressed: $packed bytes of $plain"
rm -r /tmp/small /tmp/small--compress
start /tmp/broken --compress --trace "$function PID" --buffer 64K
calls 20000
wait_until 20 has_bytes /tmp/broken 5000
kill -9 $recorder
none_left
n=$(records /tmp/broken)
[ "$n" -gt 1000 ] && [ "$n" -le 20000 ] || fail "killed, compressed: $n records"

# Full, even if the recorder writes only once, at the end, what one ring holds: it says so, and what is there can be read.
mkdir /tmp/small
mount -t tmpfs -o size=64k none /tmp/small
run ktrace record -o /tmp/small/trace --trace "$function ALLREGS" --buffer 64K -- sh -c 'echo time run 7 5000 >/proc/ktruth'
expect_match "a full disk" "$err" '/tmp/small/trace: No space left on device: the trace ends here'
expect_eq "its status" "$status" 1
n=$(records /tmp/small/trace)
[ "$n" -gt 100 ] && [ "$n" -lt 5000 ] || fail "full: $n records"
none_left

# Stopped for a time, it loses what it says.
start /tmp/late --trace "$function ALLREGS" --buffer 64K
kill -STOP $recorder
calls 5000
kill -CONT $recorder
kill -INT $recorder
wait $recorder
cat /tmp/late.err
lost=$(ktrace --json -i /tmp/late print | sed -n 's/.*"lost":\([0-9]*\),"reason".*/\1/p' | awk '{ sum += $1 } END { print sum + 0 }')
expect_eq "recorded and lost" "$(($(records /tmp/late) + lost))" 5000
[ "$lost" -gt 0 ] || fail "nothing was lost"

# A task without namespaces of some kinds, as all tasks are in a kernel with few options.
echo bare >/proc/ktruth
ok ktrace record -o /tmp/namespaces --events process -- true
expect_match "it has no network" "$(ktrace -i /tmp/namespaces print --state)" \
	'^lttng_statedump_process_state .* name="ktruth_bare" .* pid_ns=[0-9]{2,}  mnt_ns=[0-9]{2,}  net_ns=0  user_ns=[0-9]{2,}'

# The whole system.
ok ktrace record -o /tmp/core -- sh -c 'ls / >/dev/null; usleep 50000'
echo "$err"
ktrace -i /tmp/core print >/tmp/core.txt
for name in sched_switch sched_process_fork sched_process_exec sched_process_exit syscall_entry_ syscall_exit_; do
	grep -q "^$name" /tmp/core.txt || fail "no $name"
done
grep -q 'next_comm="usleep"' /tmp/core.txt || fail "no next task"
# Without the state of the system: no file of it, no such event, and a report of what the events tell.
ok ktrace record -o /tmp/stateless --no-state --events sched,syscalls -- ls /
[ ! -e /tmp/stateless/state ] || fail "a file of the state"
ok ktrace -i /tmp/stateless print --state
expect_eq "no event of it" "$(count_matches "$out" statedump)" 0
expect_match "the others" "$out" '^syscall_entry_write '
ok ktrace report /tmp/stateless
expect_match "its report" "$out" '^whole system '
text_restored
well
rmmod ktruth
ok rmmod ktrace
